import { type Environment, environment, step } from 'tiltyard';
import { z } from 'zod';
import { pause } from './fixture.ts';

/** An environment that counts how often each call of a client has run. */
export interface Counted {
  readonly environments: [Environment];
  /** How often the call with this key has run. */
  runs(key: string): number;
  readonly setups: number;
  readonly teardowns: number;
}

const keyed = { key: z.string() };

/** A new environment `counted`, with tools for small, large and slow results. */
export function counted(): Counted {
  const runs = new Map<string, number>();
  let setups = 0;
  let teardowns = 0;
  const ran = (key: string) => void runs.set(key, (runs.get(key) ?? 0) + 1);
  const env = environment({
    name: 'counted',
    splits: { train: [{ id: 0 }] },
    setup() {
      setups += 1;
    },
    prompt: () => 'Count.',
    tools: {
      small: {
        concurrent: true,
        input: z.object(keyed),
        run({ key }) {
          ran(key);
          return step(`ran ${key}`, { reward: 0.5 });
        },
      },
      large: {
        concurrent: true,
        input: z.object({ ...keyed, size: z.number() }),
        maxOutputBytes: 64 * 1024 * 1024,
        run({ key, size }) {
          ran(key);
          return largeText(key, size);
        },
      },
      slow: {
        concurrent: true,
        input: z.object({ ...keyed, ms: z.number() }),
        async run({ key, ms }) {
          ran(key);
          await pause(ms);
          return `waited for ${key}`;
        },
      },
    },
    teardown() {
      teardowns += 1;
    },
  });
  return {
    environments: [env],
    runs: (key) => runs.get(key) ?? 0,
    get setups() {
      return setups;
    },
    get teardowns() {
      return teardowns;
    },
  };
}

/** What `large` returns: text whose every part is different, so that a part lost or doubled shows, in many scripts. */
export function largeText(key: string, size: number): string {
  let text = key;
  for (let count = 0; text.length < size; count += 1) text += `  ${count} é 漢字 😀\n`;
  return text;
}
