import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';

const provider = new NodeTracerProvider({
  // Whose spans they are: OTEL_SERVICE_NAME; without it, unknown_service:node.
  resource: defaultResource().merge(detectResources({ detectors: [envDetector] })),
  // Where to: OTEL_EXPORTER_OTLP_ENDPOINT, or http://localhost:4318.
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
});
provider.register();
