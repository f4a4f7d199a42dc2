import type { WireImageBlock } from '../../../protocol/index.ts';

/** How a terminal takes images among its text. */
export type InlineProtocol = 'kitty' | 'iterm2';

/** The protocol for images of the terminal that these environment variables tell of, or undefined. */
export function inlineProtocolOf(env: NodeJS.ProcessEnv): InlineProtocol | undefined {
  // A multiplexer stands in between, and swallows images or draws them in the wrong place.
  if (env.TMUX || env.STY) return undefined;
  if (env.TERM === 'xterm-kitty' || env.KITTY_WINDOW_ID) return 'kitty';
  if (env.TERM === 'xterm-ghostty' || env.TERM_PROGRAM === 'ghostty') return 'kitty';
  return env.TERM_PROGRAM === 'iTerm.app' || env.TERM_PROGRAM === 'WezTerm' ? 'iterm2' : undefined;
}

/** The bytes that make a terminal draw an image, or undefined if it cannot draw this kind. */
export function toInline({ data, mimeType }: WireImageBlock, protocol: InlineProtocol): string | undefined {
  // Decoded and encoded anew: what a server sends as base64 may hold an escape of its own.
  const image = Buffer.from(data, 'base64');
  if (image.length === 0) return undefined;
  if (protocol === 'iterm2') return `\x1b]1337;File=inline=1;size=${image.length}:${image.toString('base64')}\x07`;
  return mimeType === 'image/png' ? toKitty(image.toString('base64')) : undefined;
}

// As long as kitty takes them.
const PIECE = 4096;

function toKitty(base64: string): string {
  const pieces = base64.match(new RegExp(`.{1,${PIECE}}`, 'g')) ?? [];
  return pieces
    .map((piece, at) => {
      const more = at < pieces.length - 1 ? 1 : 0;
      // The first says what to do: draw a PNG (100), and answer nothing (q=2), which would look like typed keys.
      const keys = at === 0 ? `a=T,f=100,q=2,m=${more}` : `m=${more}`;
      return `\x1b_G${keys};${piece}\x1b\\`;
    })
    .join('');
}
