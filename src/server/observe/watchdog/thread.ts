import { workerData } from 'node:worker_threads';
import { Board, CURRENT, type Culprit, type RunningCode } from './board.ts';
import { byWhom, fieldsOf, LEVELS, type LineOutput, seconds, writeLine } from './lines.ts';
import { stackOfMainThread } from './main-stack.ts';

// The watchdog's own thread: it alone can tell who blocks the other while it is blocked.

/** What the thread is told when it starts. */
export interface ThreadData {
  readonly memory: SharedArrayBuffer;
  readonly maxBlockMs: number;
  /** How often the watched thread gives a sign of life. */
  readonly beatMs: number;
  readonly output: LineOutput;
}

// A block that goes on is told of again, ever more rarely.
const AGAIN_AFTER = 10;

const { memory, maxBlockMs, beatMs, output } = workerData as ThreadData;
const board = new Board(memory);
let lastBeats = board.beats;
// Counted, and not by the clock: a machine that sleeps, or a process that is stopped, does not block anybody.
let missed = 0;
// One more than fit into the time, since the last beat may just have been missed.
let tellAt = Math.ceil(maxBlockMs / beatMs) + 1;

setInterval(() => {
  const { beats } = board;
  if (beats !== lastBeats || board.isDebugged) {
    lastBeats = beats;
    missed = 0;
    tellAt = Math.ceil(maxBlockMs / beatMs) + 1;
    return;
  }
  missed += 1;
  if (missed < tellAt) return;
  tellAt *= AGAIN_AFTER;
  void tell(missed * beatMs);
}, beatMs);

async function tell(blockedMs: number): Promise<void> {
  const culprit = findCulprit();
  board.tell(culprit);
  const rssMb = Math.round(process.memoryUsage.rss() / 1024 / 1024);
  const fields = { ...(culprit.code && fieldsOf(culprit.code)), blockedMs, rssMb };
  const message = `the process has been blocked for ${seconds(blockedMs)}${byWhom(culprit)}. Nobody else is served meanwhile`;
  const { waiting } = board;
  const others = culprit.isCertain || waiting.length < 2 ? {} : { waiting: waiting.map(fieldsOf) };
  writeLine(output, LEVELS.warn, { ...fields, ...others }, message);
  const stack = await stackOfMainThread(board);
  if (stack !== undefined)
    writeLine(output, LEVELS.warn, { ...fields, error: { stack } }, 'where the process is blocked');
}

function findCulprit(): Culprit {
  const current = board.read(CURRENT);
  if (current !== undefined) return { code: current, isCertain: true };
  const { waiting } = board;
  const [first] = waiting;
  if (first === undefined || !waiting.every((other) => isSame(other, first)))
    return { code: undefined, isCertain: false };
  // Which of several calls it is cannot be told.
  return { code: waiting.length === 1 ? first : { ...first, sid: '', call: '' }, isCertain: false };
}

function isSame(one: RunningCode, other: RunningCode): boolean {
  return one.part === other.part && one.environment === other.environment && one.tool === other.tool;
}
