import type { ProviderCall, ProviderFormat } from '../../client/index.ts';
import type { JsonObject, ToolSpec, WireBlock } from '../../protocol/index.ts';
import type { TokenUsage } from '../../records/index.ts';

/** The API of a model provider: what is sent, and how its answer is read. The conversation stays in the provider's own form. */
export interface Wire {
  /** The name of this API in records. */
  readonly name: WireName;
  /** The form in which it takes tools, and gives calls. */
  readonly format: ProviderFormat;
  /** Below the base URL. */
  path(model: string): string;
  headers(key: string): Record<string, string>;
  /** The messages that a conversation begins with. */
  begin(prompt: readonly WireBlock[]): SentMessage[];
  /** The body of a request. */
  body(request: ModelRequest): JsonObject;
  /** Reads an answer; throws what it cannot be. */
  read(answer: JsonObject): ReadAnswer;
  /** The messages that answer a model's calls, in the order of the calls. */
  reply(replies: readonly ToolReply[]): SentMessage[];
}

/** The APIs that are spoken. */
export type WireName = 'openai-chat' | 'openai-responses' | 'anthropic' | 'google';

/** A message to the model, as its API takes it. */
export interface SentMessage {
  readonly role: 'user' | 'tool';
  readonly body: JsonObject;
}

/** One request to a model. */
export interface ModelRequest {
  readonly model: string;
  readonly system: string | undefined;
  readonly messages: readonly JsonObject[];
  readonly tools: readonly ToolSpec[];
  /** The most tokens of the answer; undefined leaves it to the provider. */
  readonly maxTokens: number | undefined;
  /** Whether this is the provider's own server: others lag behind in what they take. */
  readonly isOwnServer: boolean;
  /** Temperature and the like, as the API calls them. */
  readonly parameters: JsonObject;
}

/** What a model answered. */
export interface ReadAnswer {
  /** What becomes part of the conversation, verbatim: signatures of reasoning must survive. */
  readonly messages: readonly JsonObject[];
  readonly text: string;
  /** The calls, as the provider writes them. */
  readonly calls: readonly unknown[];
  readonly ending: Ending;
  /** Why it stopped, in the provider's words. */
  readonly stop: string;
  readonly usage: TokenUsage;
}

/** How an answer ended: whole, cut at a limit of tokens, declined, at the end of the context, or with a call that the provider could not read. */
export type Ending = 'whole' | 'cut' | 'refused' | 'context' | 'malformed';

/** A call of a model; one that makes no sense has a problem instead of an input. */
export type ModelToolCall =
  | (ProviderCall & { readonly problem?: undefined })
  | { readonly id: string | undefined; readonly name: string; readonly problem: string };

/** The answer to one call of a model. */
export interface ToolReply {
  readonly call: Pick<ModelToolCall, 'id' | 'name'>;
  readonly blocks: readonly WireBlock[];
  readonly isError: boolean;
}
