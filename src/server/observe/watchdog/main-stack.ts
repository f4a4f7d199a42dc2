import { type Debugger, Session } from 'node:inspector';
import { SourceMap } from 'node:module';
import type { Board } from './board.ts';

type Scripts = ReadonlyMap<string, Debugger.ScriptParsedEventDataType>;

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
  const scripts = new Map<string, Debugger.ScriptParsedEventDataType>();
  const frames = await new Promise<readonly Debugger.CallFrame[]>((resolve) => {
    session.on('Debugger.scriptParsed', ({ params }) => scripts.set(params.scriptId, params));
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

function toLine({ functionName, location }: Debugger.CallFrame, scripts: Scripts): string {
  const { lineNumber: line, columnNumber: column = 0 } = location;
  const script = scripts.get(location.scriptId);
  const written = whereWritten(script, line, column);
  const place = `${script?.url ?? ''}:${(written?.line ?? line) + 1}:${(written?.column ?? column) + 1}`;
  return functionName === '' ? `    at ${place}` : `    at ${functionName} (${place})`;
}

const INLINE_MAP = /^data:application\/json[^,]*;base64,/;

/** Where the author wrote what TypeScript was compiled to, as far as the script says so itself. */
function whereWritten(
  script: Debugger.ScriptParsedEventDataType | undefined,
  line: number,
  column: number,
): { readonly line: number; readonly column: number } | undefined {
  const map = script?.sourceMapURL ?? '';
  if (!INLINE_MAP.test(map)) return undefined;
  try {
    const entry = new SourceMap(JSON.parse(Buffer.from(map.replace(INLINE_MAP, ''), 'base64').toString())).findEntry(
      line,
      column,
    );
    return 'originalLine' in entry ? { line: entry.originalLine, column: entry.originalColumn } : undefined;
  } catch {
    // A map that cannot be read: the place in what was compiled has to do.
    return undefined;
  }
}
