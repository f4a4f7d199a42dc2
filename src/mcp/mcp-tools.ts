import { createHash } from 'node:crypto';
import {
  type Awaitable,
  type Block,
  DefinitionError,
  image,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolReturn,
  text,
  toCanonical,
} from '../core/index.ts';
import type { JsonObject, JsonValue } from '../protocol/index.ts';
import { type CalledTool, type ListedTool, type McpAddress, type McpConnection, openMcp } from './connection.ts';

/** Which tools of which server. */
export type McpToolsOptions = McpAddress & {
  /** The tools that are taken, by name. Default: all. */
  readonly include?: readonly string[];
  /** What `hash` was when the environment was written: a server whose tools have changed since is refused. */
  readonly hash?: string;
};

/** Tools of a server of MCP, for an environment. */
export interface McpTools {
  /** The names of the tools. */
  readonly names: readonly string[];
  /** Tells whether names, descriptions and schemas are still the same. */
  readonly hash: string;
  /** Connects for one episode, in `setup`; rejects if the tools have changed. Close it in `teardown`. */
  open(options?: { readonly signal?: AbortSignal }): Promise<McpEpisodeTools>;
  /** The tools, to be spread into `tools` of an environment. */
  tools(use: McpToolsUse): Record<string, Tool>;
}

/** The connection of one episode. */
export interface McpEpisodeTools extends AsyncDisposable {
  close(): Promise<void>;
  /** Calls a tool of the server: also for tools of your own that need it. */
  call(name: string, input: JsonObject, signal?: AbortSignal): Promise<McpToolResult>;
}

/** What a tool gave. */
export interface McpToolResult {
  readonly tool: string;
  readonly input: JsonObject;
  readonly blocks: readonly Block[];
  /** The text of it. */
  readonly text: string;
  /** The value that fits the tool's output schema, if it has one. */
  readonly structured: unknown;
}

/** How an environment uses the tools. */
export interface McpToolsUse {
  /** Where the connection of an episode is: most often `({ state }) => state.mail`. */
  connection(context: McpToolContext): McpEpisodeTools;
  /** Makes something else of a result, such as a step with a reward. Default: its blocks. */
  returns?(result: McpToolResult, context: McpToolContext): Awaitable<ToolReturn>;
}

/** What a tool of an environment sees; the state and the task are the author's own. */
export type McpToolContext = ToolContext & { readonly state: any; readonly task: any };

/** Takes tools of a server of MCP over into environments: lists them now, and connects once for each episode. */
export async function mcpTools({ include, hash: pinned, ...address }: McpToolsOptions): Promise<McpTools> {
  const where = 'url' in address ? address.url : address.command;
  await using first = await openMcp(address as McpAddress);
  const listed = pick(await first.tools(), include, where);
  const hash = hashOf(listed);
  if (pinned !== undefined && pinned !== hash)
    throw new DefinitionError(
      `the tools of ${where} have changed: their hash is '${hash}', and not '${pinned}'. Look at what they do now, and change the hash`,
    );
  return {
    names: listed.map(({ name }) => name),
    hash,
    async open({ signal } = {}) {
      const connection = await openMcp(address as McpAddress, signal);
      try {
        const now = hashOf(pick(await connection.tools(signal), include, where));
        if (now !== hash) throw new Error(`the tools of ${where} have changed since this environment was loaded`);
        return toEpisodeTools(connection);
      } catch (thrown) {
        await connection.close();
        throw thrown;
      }
    },
    tools: (use) => Object.fromEntries(listed.map((tool) => [tool.name, toTool(tool, use)])),
  };
}

function pick(listed: readonly ListedTool[], include: readonly string[] | undefined, where: string): ListedTool[] {
  const missing = include?.filter((name) => !listed.some((tool) => tool.name === name)) ?? [];
  if (missing.length > 0)
    throw new DefinitionError(
      `${where} has no tool ${missing.join(', ')} (it has ${listed.map(({ name }) => name).join(', ')})`,
    );
  return listed.filter(({ name }) => include?.includes(name) ?? true);
}

/** By names, so that a server may list them in another order. */
function hashOf(tools: readonly ListedTool[]): string {
  const known = tools
    .map(({ name, description, inputSchema, outputSchema = null }) => ({
      name,
      description,
      inputSchema,
      outputSchema,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return createHash('sha256')
    .update(toCanonical(known as JsonValue))
    .digest('base64url');
}

function toTool({ name, description, inputSchema, annotations }: ListedTool, use: McpToolsUse): Tool {
  return {
    description,
    input: inputSchema,
    // What it does out there is not undone, and must not be done twice.
    effects: 'external',
    ...(annotations === undefined ? {} : { annotations: pickAnnotations(annotations) }),
    async run(input, context) {
      const known = context as McpToolContext;
      const result = await use.connection(known).call(name, input as JsonObject, context.signal);
      return use.returns?.(result, known) ?? [...result.blocks];
    },
  };
}

function toEpisodeTools(connection: McpConnection): McpEpisodeTools {
  const close = () => connection.close();
  return {
    close,
    async call(tool, input, signal) {
      const called = await connection.call(tool, input, signal);
      const blocks = toBlocks(called);
      const said = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      if (called.isError) throw new ToolError(said === '' ? 'the tool failed' : said);
      return { tool, input, blocks, text: said, structured: called.structuredContent };
    },
    [Symbol.asyncDispose]: close,
  };
}

/** What a model can read of a result; anything but text and images as JSON. */
function toBlocks({ content, structuredContent }: CalledTool): Block[] {
  if (content.length === 0 && structuredContent !== undefined) return [text(JSON.stringify(structuredContent))];
  return content.map((part) => {
    const { type, text: said, data, mimeType } = part;
    if (type === 'text' && typeof said === 'string') return text(said);
    if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
      return image(Buffer.from(data, 'base64'), mimeType);
    return text(JSON.stringify(part));
  });
}

const HINTS = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const;

/** Those that we know, since a server may say more. */
function pickAnnotations(annotations: NonNullable<ListedTool['annotations']>): NonNullable<ListedTool['annotations']> {
  return Object.fromEntries(
    HINTS.flatMap((name) => (annotations[name] === undefined ? [] : [[name, annotations[name]]])),
  );
}
