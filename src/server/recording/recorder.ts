import type { Worker } from 'node:worker_threads';
import { type Log, startThread } from '../../core/index.ts';
import type {
  CallAsked,
  CallEnding,
  CallTold,
  ContentEvent,
  EpisodeOpened,
  HostEvent,
  Manifest,
  Observer,
  PastCall,
  PromptTold,
  SessionEnded,
} from '../../sessions/index.ts';
import type { ReturnErrors } from '../http/errors.ts';
import type { RecordingNumbers } from '../observe/recording-metrics.ts';
import { resultFields } from '../ors/result-fields.ts';
import { Batch } from './batch.ts';
import { callFields, nameOf, toEnd, toEpisode } from './fields.ts';
import type { Entry, Kind, Opening, Order, PastCallFields, ThreadData, Told, ToolsByEnvironment } from './messages.ts';

/** What a recorder is told. */
export interface RecorderOptions extends ThreadData {
  readonly log: Log;
  readonly returnErrors: ReturnErrors;
}

// Long enough for a busy server to write many events at once; what is lost at most when the process is killed.
const COLLECT_MS = 200;
const BATCH_BYTES = 2 ** 22;

// What may wait for a slow disk. More is dropped, and counted.
const MAX_WAITING_BYTES = 64 * 2 ** 20;

// A disk that is full stays so for a while.
const COMPLAIN_EVERY_MS = 60_000;

/** What is known of a session that is being recorded. */
interface Recorded {
  hasPrompt: boolean;
  setupFailed: boolean;
  /** How many events of it were dropped since the last that was not. */
  missing: number;
}

/**
 * Records every episode: it listens, collects what it hears for a moment, and hands it to a thread that writes. Whatever goes wrong
 * there, episodes go on.
 */
export class Recorder implements Observer {
  readonly numbers: RecordingNumbers = { written: 0, dropped: 0, bytes: 0 };
  readonly #options: RecorderOptions;
  readonly #thread: Worker;
  readonly #sessions = new Map<number, Recorded>();
  readonly #batch = new Batch();
  /** The names of all tools, as JSON. */
  #toolNames: ReadonlyMap<string, string> = new Map();
  /** How large each batch is that the thread has not written yet. */
  readonly #sent: number[] = [];
  #sentBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #complainedAt = Number.NEGATIVE_INFINITY;
  #deleted = 0;
  #isOver = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const { folder, maxBytes } = options;
    this.#thread = startThread(import.meta.url, 'thread', { folder, maxBytes } satisfies ThreadData);
    this.#thread.on('message', (told: Told) => this.#heard(told));
    this.#thread.on('error', (error) => this.#broken(error));
    this.#thread.unref();
  }

  /** Says which tools the environments have: they are part of each record. */
  describe({ environments }: Manifest): void {
    const tools: ToolsByEnvironment = new Map(environments.map(({ name, allTools }) => [name, allTools]));
    this.#toolNames = new Map([...tools.values()].flat().map(({ name }) => [name, JSON.stringify(name)]));
    this.#thread.postMessage({ tools } satisfies Order);
  }

  on(event: HostEvent): void {
    switch (event.type) {
      case 'setup_ended':
        if (event.result === 'failed') this.#noteFailedSetup(event.session.number, event.at);
        break;
      case 'session_rebuilt':
        this.#note(
          event.session,
          event.at,
          `its process was lost: it was built again in another (steps run again: ${event.steps})`,
        );
        break;
      case 'session_suspended':
        this.#finish('suspend', event.session.number, event.at, '');
        break;
      case 'session_ended':
        this.#end(event);
    }
  }

  readonly onContent = (event: ContentEvent): void => {
    switch (event.type) {
      case 'episode_opened':
        this.#open(event);
        break;
      case 'prompt_told':
        this.#prompt(event);
        break;
      case 'call_asked':
        this.#call(event);
        break;
      case 'call_told':
        this.#result(event);
        break;
      case 'episode_lost':
        this.#open(event.opened);
        this.#end(event.ended);
    }
  };

  /** Writes what was heard, and ends the thread; a disk that hangs is waited for only so long. */
  async close(patienceMs: number): Promise<void> {
    this.#send();
    if (this.#isOver) return;
    const ended = new Promise<void>((resolve) => void this.#thread.once('exit', () => resolve()));
    this.#thread.ref();
    this.#thread.postMessage({ close: true } satisfies Order);
    const timer = setTimeout(() => void this.#thread.terminate(), patienceMs);
    await ended;
    clearTimeout(timer);
    this.#isOver = true;
  }

  #open(event: EpisodeOpened): void {
    const { session, secrets, past, at } = event;
    this.#sessions.set(session.number, { hasPrompt: past !== undefined, setupFailed: false, missing: 0 });
    const opening: Opening = {
      name: nameOf(event),
      episode: toEpisode(event),
      secrets,
      past: past?.map((call) => this.#pastFields(call)),
    };
    this.#addOther('open', session.number, at, JSON.stringify(opening));
  }

  #pastFields({ id, tool, input, ending, durationMs }: PastCall): PastCallFields {
    return {
      id,
      call: callFields(JSON.stringify(tool), input, id),
      result: resultFields(ending, durationMs, this.#options.returnErrors),
      reward: rewardOf(ending),
    };
  }

  #prompt({ session, at, blocks }: PromptTold): void {
    const recorded = this.#sessions.get(session.number);
    // Agents may read it as often as they like.
    if (recorded === undefined || recorded.hasPrompt) return;
    recorded.hasPrompt = true;
    this.#addOther('prompt', session.number, at, `"blocks":${JSON.stringify(blocks)}`);
  }

  #call({ call, at, tool, input }: CallAsked): void {
    if (call.session === undefined) return;
    // Now, since defaults are written into the input.
    const text = callFields(this.#toolNames.get(tool) ?? JSON.stringify(tool), input, call.id);
    this.#add({ kind: 'call', session: call.session.number, at, text, call: call.number, reward: Number.NaN });
  }

  #result({ call, at, ending, durationMs }: CallTold): void {
    if (call.session === undefined) return;
    const text = resultFields(ending, durationMs, this.#options.returnErrors);
    const reward = rewardOf(ending) ?? Number.NaN;
    const entry: Entry = { kind: 'result', session: call.session.number, at, text, call: call.number, reward };
    // Most calls end before anything else happens, and are one entry then.
    if (!this.#batch.pushResult(entry)) this.#add(entry);
  }

  #noteFailedSetup(session: number, at: number): void {
    const recorded = this.#sessions.get(session);
    if (recorded !== undefined) recorded.setupFailed = true;
    this.#note(session, at, 'setup failed');
  }

  #note(session: number, at: number, text: string): void {
    this.#addOther('note', session, at, `"text":${JSON.stringify(text)}`);
  }

  #end(event: SessionEnded): void {
    const { session, at } = event;
    const end = toEnd(event, this.#sessions.get(session.number)?.setupFailed ?? false);
    this.#finish('end', session.number, at, JSON.stringify(end));
  }

  #finish(kind: 'end' | 'suspend', session: number, at: number, text: string): void {
    this.#addOther(kind, session, at, text);
    this.#sessions.delete(session);
  }

  /** Adds what is neither a call nor a result. */
  #addOther(kind: Kind, session: number, at: number, text: string): void {
    this.#add({ kind, session, at, text, call: 0, reward: Number.NaN });
  }

  #add(entry: Entry): void {
    const { kind, session, at } = entry;
    const recorded = this.#sessions.get(session);
    if (recorded === undefined || this.#isOver) return;
    // The end always passes: it is small, and frees the record.
    if (this.#isFull && kind !== 'end' && kind !== 'suspend') return this.#drop(recorded);
    if (recorded.missing > 0) this.#noteMissing(session, at, recorded);
    this.#batch.push(entry);
    if (this.#batch.size > BATCH_BYTES) this.#send();
    else this.#sendLater();
  }

  #sendLater(): void {
    this.#timer ??= setTimeout(() => this.#send(), COLLECT_MS).unref();
  }

  get #isFull(): boolean {
    return this.#sentBytes + this.#batch.size > MAX_WAITING_BYTES;
  }

  #drop(recorded: Recorded): void {
    recorded.missing += 1;
    this.numbers.dropped += 1;
    this.#complain('events come faster than the disk takes them');
  }

  #noteMissing(session: number, at: number, recorded: Recorded): void {
    const note = `${recorded.missing} events before this one are missing: they came faster than the disk takes them`;
    recorded.missing = 0;
    this.#note(session, at, note);
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#batch.isEmpty || this.#isOver) return;
    const batch = this.#batch.take();
    this.#sent.push(batch.length);
    this.#sentBytes += batch.length;
    this.#thread.postMessage({ batch } satisfies Order, [batch.buffer]);
  }

  #heard({ written, dropped, bytes, deleted, problem, room }: Told): void {
    this.#batch.giveBack(room);
    this.#sentBytes -= this.#sent.shift() ?? 0;
    this.numbers.written += written;
    this.numbers.dropped += dropped;
    this.numbers.bytes = bytes;
    if (problem !== undefined) this.#complain(problem);
    if (deleted > 0 && this.#deleted === 0)
      this.#options.log.warn({ bytes }, 'the folder of records is full: the oldest make room for new ones');
    this.#deleted = deleted;
  }

  #broken(error: Error): void {
    this.#isOver = true;
    this.#options.log.error({ error }, 'episodes are no longer recorded');
  }

  #complain(problem: string): void {
    const now = performance.now();
    if (now - this.#complainedAt < COMPLAIN_EVERY_MS) return;
    this.#complainedAt = now;
    const { dropped } = this.numbers;
    this.#options.log.error({ problem, dropped }, 'records are incomplete: events could not be written');
  }
}

/** What a call pays: its session has read that already, unless the call was kept from an earlier server. */
function rewardOf(ending: CallEnding & { readonly reward?: number | null }): number | null {
  if (ending.kind !== 'returned') return null;
  if (ending.reward !== undefined) return ending.reward;
  return (JSON.parse(ending.json) as { readonly output: { readonly reward: number | null } }).output.reward;
}
