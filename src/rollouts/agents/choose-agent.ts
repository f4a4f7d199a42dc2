import type { RolloutOptions } from '../options.ts';
import type { Agent } from '../play/agent.ts';
import { modelAgent } from './model-agent.ts';
import { randomAgent } from './random-agent.ts';
import { oracleAgent, recordedAgent } from './scripted-agent.ts';

/** Who plays a run. */
export interface ChosenAgent {
  readonly agent: Agent;
  readonly name: string;
  readonly isOracle: boolean;
}

/** The agent that options mean. */
export function chooseAgent(options: RolloutOptions, environment: string): ChosenAgent {
  const { agent = 'model', agentName, model } = options;
  const chosen = { isOracle: false };
  if (typeof agent === 'function') return { ...chosen, agent, name: agentName ?? (agent.name || 'agent') };
  if (agent === 'random') return { ...chosen, agent: randomAgent, name: 'random' };
  if (agent === 'model') {
    if (model === undefined) throw new TypeError('a run needs a model, a policy or an agent of your own');
    return { ...chosen, agent: modelAgent, name: 'model' };
  }
  if ('solve' in agent)
    return { agent: oracleAgent(agent.solve, environment), name: agentName ?? 'oracle', isOracle: true };
  return { ...chosen, agent: recordedAgent(agent.calls), name: agentName ?? 'recorded' };
}
