import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';

/** The clients of both generations of the SDK, in both eras of the protocol. */
export const CLIENTS = ['v2, modern', 'v2, legacy', 'v1'] as const;

export type ClientKind = (typeof CLIENTS)[number];

/** What is common to all of them, as far as tests need it. */
export interface TestClient {
  listTools(): Promise<{ tools: any[] }>;
  callTool(params: { name: string; arguments?: object; _meta?: object }, options?: object): Promise<any>;
  listPrompts(): Promise<{ prompts: any[] }>;
  getPrompt(params: { name: string }): Promise<any>;
  getServerCapabilities(): any;
  getInstructions(): string | undefined;
  close(): Promise<void>;
}

const INFO = { name: 'test', version: '1.0.0' };

/** A client that is connected to an address; it is closed when the test ends. */
export async function connectMcp(
  kind: ClientKind,
  url: string,
  headers: Record<string, string> = {},
): Promise<TestClient> {
  const client = await open(kind, new URL(url), { requestInit: { headers } });
  onTestFinished(() => client.close());
  return client;
}

async function open(kind: ClientKind, url: URL, options: object): Promise<TestClient> {
  if (kind === 'v1') {
    const client = new OldClient(INFO);
    await client.connect(new OldTransport(url, options) as never);
    return client as never;
  }
  // A version that is pinned is not negotiated: no request is spent on asking.
  const mode = kind === 'v2, legacy' ? 'legacy' : { pin: '2026-07-28' };
  const client = new Client(INFO, { versionNegotiation: { mode } } as never);
  await client.connect(new StreamableHTTPClientTransport(url, options));
  return client as never;
}
