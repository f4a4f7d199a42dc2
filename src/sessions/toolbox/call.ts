import { type Awaitable, type CatalogTool, LazyAbort, type Secrets } from '../../core/index.ts';
import type { JsonObject } from '../../protocol/index.ts';
import type { ObservedCall, TraceHeaders } from '../observer.ts';
import type { ToolboxEnding } from './ending.ts';

/** A call of a tool outside any episode. */
export interface ToolboxRequest {
  readonly tool: CatalogTool;
  /** Who calls; empty where nobody is known. */
  readonly identity: string;
  /** Taken over by the call. */
  readonly input: JsonObject;
  /** The name of this call, for logs. */
  readonly callId: string;
  /** How a repeat finds this call; undefined if there can be no repeat. */
  readonly repeat: RepeatKey | undefined;
  readonly secrets: Secrets;
  readonly userId: string | undefined;
  readonly authorization: Readonly<Record<string, string>>;
  readonly traceId: string | undefined;
  readonly trace?: TraceHeaders | undefined;
}

/** What two requests for the same call have in common. */
export interface RepeatKey {
  /** Made by toCallKey. */
  readonly key: string;
  /** What was asked, so that a key is not used for two different things. */
  readonly fingerprint: string;
}

/** Of a call that cannot be repeated. */
export const NO_REPEAT: RepeatKey = { key: '', fingerprint: '' };

/** Whose call it is, and how it is called in logs. */
export type Caller = Pick<ToolboxRequest, 'callId' | 'identity'>;

/** A call that is running or kept for repeats. */
export class ToolboxCall implements ObservedCall {
  readonly id: string;
  readonly callId: string;
  readonly identity: string;
  readonly tool: string;
  readonly fingerprint: string;
  readonly abort: LazyAbort = new LazyAbort();
  phase: 'accepted' | 'settled' = 'accepted';
  readonly startedAt: number = performance.now();
  /** When its tool was started; before that, when it came. */
  ranAt: number = this.startedAt;
  settledAt = 0;
  hasRun = false;
  bytes = 0;
  /** Later, while it runs. */
  ending: Awaitable<ToolboxEnding> | undefined;
  /** Resolves when its tool has ended, whatever became of the call; undefined if that was at once. */
  toolEnded: Promise<unknown> | undefined;
  #tell: ((ending: ToolboxEnding) => void) | undefined;

  constructor({ key, fingerprint }: RepeatKey, { callId, identity }: Caller, tool: string) {
    this.callId = callId;
    this.identity = identity;
    this.tool = tool;
    this.id = key;
    this.fingerprint = fingerprint;
  }

  /** Ends it, for all who wait for it; false if it had ended before. */
  settle(ending: ToolboxEnding): boolean {
    if (this.phase === 'settled') return false;
    this.phase = 'settled';
    this.settledAt = performance.now();
    if (this.#tell === undefined) this.ending = ending;
    else this.#tell(ending);
    return true;
  }

  /** Lets others wait for its end, which will not come at once. */
  wait(toolEnded: Promise<unknown>): void {
    this.toolEnded = toolEnded;
    this.ending = new Promise((resolve) => {
      this.#tell = resolve;
    });
  }
}
