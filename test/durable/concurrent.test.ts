import { setTimeout as sleep } from 'node:timers/promises';
import { environment } from 'tiltyard';
import { describe, expect, test } from 'vitest';
import type { Environment } from '../../src/core/index.ts';
import { gate } from '../support/gate.ts';
import { Gate } from '../support/gates.ts';
import { hear, SESSION } from '../support/host.ts';
import { keepingHost, toldOf } from './stand.ts';

interface Purse {
  a: number;
  b: number;
}

interface Seeing {
  readonly state: Purse;
}

/** Its `transfer` stops halfway, its `look` reads and then stops, and its prompt as well, each until the test lets it. */
function bank(durability: 'replay' | 'snapshot') {
  const [halfway, looking] = [gate(), gate()];
  const reading = new Gate();
  const made: Environment = environment({
    name: 'bank',
    durability,
    splits: { train: [{ id: 1 }] },
    setup: (): Purse => ({ a: 100, b: 0 }),
    ...(durability === 'snapshot'
      ? { save: ({ state }: Seeing) => state, restore: ({ saved }: { saved: unknown }) => saved as Purse }
      : {}),
    prompt: async ({ state }: Seeing) => {
      const { a } = state;
      await reading.pass();
      return `You have ${a}.`;
    },
    tools: {
      transfer: {
        async run(_input: unknown, { state }: Seeing) {
          state.a -= 10;
          await halfway.opened;
          state.b += 10;
          return `${state.a} ${state.b}`;
        },
      },
      take: {
        run(_input: unknown, { state }: Seeing) {
          state.a -= 1;
          return String(state.a);
        },
      },
      look: {
        concurrent: true,
        async run(_input: unknown, { state }: Seeing) {
          const { a } = state;
          await looking.opened;
          return String(a);
        },
      },
      clock: { concurrent: true, run: () => 'noon' },
    },
    // Typed above, since only one of the two contracts has `save`.
  } as never);
  return { made, halfway, looking, reading };
}

async function begun(durability: 'replay' | 'snapshot') {
  const { made, ...gates } = bank(durability);
  const stand = await keepingHost([made]);
  await stand.create({ choice: { split: 'train', index: 0 } });
  return { ...stand, ...gates };
}

test('snapshot: a concurrent call that ends while another is halfway saves nothing of that', async () => {
  const { call, crash, host, halfway } = await begun('snapshot');
  await call('take');
  const transfer = hear(host, SESSION, { name: 'transfer', input: {}, taskId: 'mine' });
  expect(toldOf(await call('clock'))).toBe('noon');
  crash();
  halfway.open();
  await expect.poll(() => transfer.ending && toldOf(transfer.ending)).toBe('89 10');
});

describe('replay', () => {
  test('a concurrent call that read the state before another changed it is not run again', async () => {
    const { call, crash, host, looking } = await begun('replay');
    const look = hear(host, SESSION, { name: 'look', input: {}, taskId: 'mine' });
    expect(toldOf(await call('take'))).toBe('99');
    looking.open();
    await expect.poll(() => look.ending && toldOf(look.ending)).toBe('100');
    crash();
    expect(toldOf(await call('take'))).toBe('98');
  });

  test('a call that comes while a prompt shows the state runs after it, also when both are repeated', async () => {
    const { call, crash, host, reading } = await begun('replay');
    const prompt = host.prompt(SESSION);
    await reading.reached;
    const take = call('take', {}, 'mine');
    await Promise.race([take, sleep(50)]);
    reading.open();
    expect(await prompt).toMatchObject([{ text: 'You have 100.' }]);
    expect(toldOf(await take)).toBe('99');
    crash();
    expect(toldOf(await call('take'))).toBe('98');
  });

  test('a prompt waits for a call that runs, and later calls wait for the prompt', async () => {
    const { call, host, halfway, reading } = await begun('replay');
    reading.open();
    const transfer = call('transfer', {}, 'mine');
    const prompt = host.prompt(SESSION);
    const take = call('take');
    halfway.open();
    expect(toldOf(await transfer)).toBe('90 10');
    expect(await prompt).toMatchObject([{ text: 'You have 90.' }]);
    expect(toldOf(await take)).toBe('89');
  });
});
