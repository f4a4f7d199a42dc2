import type { Outcome } from 'tiltyard';
import { inLines } from '../lines.ts';
import type { LogEvent } from './events.ts';
import { EPISODE_BEGINS } from './world.ts';

// What the tools, setups and teardowns of this world do when they are asked to.
const FORESEEN =
  /^((tool 'broken'|setup|teardown) of environment 'chaos'|tool 'Chaos_Broken') failed$|^a worker process (has ended: it was ended by SIGKILL|could not start)/;

// Pino's number for it.
const ERROR = 50;

// Enough to see what went wrong; a server that has gone mad would fill the memory.
const MAX_FAULTS = 100;
const SHOWN = 2_000;

/** Reads what the server prints, and keeps of it what the model asks about. */
export class ServerLog {
  readonly events: LogEvent[] = [];
  /** What nobody foresaw: errors of other kinds, and what is no line of a log. */
  readonly faults: string[] = [];
  readonly #tokenOf: (id: string) => string;
  readonly #foreseen: RegExp;

  /** `tokenOf` tells which call, or episode, has an id; `foreseen` which errors are no fault. */
  constructor(tokenOf: (id: string) => string = (id) => id, foreseen: RegExp = FORESEEN) {
    this.#tokenOf = tokenOf;
    this.#foreseen = foreseen;
  }

  /** Takes what one life of the server prints, in pieces that end anywhere. */
  reader(life: number): (piece: string) => void {
    // By session, the one that began last: an id may be used again.
    const episodes = new Map<string, string>();
    return inLines((text) => {
      const line = toLine(text);
      if (line === undefined || (line.level >= ERROR && !this.#foreseen.test(line.msg))) return this.#addFault(text);
      const { msg, sid = '', episode } = line;
      if (msg === EPISODE_BEGINS && episode !== undefined) episodes.set(sid, episode);
      else if (msg === 'call') this.#addCall(line, life, episodes.get(sid));
      else if (msg === 'session ended') this.#addSession(line, life, episodes.get(sid));
      // The next server tells of those that were lost with the one before.
      else if (msg === 'session lost') this.#addSession({ ...line, outcome: 'env_error' }, life, episodes.get(sid));
    });
  }

  #addCall({ time: at, taskId, callId = '', tool, outcome }: LogLine, life: number, episode?: string): void {
    const token = this.#tokenOf(taskId ?? callId);
    // Over OXP there is no session; a token begins with its episode.
    const owner = episode ?? token.slice(0, token.lastIndexOf('.'));
    this.events.push({ at, life, episode: owner, what: 'call', token, tool, outcome });
  }

  #addSession({ time: at, sid = '', calls, outcome, reward, lost }: LogLine, life: number, known?: string): void {
    const episode = known ?? this.#tokenOf(sid);
    this.events.push({
      at,
      life,
      episode,
      what: 'session ended',
      calls,
      outcome,
      ...(reward === undefined ? {} : { reward }),
      ...(lost === undefined ? {} : { lost }),
    });
  }

  #addFault(text: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push(text.slice(0, SHOWN));
  }
}

/** A line of any kind: docs/observability.md says which has which fields. */
interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly sid?: string;
  readonly episode?: string;
  readonly taskId?: string;
  readonly callId?: string;
  readonly tool: string;
  readonly calls: number;
  readonly outcome: Outcome;
  readonly reward?: number;
  readonly lost?: string;
}

function toLine(text: string): LogLine | undefined {
  try {
    const line = JSON.parse(text) as LogLine;
    return typeof line.level === 'number' && typeof line.msg === 'string' ? line : undefined;
  } catch {
    return undefined; // not JSON: somebody has printed something
  }
}
