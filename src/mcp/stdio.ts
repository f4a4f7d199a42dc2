import type { Writable } from 'node:stream';
import type { McpFace } from './face.ts';
import { type FaceServerOptions, toFaceServer } from './face-server.ts';
import { loadMcp } from './library.ts';

/** How a face is served over standard streams. */
export interface StdioOptions extends Pick<FaceServerOptions, 'explain' | 'onError'> {
  /** Where messages go; nothing else may be written there. */
  readonly output: Writable;
  /** Ends it before the input does. */
  readonly signal: AbortSignal;
}

/** Serves a face over the standard streams of this process; resolves when the input has ended. */
export async function serveStdio(face: McpFace, { output, signal, ...options }: StdioOptions): Promise<void> {
  const sdk = await loadMcp();
  const { serveStdio: serve, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const handle = serve(async () => toFaceServer(sdk, face, { ...options, instructions: await face.instructions?.() }), {
    transport: new StdioServerTransport(process.stdin, output),
    onerror: options.onError,
  });
  await ended;
  await handle.close();
}
