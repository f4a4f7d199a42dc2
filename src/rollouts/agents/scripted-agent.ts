import type { JsonObject } from '../../protocol/index.ts';
import type { Agent } from '../play/agent.ts';

/** A call that is made whatever the tools answer. */
export interface ScriptedCall {
  readonly tool: string;
  readonly input: JsonObject;
}

/** What knows the best calls for a task: exported as `solve` by the module of an environment. */
export type Solve = (
  task: JsonObject,
  about: { readonly environment: string },
) => Iterable<ScriptedCall> | AsyncIterable<ScriptedCall> | Promise<Iterable<ScriptedCall>>;

/** Makes the calls that `solve` names, so that the run shows the greatest reward that can be had. Needs oracle rights. */
export function oracleAgent(solve: Solve, environment: string): Agent {
  return async ({ task, call }) => {
    if (task === undefined) throw new Error('an oracle must be shown the task');
    for await (const { tool, input } of await solve(task, { environment })) {
      const { finished } = await call(tool, input);
      if (finished) return;
    }
  };
}

/** Makes the calls of a recorded game, whatever the task. */
export function recordedAgent(calls: readonly ScriptedCall[]): Agent {
  return async ({ call }) => {
    for (const { tool, input } of calls) {
      const { finished } = await call(tool, input);
      if (finished) return;
    }
  };
}
