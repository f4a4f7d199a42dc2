import type { ToolSpec } from '../../protocol/index.ts';
import type { CallOptions } from '../deadline.ts';
import { type AnthropicTool, toAnthropicTool } from './anthropic.ts';
import { fromAnthropicCall, fromChatCall, fromGoogleCall, fromOpenAICall, type ProviderCall } from './calls.ts';
import { type GoogleTool, toGoogleTool } from './google.ts';
import { type ChatTool, type OpenAITool, toChatTool, toOpenAITool } from './openai.ts';

export type { ProviderCall } from './calls.ts';

interface Tools {
  openai: OpenAITool;
  'openai-chat': ChatTool;
  anthropic: AnthropicTool;
  google: GoogleTool;
  openrouter: ChatTool;
}

/** The formats of model providers: `openai` is the Responses API, `openai-chat` Chat Completions. */
export type ProviderFormat = keyof Tools;

/** The tools as a provider's API takes them; for Google, what goes into `functionDeclarations`. */
export type ProviderTools<Format extends ProviderFormat> = Tools[Format][];

/** How tools are asked for. */
export interface ToolsOptions<Format extends ProviderFormat | undefined> extends CallOptions {
  /** The model provider's; without one, tools are as the server lists them. */
  readonly format: Format;
}

const TO_TOOL: { readonly [Format in ProviderFormat]: (spec: ToolSpec) => Tools[Format] } = {
  openai: toOpenAITool,
  'openai-chat': toChatTool,
  anthropic: toAnthropicTool,
  google: toGoogleTool,
  openrouter: toChatTool,
};

const FROM_CALL: Readonly<Record<ProviderFormat, (call: unknown) => ProviderCall>> = {
  openai: fromOpenAICall,
  'openai-chat': fromChatCall,
  anthropic: fromAnthropicCall,
  google: fromGoogleCall,
  openrouter: fromChatCall,
};

/** Tools of an environment in the format of a model provider. */
export function toProviderTools<Format extends ProviderFormat>(
  tools: readonly ToolSpec[],
  format: Format,
): ProviderTools<Format> {
  assertFormat(format);
  return tools.map((tool) => TO_TOOL[format](tool));
}

/** One tool call out of a model's answer; a call that makes no sense is a ToolCallError, to be told to the model. */
export function fromProviderCall(call: unknown, format: ProviderFormat): ProviderCall {
  assertFormat(format);
  return FROM_CALL[format](call);
}

function assertFormat(format: string): asserts format is ProviderFormat {
  if (Object.hasOwn(TO_TOOL, format)) return;
  throw new TypeError(`unknown provider format '${format}' (available: ${Object.keys(TO_TOOL).join(', ')})`);
}
