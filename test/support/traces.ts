import { context, propagation, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll } from 'vitest';
import { type OtlpReceiver, type ReceivedSpan, startOtlp } from './otlp.ts';

/** Gives the spans that have arrived by now. */
export type ReadSpans = (wanted: (span: ReceivedSpan) => boolean) => Promise<ReceivedSpan[]>;

/** Traces all tests of a file, with the official SDK and a collector of our own. */
export function shareTraces(): ReadSpans {
  let receiver: OtlpReceiver;
  let provider: NodeTracerProvider;
  beforeAll(async () => {
    receiver = await startOtlp();
    const exporter = new OTLPTraceExporter({ url: receiver.url });
    provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
    provider.register();
  });
  afterAll(async () => {
    await provider.shutdown();
    await receiver.close();
    trace.disable();
    context.disable();
    propagation.disable();
  });
  return async (wanted) => {
    await provider.forceFlush();
    return receiver.spans.filter(wanted);
  };
}
