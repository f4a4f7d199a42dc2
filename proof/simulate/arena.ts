import { z } from 'zod';
import { type Catalog, catalog, type Durability, type Environment, environment, step } from '../../src/core/index.ts';
import type { Attempt } from './findings.ts';
import type { Life } from './life.ts';
import type { Timeline } from './timeline.ts';

/** Something that the author's code did. */
export interface Deed {
  readonly what: 'setup' | 'teardown' | 'pay';
  readonly episode: string;
  readonly life: Life;
  /** Which call, of which episode: ids may be used again after their session was deleted. */
  readonly call?: string;
}

interface State {
  total: number;
  readonly episode: string;
}

interface Context {
  readonly state: State;
  readonly callId: string;
  readonly attempt: number;
  readonly seed: number;
}

const Task = z.object({ episode: z.string() });
// As long as a message takes, and longer: meanwhile an episode may leave the node, or come back to it.
const SETUP_MS = 100;
const TEARDOWN_MS = 25;

const amount = z.object({ n: z.number(), ms: z.number() });

/** The code of the author: counts, and writes down what must not happen twice. */
export class Arena {
  readonly catalog: Catalog;
  /** What happened since this was emptied. */
  deeds: Deed[] = [];
  /** Where it happens. */
  timeline: Timeline | undefined;
  /** Hears of each run of an idempotent tool in an episode that is kept. */
  onCharge: (episode: string, run: Attempt) => void = () => {};

  constructor() {
    const contracts: readonly Durability[] = ['replay', 'snapshot', 'none'];
    this.catalog = catalog(contracts.map((contract) => this.#environment(contract)));
  }

  #environment(durability: Durability): Environment {
    const enter = async ({ episode }: z.infer<typeof Task>, total: number): Promise<State> => {
      this.#note({ what: 'setup', episode });
      await new Promise((resolve) => setTimeout(resolve, SETUP_MS));
      return { total, episode };
    };
    const add = async ({ n, ms }: z.infer<typeof amount>, { state }: Context) => {
      if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
      state.total += n;
      return step(`${state.total}`, { reward: n });
    };
    return environment({
      name: durability,
      durability,
      task: Task,
      splits: { train: [] },
      setup: ({ task }: { task: z.infer<typeof Task> }) => enter(task, 0),
      prompt: ({ state }: { state: State }) => `play ${state.episode}`,
      teardown: async ({ task }: { task: z.infer<typeof Task> }) => {
        await new Promise((resolve) => setTimeout(resolve, TEARDOWN_MS));
        this.#note({ what: 'teardown', episode: task.episode });
      },
      ...(durability === 'snapshot' && {
        save: ({ state }: { state: State }) => state.total,
        restore: ({ saved, task }: { saved: number; task: z.infer<typeof Task> }) => enter(task, saved),
      }),
      tools: {
        add: { input: amount, run: add },
        charge: {
          input: amount,
          effects: 'idempotent',
          run: (input: z.infer<typeof amount>, context: Context) => {
            const { state, callId: id, attempt } = context;
            if (durability !== 'none') this.onCharge(state.episode, { id, attempt });
            return add(input, context);
          },
        },
        pay: {
          input: amount,
          effects: 'external',
          run: async ({ ms }: z.infer<typeof amount>, { state, callId, seed }: Context) => {
            this.#note({ what: 'pay', episode: state.episode, call: `${callId} with seed ${seed}` });
            if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
            return step('paid');
          },
        },
      },
    } as never);
  }

  #note(deed: Omit<Deed, 'life'>): void {
    const life = this.timeline?.current;
    if (life !== undefined) this.deeds.push({ ...deed, life });
  }
}
