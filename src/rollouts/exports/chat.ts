import { toProviderTools } from '../../client/index.ts';
import { textOf, type WireBlock } from '../../protocol/index.ts';
import type { Trajectory, TurnCall } from './trajectory.ts';

/** How arguments of calls are written: as OpenAI has them, or as Hugging Face's templates want them. */
export type ChatDialect = 'openai' | 'huggingface';

/** An episode as one line of a chat dataset. */
export function toChatLine(trajectory: Trajectory, dialect: ChatDialect): object {
  const { line, tools } = trajectory;
  const { episode, split, index, repeat, reward } = line;
  const chat = { messages: toMessages(trajectory, dialect), tools: toProviderTools(tools, 'openai-chat') };
  // OpenAI refuses lines with any further key.
  return dialect === 'openai' ? chat : { ...chat, episode, split, index, repeat, reward };
}

/** The messages of an episode. */
export function toMessages({ prompt, turns }: Trajectory, dialect: ChatDialect): object[] {
  const messages: object[] = [{ role: 'user', content: toContent(prompt) }];
  for (const { text, calls } of turns) {
    const made = calls.map((call) => toCall(call, dialect));
    messages.push({ role: 'assistant', content: text, ...(made.length === 0 ? {} : { tool_calls: made }) });
    for (const { id, tool, blocks } of calls)
      messages.push({
        role: 'tool',
        tool_call_id: id,
        ...(dialect === 'openai' ? {} : { name: tool }),
        content: toContent(blocks),
      });
  }
  return messages;
}

function toCall({ id, tool, input }: TurnCall, dialect: ChatDialect): object {
  const args = dialect === 'openai' ? JSON.stringify(input) : input;
  return { id, type: 'function', function: { name: tool, arguments: args } };
}

function toContent(blocks: readonly WireBlock[]): string | object[] {
  if (blocks.every(({ type }) => type === 'text')) return textOf(blocks, '\n\n');
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } },
  );
}
