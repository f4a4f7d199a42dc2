import type { CalledTool } from '../../mcp/index.ts';
import type { JsonObject, WireBlock } from '../../protocol/index.ts';
import { printBlocks } from '../shared/blocks.ts';
import { unknownName } from '../shared/explain.ts';
import { misuse } from '../shared/failure.ts';
import { openGallery } from '../shared/images/gallery.ts';
import { withMcp } from '../shared/mcp-target.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import { adviceOnSecrets } from '../shared/secrets.ts';
import { processTerminal } from '../shared/terminal.ts';
import { waitFor } from '../shared/waiting.ts';
import { CallFailure, failureText } from './call-failure.ts';
import type { ReadInput } from './input.ts';
import type { CallOptions } from './options.ts';

/** Calls a tool at an address of MCP. */
export async function callAtMcp(
  url: string,
  { tool, readFor }: { readonly tool: string; readonly readFor: ReadInput },
  options: CallOptions,
): Promise<void> {
  const { json = false, images, secret, input: _given, ...others } = options;
  if (Object.keys(others).length > 0)
    throw misuse(
      'an address of MCP says by itself which episode it means: only --input, --secret, --images and --json apply to it',
    );
  const terminal = processTerminal();
  await withMcp(url, secret, async ({ connection, signal }) => {
    const tools = await connection.tools();
    const found = tools.find(({ name }) => name === tool);
    if (found === undefined)
      throw unknownName(
        'tool',
        tool,
        tools.map(({ name }) => name),
      );
    const input = await readFor(async () => found.inputSchema);
    const called = await waitFor(`waiting for ${toSafeText(tool)}`, connection.call(tool, input, signal));
    if (called.isError) throw toFailure(called);
    if (json) return terminal.printJson(called);
    await printBlocks(called.content.map(toBlock), { terminal, gallery: openGallery(images), label: 'call' });
    for (const [name, value] of Object.entries(called.meta))
      if (name.startsWith('tiltyard/'))
        terminal.print(toSafeText(`${name.slice('tiltyard/'.length)}  ${toSafeJson(value)}`));
  });
}

function toFailure({ content }: CalledTool): CallFailure {
  const told = content.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
  const message = adviceOnSecrets(told) ?? told;
  return new CallFailure(toSafeText(failureText(message, 'tool_error')), { message, reason: 'tool_error' });
}

/** What a terminal shows of any content: text, images, and the JSON of the rest. */
function toBlock(content: JsonObject): WireBlock {
  const { type, text, data, mimeType } = content;
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string')
    return { type, data, mimeType, detail: null };
  return { type: 'text', text: typeof text === 'string' ? text : JSON.stringify(content), detail: null };
}
