import { textOf, type WireBlock } from '../../protocol/index.ts';
import type { RunFile } from '../folder/run-file.ts';
import type { Summary } from '../summary.ts';
import type { Trajectory } from './trajectory.ts';

/** What a log of Inspect says before its samples; it ends in an open list of them. */
export function inspectHead(run: RunFile, summary: Summary): string {
  const { environment, split, agent, model, parameters } = run.identity;
  const { reward, episodes, tokens } = summary;
  const name = model ?? agent;
  const usage = {
    input_tokens: tokens.input,
    output_tokens: tokens.output,
    total_tokens: tokens.input + tokens.output,
  };
  const metrics = {
    mean: { name: 'mean', value: reward?.mean ?? 0, params: {} },
    ...(reward?.standardError == null ? {} : { stderr: { name: 'stderr', value: reward.standardError, params: {} } }),
  };
  const log = {
    version: 2,
    status: 'success',
    eval: {
      eval_id: `${environment}-${run.createdAt}`,
      run_id: run.createdAt,
      created: toInspectTime(run.createdAt),
      task: environment,
      task_id: `${environment}/${split}`,
      task_args: {},
      dataset: { name: `${environment}/${split}`, samples: summary.tasks, shuffled: false },
      model: name,
      model_args: parameters,
      config: { epochs: run.selection.k },
      packages: run.versions,
      metadata: { ...run.tags, agent },
    },
    plan: { name: agent, steps: [], config: {} },
    results: {
      total_samples: episodes.planned,
      completed_samples: episodes.valid,
      scores: [{ name: 'reward', scorer: 'reward', params: {}, metrics }],
    },
    stats: {
      started_at: toInspectTime(run.createdAt),
      completed_at: toInspectTime(run.createdAt),
      model_usage: model === null ? {} : { [name]: usage },
    },
  };
  return `${JSON.stringify(log).slice(0, -1)},"samples":[`;
}

/** What closes the list. */
export const INSPECT_TAIL = ']}\n';

/** An episode as a sample. */
export function toInspectSample({ line, prompt, turns }: Trajectory, { identity }: RunFile): object {
  const { index, repeat, reward, rewards, stop, fault, outcome, steps, tokens, ms, taskHash } = line;
  const model = identity.model ?? identity.agent;
  const messages: object[] = [{ id: `${line.episode}-0`, role: 'user', content: toContent(prompt) }];
  for (const { text, calls } of turns) {
    const tool_calls = calls.map(({ id, tool, input }) => ({ id, function: tool, arguments: input, type: 'function' }));
    const id = `${line.episode}-${messages.length}`;
    messages.push({ id, role: 'assistant', content: text, model, ...(calls.length === 0 ? {} : { tool_calls }) });
    for (const { id: call, tool, blocks } of calls)
      messages.push({
        id: `${line.episode}-${messages.length}`,
        role: 'tool',
        tool_call_id: call,
        function: tool,
        content: toContent(blocks),
      });
  }
  return {
    id: index,
    epoch: repeat + 1,
    input: textOf(prompt, '\n\n'),
    target: '',
    messages,
    output: { model, choices: [] },
    scores: { reward: { value: reward ?? 0, answer: null, metadata: { rewards } } },
    metadata: { stop, fault, outcome, steps, taskHash },
    model_usage: {
      [model]: {
        input_tokens: tokens.input,
        output_tokens: tokens.output,
        total_tokens: tokens.input + tokens.output,
      },
    },
    total_time: ms / 1000,
  };
}

function toContent(blocks: readonly WireBlock[]): string | object[] {
  if (blocks.every(({ type }) => type === 'text')) return textOf(blocks, '\n\n');
  return blocks.map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'image', image: `data:${block.mimeType};base64,${block.data}` },
  );
}

// Inspect's clock has an offset, not a Z.
function toInspectTime(iso: string): string {
  return iso.replace(/Z$/, '+00:00');
}
