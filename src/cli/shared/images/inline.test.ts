import { expect, test } from 'vitest';
import { inlineProtocolOf, toInline } from './inline.ts';

test.each<[env: NodeJS.ProcessEnv, protocol: string | undefined]>([
  [{ TERM: 'xterm-kitty' }, 'kitty'],
  [{ TERM: 'xterm-256color', KITTY_WINDOW_ID: '1' }, 'kitty'],
  [{ TERM_PROGRAM: 'ghostty' }, 'kitty'],
  [{ TERM_PROGRAM: 'iTerm.app' }, 'iterm2'],
  [{ TERM_PROGRAM: 'WezTerm' }, 'iterm2'],
  [{ TERM: 'xterm-256color' }, undefined],
  [{ TERM: 'xterm-kitty', TMUX: '/tmp/tmux' }, undefined],
])('a terminal with %j takes images by %s', (env, protocol) => {
  expect(inlineProtocolOf(env)).toBe(protocol);
});

const block = (data: string, mimeType = 'image/png') => ({ type: 'image', data, mimeType, detail: null }) as const;

test('a large image goes to kitty in pieces, of which only the last says that it is the last', () => {
  const pieces = toInline(block(Buffer.alloc(7_000, 'x').toString('base64')), 'kitty')?.split('\x1b\\') ?? [];
  expect(pieces.map((piece) => piece.slice(0, piece.indexOf(';')))).toEqual([
    '\x1b_Ga=T,f=100,q=2,m=1',
    '\x1b_Gm=1',
    '\x1b_Gm=0',
    '',
  ]);
});

test('what is not base64 cannot carry an escape into the terminal', () => {
  expect(toInline(block('aGk=\x1b]0;owned\x07'), 'iterm2')).toBe('\x1b]1337;File=inline=1;size=2:aGk=\x07');
});

test('kitty draws PNG only; the rest is for files', () => {
  expect(toInline(block('aGk=', 'image/jpeg'), 'kitty')).toBeUndefined();
});
