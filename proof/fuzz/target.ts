// What the fuzzer is let loose on, in a process of its own: an environment and a toolkit that never fail by themselves.
import { environment, tool, toolkit } from 'tiltyard';
import { createServer } from 'tiltyard/server';
import { z } from 'zod';
import { announce } from '../../bench/servers/announce.ts';

// Refers to itself, and has lists: what is wrong in the middle of it could be told in very many ways.
type Tree = { kind: 'leaf'; value: number } | { kind: 'node'; left: Tree; right: Tree };
const tree: z.ZodType<Tree> = z.lazy(() =>
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('leaf'), value: z.number() }),
    z.object({ kind: z.literal('node'), left: tree, right: tree }),
  ]),
);

const echo = environment({
  name: 'echo',
  splits: { train: [{ n: 1 }, { n: 2 }, { n: 3 }] },
  prompt: () => 'Say something.',
  tools: {
    echo: {
      description: 'Returns what it gets.',
      input: z.object({ text: z.string(), times: z.int().min(1).max(3).default(1) }),
      run: ({ text, times }) => text.repeat(times),
    },
    grow: {
      description: 'Takes a tree.',
      input: z.object({ tree }),
      run: () => 'a tree',
    },
    visit: {
      description: 'Takes addresses.',
      input: z.object({ urls: z.array(z.url()) }),
      run: ({ urls }) => `${urls.length} addresses`,
    },
    polluted: {
      description: 'What the prototype of all objects has that it should not.',
      run: () => JSON.stringify(Object.keys(Object.prototype)),
    },
  },
});

const kit = toolkit({
  name: 'Echo',
  tools: { Say: tool({ version: '1.0.0', input: z.object({ text: z.string() }), run: ({ text }) => text }) },
});

const server = await createServer({
  environments: [echo],
  toolkits: [kit],
  logger: { level: 'error' },
  limits: { requestMs: 5_000, idleMs: 2_000, lingerMs: 1_000, tombstoneMs: 1_000, maxTombstones: 1_000 },
});
announce(Number(new URL(await server.listen()).port));
