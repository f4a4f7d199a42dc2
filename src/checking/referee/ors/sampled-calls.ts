import { isObject, type JsonObject, SESSION_HEADER, type ToolSpec } from '../../../protocol/index.ts';
import type { ForeignSchemas } from '../../foreign/foreign-schemas.ts';
import { parsed } from '../json.ts';
import { need } from '../probe.ts';
import type { Answer, Exchange, Recorder } from '../recorder.ts';
import { toolsIn } from './answers.ts';
import { dataOf, type EventStream, isEventStream, resultText, toEventStream } from './event-stream.ts';
import type { Sessions } from './open-sessions.ts';

/** What to call. */
export interface CallRequest {
  readonly name: string;
  readonly input: unknown;
  readonly task_id?: unknown;
}

/** A call with what came of it. */
export interface CallRecord {
  readonly sid: string;
  readonly request: CallRequest;
  readonly answer: Answer;
  readonly stream: EventStream;
  /** The envelope, if a whole one came. */
  readonly result: JsonObject | undefined;
  readonly taskId: string | undefined;
  /** The `error` event's data. */
  readonly error: string | undefined;
  /** Whether the stream went on after its last event. */
  readonly isOpenEnded: boolean;
  readonly exchange: Exchange;
}

/** How calls are made. */
export interface CallsOptions {
  readonly sessions: Sessions;
  readonly schemas: ForeignSchemas;
  readonly base: string;
  readonly timeoutMs: number;
}

/** More about one call. */
export interface CallMore {
  readonly sid?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly watch?: (received: string) => 'cut' | undefined;
}

const MAX_TOOLS = 24;
const MAX_LONG_CALLS = 4;
// Tools do real work, so they get longer than other requests.
const CALL_TIMEOUT_FACTOR = 3;
// How long a stream may stay open after its last event.
const END_MS = 1_000;

/** Calls of the environment's tools with inputs made from their schemas; each is made once, for all probes. */
export class Calls {
  readonly #options: CallsOptions;
  #tools: Promise<ToolSpec[]> | undefined;
  #samples: Promise<CallRecord[]> | undefined;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** The tools of an episode. */
  tools(http: Recorder): Promise<ToolSpec[]> {
    this.#tools ??= this.#listTools(http);
    return this.#tools;
  }

  /** A call of each tool with a small input, and of some with a long one. */
  samples(http: Recorder): Promise<CallRecord[]> {
    this.#samples ??= this.#sample(http);
    return this.#samples;
  }

  /** Looks at every stream among the samples; the call that fails the look is shown with the finding. */
  async each(http: Recorder, look: (call: CallRecord) => void): Promise<void> {
    const streams = (await this.samples(http)).filter(({ answer }) => answer.status === 200);
    need(streams.length > 0, 'no tool could be called with an input made from its schema');
    for (const call of streams) {
      try {
        look(call);
      } catch (thrown) {
        http.exchanges.push(call.exchange);
        throw thrown;
      }
    }
  }

  /** A call that gave a result, to be made again: the quickest to repeat is one that does not end the episode. */
  async good(http: Recorder): Promise<CallRequest> {
    const good = (await this.samples(http)).filter(({ result }) => result?.ok === true);
    const found = good.find(({ result }) => !isFinishing(result)) ?? good[0];
    need(found !== undefined, 'no tool gave a result for an input made from its schema');
    return found.request;
  }

  /** Calls a tool, in the shared session unless another is named. */
  async make(http: Recorder, request: CallRequest, { sid: given, headers, watch }: CallMore = {}): Promise<CallRecord> {
    const { sessions, base, timeoutMs } = this.#options;
    const sid = given ?? (await sessions.standing(http));
    const ending = new Ending();
    const asked = http.ask({
      method: 'POST',
      path: `${base}/call`,
      headers: { accept: 'text/event-stream', ...headers, [SESSION_HEADER]: sid },
      body: request,
      timeoutMs: timeoutMs * CALL_TIMEOUT_FACTOR,
      signal: ending.signal,
      watch(received) {
        ending.look(received);
        return watch?.(received);
      },
    });
    let isOpenEnded = false;
    const answer = await asked.catch((thrown) => {
      const { answer: partial } = http.exchanges.at(-1) ?? {};
      // A stream that has said everything and goes on is a finding of its own, not the lack of an answer.
      if (partial === undefined || !ending.hasCome) throw thrown;
      isOpenEnded = true;
      return partial;
    });
    ending.stop();
    const record = toRecord({ sid, request, answer, isOpenEnded, exchange: http.exchanges.at(-1) as Exchange });
    if (given === undefined && (isFinishing(record.result) || record.error !== undefined)) sessions.retire();
    return record;
  }

  async #listTools(http: Recorder): Promise<ToolSpec[]> {
    const sid = await this.#options.sessions.standing(http);
    const path = `${this.#options.base}/task_tools`;
    return toolsIn(parsed((await http.ask({ method: 'GET', path, headers: { [SESSION_HEADER]: sid } })).text));
  }

  async #sample(http: Recorder): Promise<CallRecord[]> {
    const { schemas } = this.#options;
    const tools = (await this.tools(http)).slice(0, MAX_TOOLS);
    const requests = [
      ...tools.map(({ name, input_schema }) => ({ name, input: schemas.input(input_schema) })),
      ...tools
        .map(({ name, input_schema }) => ({ name, input: schemas.longInput(input_schema) }))
        .filter(({ input }) => input !== undefined)
        .slice(0, MAX_LONG_CALLS),
    ].filter(({ input }) => input !== undefined);
    const records: CallRecord[] = [];
    for (const request of requests) {
      // A tool that takes too long, or a connection that breaks, says nothing about the rest.
      const [made] = await Promise.allSettled([this.make(http, request)]);
      if (made.status === 'fulfilled') records.push(made.value);
      else this.#options.sessions.retire();
    }
    return records;
  }
}

/** Waits a moment for the end of a stream that has said everything. */
class Ending {
  hasCome = false;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  /** How much has been looked at, and how many lines of an event that is the last have been there: none without its name. */
  #lookedAt = 0;
  #linesOfLast = 0;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  look(received: string): void {
    // Each line once: to look at all that has come with every packet would take a hostile stream for ever.
    for (let end = received.indexOf('\n', this.#lookedAt); end >= 0 && !this.hasCome; ) {
      this.#take(received.slice(this.#lookedAt, end).replace(/\r$/, ''));
      this.#lookedAt = end + 1;
      end = received.indexOf('\n', this.#lookedAt);
    }
  }

  #take(line: string): void {
    if (line === '') {
      if (this.#linesOfLast > 1) this.#come();
      this.#linesOfLast = 0;
    } else if (this.#linesOfLast > 0 || /^event: ?(?:end|error)$/.test(line)) this.#linesOfLast += 1;
  }

  #come(): void {
    this.hasCome = true;
    this.#timer = setTimeout(() => this.#controller.abort(), END_MS);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

/** Whether a result ended its episode. */
export function isFinishing(result: JsonObject | undefined): boolean {
  return isObject(result?.output) && result.output.finished === true;
}

function toRecord(made: Pick<CallRecord, 'sid' | 'request' | 'answer' | 'isOpenEnded' | 'exchange'>): CallRecord {
  const stream = toEventStream(isEventStream(made.answer) ? made.answer.text : '');
  const result = parsed(resultText(stream) ?? '');
  return {
    ...made,
    stream,
    result: isObject(result) ? result : undefined,
    taskId: dataOf(stream, 'task_id'),
    error: dataOf(stream, 'error'),
  };
}
