import { toProviderTools } from '../../client/index.ts';
import { textOf, type WireBlock } from '../../protocol/index.ts';
import { imagesOf, SEE_IMAGE } from '../models/reading.ts';
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
    messages.push(...ANSWERS[dialect](calls));
  }
  return messages;
}

const ANSWERS: Readonly<Record<ChatDialect, (calls: readonly TurnCall[]) => object[]>> = {
  huggingface: (calls) =>
    calls.map(({ id, tool, blocks }) => ({ role: 'tool', tool_call_id: id, name: tool, content: toContent(blocks) })),
  openai(calls) {
    const answers = calls.map(({ id, blocks }) => ({
      role: 'tool',
      tool_call_id: id,
      content: textOf(textsOf(blocks), '\n\n') || (imagesOf(blocks).length > 0 ? SEE_IMAGE : ''),
    }));
    // A tool's message can hold only text there, and all of them must follow the calls directly.
    const images = calls.flatMap(({ blocks }) => imagesOf(blocks));
    return images.length === 0 ? answers : [...answers, { role: 'user', content: toContent(images) }];
  },
};

function textsOf(blocks: readonly WireBlock[]): WireBlock[] {
  return blocks.filter(({ type }) => type === 'text');
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
