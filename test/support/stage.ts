import { environment, step } from 'tiltyard';
import { z } from 'zod';
import { Gate } from './gates.ts';
import { startServer, type TestOptions, type TestServer } from './http.ts';
import { type OpenCall, openCall } from './stream.ts';

/** The tools of a stage. `together` is concurrent, `finish` ends the episode, `throw` throws; all wait at their gate. */
export type StageTool = 'one' | 'other' | 'together' | 'finish' | 'throw';

/** A server where every call waits at a gate of its own, which has the tag of the call. */
export interface Stage {
  readonly server: TestServer;
  readonly sid: string;
  /** When each call began and ended: `one a`, `one a ends`. */
  readonly trace: readonly string[];
  gate(tag: string): Gate;
  /** Starts a call; it has been accepted when its id is there. */
  open(tool: StageTool, tag: string, more?: { sid?: string; taskId?: string }): OpenCall;
}

const tagged = z.object({ tag: z.string() });

/** Starts a stage with one session. */
export async function startStage(options: TestOptions = {}): Promise<Stage> {
  const gates = new Map<string, Gate>();
  const trace: string[] = [];
  const gate = (tag: string) => {
    const found = gates.get(tag) ?? new Gate();
    gates.set(tag, found);
    return found;
  };
  const perform = async (tool: StageTool, tag: string) => {
    trace.push(`${tool} ${tag}`);
    await gate(tag).pass();
    trace.push(`${tool} ${tag} ends`);
    return tag;
  };
  const env = environment({
    name: 'stage',
    splits: { train: [{}] },
    prompt: () => '',
    tools: {
      one: { input: tagged, run: ({ tag }) => perform('one', tag) },
      other: { input: tagged, run: ({ tag }) => perform('other', tag) },
      together: { concurrent: true, input: tagged, run: ({ tag }) => perform('together', tag) },
      finish: {
        input: tagged,
        run: async ({ tag }) => step(await perform('finish', tag), { reward: 1, finished: true }),
      },
      throw: {
        input: tagged,
        async run({ tag }) {
          throw new Error(await perform('throw', tag));
        },
      },
    },
  });
  const server = await startServer({ environments: [env], ...options });
  const sid = await server.create();
  const open: Stage['open'] = (tool, tag, more = {}) =>
    openCall(server, { sid, name: tool, input: { tag }, env: 'stage', ...more });
  return { server, sid, trace, gate, open };
}
