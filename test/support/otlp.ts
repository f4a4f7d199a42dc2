import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as it arrived. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  /** 2 is an error. */
  readonly status: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly links: readonly string[];
}

/** A collector of traces: what an exporter sends to it can be read. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  close(): Promise<void>;
}

/** Starts a collector that takes OTLP over HTTP, as JSON, on a free port. */
export async function startOtlp(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    spans.push(...toSpans(JSON.parse(Buffer.concat(parts).toString())));
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`,
    spans,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function toSpans({ resourceSpans }: any): ReceivedSpan[] {
  return resourceSpans
    .flatMap(({ scopeSpans }: any) => scopeSpans)
    .flatMap(({ spans }: any) => spans)
    .map(({ traceId, spanId, parentSpanId, name, status, attributes, links = [] }: any) => ({
      traceId,
      spanId,
      parentSpanId,
      name,
      status: status?.code ?? 0,
      attributes: Object.fromEntries(attributes.map(({ key, value }: any) => [key, Object.values(value)[0]])),
      links: links.map((link: any) => link.spanId),
    }));
}
