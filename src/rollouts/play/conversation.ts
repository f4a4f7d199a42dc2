import { fromProviderCall, ToolCallError } from '../../client/index.ts';
import { isObject, type JsonObject, type ToolSpec, type WireBlock } from '../../protocol/index.ts';
import type { TokenUsage } from '../../records/index.ts';
import type { Model } from '../models/model.ts';
import { ModelFailure } from '../models/model-failure.ts';
import type { ModelToolCall, ReadAnswer, SentMessage, ToolReply, Wire } from '../models/wire.ts';
import { Halt } from '../outcome/halt.ts';
import type { AttemptRecord } from './attempt-record.ts';

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

/** What a conversation needs of its episode. */
export interface ConversationContext {
  readonly model: Model;
  readonly record: Pick<AttemptRecord, 'append'>;
  readonly signal: AbortSignal;
  /** Before each request: throws when there must be none; returns how many tokens the answer may have. */
  readonly takeTurn: () => number | undefined;
  /** After each answer. */
  readonly onUsage: (usage: TokenUsage) => void;
}

const MALFORMED = 'Your last tool call could not be read. Call a tool again, with arguments that match its schema.';

/** Talks to a model in its provider's own form, and writes down each message once. */
export class RecordedConversation implements Conversation {
  readonly #context: ConversationContext;
  readonly #wire: Wire;
  readonly #tools: readonly ToolSpec[];
  readonly #messages: JsonObject[] = [];
  /** The numbers of the first and the last message in the record. */
  #range: [first: number, last: number] | undefined;

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
    const { model, record, signal, takeTurn, onUsage } = this.#context;
    const maxTokens = takeTurn();
    const startedAt = performance.now();
    const onRetry = ({ message }: ModelFailure) => void record.append({ type: 'note', text: `repeated: ${message}` });
    const answer = await ask(() =>
      model.ask({ messages: this.#messages, tools: this.#tools, maxTokens }, { signal, onRetry }),
    );
    onUsage(answer.usage);
    const { parameters } = model.options;
    const { usage, stop, messages } = answer;
    const made = {
      name: model.address.name,
      context: this.#range === undefined ? [] : [[...this.#range] as [number, number]],
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
    this.#range = [this.#range?.[0] ?? number, number];
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
