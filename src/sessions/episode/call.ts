import { EnvironmentError, LazyAbort, TiltyardError } from '../../core/index.ts';
import { UNKNOWN_TASK_ID } from '../../protocol/index.ts';
import type { TaskIds } from '../kept/task-id.ts';
import { type ObservedCall, UNKNOWN_TOOL } from '../observer.ts';
import type { CallEnding } from './call-ending.ts';

function bytesOf(error: TiltyardError): number {
  if (!(error instanceof EnvironmentError)) return error.message.length;
  const { message, stack } = error.thrown;
  return error.message.length + message.length + stack.length;
}

/** Arriving: it may still be refused. Accepted: it runs or waits for its turn. Settled: its ending is there. */
export type CallPhase = 'arriving' | 'accepted' | 'settled';

/** One call of a tool, alive from its arrival until its result is no longer kept. */
export class Call implements ObservedCall {
  readonly id: string;
  readonly tool: string;
  /** The number of its id, if that is one of this server's. */
  readonly number: number | undefined;
  readonly startedAt: number = performance.now();
  readonly abort: LazyAbort = new LazyAbort();
  phase: CallPhase = 'arriving';
  ending: CallEnding | undefined;
  settledAt = 0;
  /** Set once a client has been told the id, and may therefore come back with it. */
  announced = false;
  hasRun = false;
  /** About how much memory its input takes while it has not ended. */
  inputBytes = 0;
  #listeners: Set<() => void> | undefined;

  constructor(id: string, tool: string = UNKNOWN_TOOL, number?: number) {
    this.id = id;
    this.tool = tool;
    this.number = number;
  }

  get callId(): string {
    return this.id;
  }

  /** Calls back at each change of phase, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => this.#listeners?.delete(listener);
  }

  /** About how much memory the ending takes. */
  get bytes(): number {
    if (this.ending === undefined) return 0;
    return this.ending.kind === 'result' ? this.ending.json.length : bytesOf(this.ending.error);
  }

  accept(): void {
    this.phase = 'accepted';
    this.#tell();
  }

  /** Returns false if the call had ended before, in which case nothing changes. */
  settle(ending: CallEnding): boolean {
    if (this.phase === 'settled') return false;
    this.phase = 'settled';
    this.ending = ending;
    // A stack that nobody has read yet holds the functions on it, and with them the whole request.
    if (ending.kind !== 'result') ending.error.stack = '';
    this.#tell();
    return true;
  }

  #tell(): void {
    if (this.#listeners === undefined) return;
    for (const listener of [...this.#listeners]) listener();
  }
}

/** A call under an id of this server's own. */
export function newCall(ids: TaskIds, tool: string): Call {
  const number = ids.next();
  return new Call(ids.toId(number), tool, number);
}

/** A call that ended before, for a client that comes back. */
export function settledCall(taskId: string, ending: CallEnding): Call {
  const call = new Call(taskId);
  call.settle(ending);
  return call;
}

/** The answer to an id that nobody knows. */
export function unknownCall(taskId: string): Call {
  return settledCall(taskId, { kind: 'error', error: new TiltyardError('unknown_task_id', UNKNOWN_TASK_ID) });
}
