import { type Debugger, Session } from 'node:inspector';
import type { Board } from './board.ts';

const MOST_FRAMES = 12;

// Native code, such as execSync or a regular expression, cannot be interrupted.
const PATIENCE_MS = 1_000;

/**
 * Where the main thread is, by way of the inspector, which interrupts JavaScript for an instant. To be called from another thread;
 * undefined if nothing can be learned, or the main thread has gone on meanwhile.
 */
export async function stackOfMainThread(board: Board): Promise<string | undefined> {
  const beats = board.beats;
  const session = new Session();
  const scripts = new Map<string, string>();
  const frames = await new Promise<readonly Debugger.CallFrame[]>((resolve) => {
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params.url));
    session.on('Debugger.paused', ({ params }) => {
      session.post('Debugger.resume');
      resolve(params.callFrames);
    });
    session.connectToMainThread();
    session.post('Debugger.enable');
    session.post('Debugger.pause');
    setTimeout(() => resolve([]), PATIENCE_MS);
  });
  // Ends a pause as well, if one comes too late.
  session.disconnect();
  if (frames.length === 0 || board.beats !== beats) return undefined;
  return frames
    .slice(0, MOST_FRAMES)
    .map((frame) => toLine(frame, scripts))
    .join('\n');
}

function toLine({ functionName, location }: Debugger.CallFrame, scripts: ReadonlyMap<string, string>): string {
  const { scriptId, lineNumber, columnNumber = 0 } = location;
  const place = `${scripts.get(scriptId) ?? ''}:${lineNumber + 1}:${columnNumber + 1}`;
  return functionName === '' ? `    at ${place}` : `    at ${functionName} (${place})`;
}
