import { fromProviderCall, ToolCallError } from '../../client/index.ts';
import { isObject, type JsonObject, type ToolSpec, type WireBlock } from '../../protocol/index.ts';
import type { TokenUsage } from '../../records/index.ts';
import type { Model } from '../models/model.ts';
import { ModelFailure } from '../models/model-failure.ts';
import type { ModelToolCall, ReadAnswer, SentMessage, ToolReply, Wire } from '../models/wire.ts';
import { Halt } from '../outcome/halt.ts';
import type { AttemptRecord } from './attempt-record.ts';
import type { Turns } from './turns.ts';

/** The model of a run, for one episode. */
export interface EpisodeModel {
  readonly name: string;
  /** Begins a conversation. Without arguments: with the episode's prompt and tools. */
  start(opening?: Opening): Conversation;
}

/** What a conversation begins with. */
export interface Opening {
  readonly prompt?: readonly WireBlock[] | undefined;
  readonly tools?: readonly ToolSpec[] | undefined;
}

/** A conversation with a model. */
export interface Conversation {
  /** Asks the model; first with the prompt, then with the answers to its calls, or with a text. */
  next(reply?: readonly ToolReply[] | string): Promise<ModelAnswer>;
}

/** What a model answered. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ModelToolCall[];
  readonly usage: TokenUsage;
}

/** What all conversations of an episode share. */
export interface MessageLog {
  /** The number of the last message in the record, whoever's it is. */
  last: number;
}

/** What a conversation needs of its episode. */
export interface ConversationContext {
  readonly model: Model;
  readonly record: Pick<AttemptRecord, 'append'>;
  readonly log: MessageLog;
  readonly signal: AbortSignal;
  readonly turns: Pick<Turns, 'take' | 'spend' | 'heldUp'>;
}

const MALFORMED = 'Your last tool call could not be read. Call a tool again, with arguments that match its schema.';

/** Talks to a model in its provider's own form, and writes down each message once. */
export class RecordedConversation implements Conversation {
  readonly #context: ConversationContext;
  readonly #wire: Wire;
  readonly #tools: readonly ToolSpec[];
  readonly #messages: JsonObject[] = [];
  /** The numbers of its messages in the record: a new range where another conversation came between. */
  readonly #ranges: [first: number, last: number][] = [];

  constructor(context: ConversationContext, { prompt = [], tools = [] }: Opening) {
    this.#context = context;
    this.#wire = context.model.address.wire;
    this.#tools = tools;
    this.#send(this.#wire.begin(prompt));
  }

  async next(reply: readonly ToolReply[] | string = []): Promise<ModelAnswer> {
    if (typeof reply === 'string') this.#send(this.#wire.begin([{ type: 'text', text: reply, detail: null }]));
    else if (reply.length > 0) this.#send(this.#wire.reply(reply));
    const answer = await this.#ask();
    if (answer.ending === 'malformed') return this.next(MALFORMED);
    if (answer.ending !== 'whole') throw toHalt(answer);
    const { text, calls, usage } = answer;
    return { text, usage, calls: calls.map((call) => toToolCall(call, this.#wire)) };
  }

  async #ask(): Promise<ReadAnswer> {
    const { model, record, signal, turns } = this.#context;
    const maxTokens = turns.take();
    const startedAt = performance.now();
    const onRetry = ({ message }: ModelFailure) => void record.append({ type: 'note', text: `repeated: ${message}` });
    const onHeldUp = (why: string) => {
      turns.heldUp = why;
    };
    const answer = await ask(() =>
      model.ask({ messages: this.#messages, tools: this.#tools, maxTokens }, { signal, onRetry, onHeldUp }),
    );
    turns.heldUp = undefined;
    turns.spend(answer.usage);
    const { parameters } = model.options;
    const { usage, stop, messages } = answer;
    const made = {
      name: model.address.name,
      context: this.#ranges.map(([first, last]) => [first, last] as const),
      ms: Math.round(performance.now() - startedAt),
      ...(parameters === undefined ? {} : { parameters }),
      usage,
      stop,
    };
    // Of an answer in several messages the first one tells of the request.
    for (const [index, body] of messages.entries())
      this.#add(
        body,
        record.append({
          type: 'message',
          role: 'assistant',
          format: this.#wire.name,
          body,
          ...(index === 0 ? { model: made } : {}),
        }),
      );
    return answer;
  }

  #send(messages: readonly SentMessage[]): void {
    const { record } = this.#context;
    for (const { role, body } of messages)
      this.#add(body, record.append({ type: 'message', role, format: this.#wire.name, body }));
  }

  #add(body: JsonObject, number: number): void {
    this.#messages.push(body);
    const { log } = this.#context;
    const range = this.#ranges.at(-1);
    if (range !== undefined && range[1] === log.last) range[1] = number;
    else this.#ranges.push([number, number]);
    log.last = number;
  }
}

async function ask(send: () => Promise<ReadAnswer>): Promise<ReadAnswer> {
  try {
    return await send();
  } catch (thrown) {
    throw thrown instanceof ModelFailure ? new Halt(thrown.stop, thrown.message, { cause: thrown }) : thrown;
  }
}

function toHalt({ ending, stop }: ReadAnswer): Halt {
  if (ending === 'cut') return new Halt('max_tokens', `the model's answer was cut at the limit of tokens (${stop})`);
  if (ending === 'context') return new Halt('context', `the conversation is longer than the model's context (${stop})`);
  return new Halt('refused', `the model declined to answer (${stop})`);
}

/** A call as it can be run; one that makes no sense, with what the model should read. */
function toToolCall(call: unknown, { format }: Wire): ModelToolCall {
  try {
    return fromProviderCall(call, format);
  } catch (thrown) {
    if (!(thrown instanceof ToolCallError)) throw thrown;
    return { ...toNames(call), problem: thrown.message };
  }
}

// As far as it can be told: the answer must name the call that it is for.
function toNames(call: unknown): { id: string | undefined; name: string } {
  const outer = isObject(call) ? call : {};
  const inner = [outer.function, outer.functionCall].find((each) => isObject(each)) ?? outer;
  const id = [outer.call_id, outer.id, inner.id].find((each) => typeof each === 'string');
  return { id: typeof id === 'string' ? id : undefined, name: typeof inner.name === 'string' ? inner.name : '' };
}
