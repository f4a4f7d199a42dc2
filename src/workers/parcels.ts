import type { Order, Report } from './messages.ts';

// Of a longer text, quoting it costs more than the channel's own form does.
const MOST_CHARACTERS = 16 * 1024;

/** Messages as the channel takes them: of short runs of tools, which are most of them, as JSON, in half the time of its own form. */
export function pack(messages: readonly (Order | Report)[]): string | readonly (Order | Report)[] {
  return messages.every(isShortRun) ? JSON.stringify(messages) : messages;
}

/** The messages in what the channel has brought; undefined for what is none of ours: authors' code can send something as well. */
export function unpack<Message>(sent: unknown): Message[] | undefined {
  const messages: unknown = typeof sent === 'string' ? parse(sent) : sent;
  return Array.isArray(messages) ? messages : undefined;
}

function isShortRun(message: Order | Report): boolean {
  if (message.kind !== 'run') return false;
  if ('request' in message) return (message.request.bytes ?? Number.POSITIVE_INFINITY) < MOST_CHARACTERS;
  const { ending } = message;
  if (ending === undefined) return true;
  return ending.kind === 'returned' && ending.json.length + (ending.saved?.length ?? 0) < MOST_CHARACTERS;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
