import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { toProviderTools } from '../../client/index.ts';
import { textOf, type WireBlock, type WireImageBlock } from '../../protocol/index.ts';
import { version } from '../../version.ts';
import type { RunFile } from '../folder/run-file.ts';
import type { Trajectory, Turn } from './trajectory.ts';

/** Where trajectories go, and the run that they are of. */
export interface AtifTarget {
  readonly out: string;
  readonly run: RunFile;
  readonly folder: string;
}

/** Writes an episode as a file of the Agent Trajectory Interchange Format, version 1.8; its images become files beside it. */
export function writeAtif(trajectory: Trajectory, target: AtifTarget): void {
  const { line } = trajectory;
  const name = `${line.split}-${line.index}-${line.repeat}`.replace(/[^\w.-]/g, '_');
  writeFileSync(join(target.out, `${name}.json`), `${JSON.stringify(toAtif(trajectory, target), null, 1)}\n`);
}

function toAtif({ line, tools, prompt, turns }: Trajectory, { out, run, folder }: AtifTarget): object {
  const { agent, model, environment } = run.identity;
  const { episode, split, index, repeat, reward, rewards, outcome, stop, fault, tokens, usd } = line;
  const steps = turns.map((turn, at) => toStep(turn, at + 2, out));
  return {
    schema_version: 'ATIF-v1.8',
    session_id: `${basename(folder)}-${episode}`,
    agent: {
      name: agent,
      version: run.versions.tiltyard ?? version,
      ...(model === null ? {} : { model_name: model }),
      tool_definitions: toProviderTools(tools, 'openai-chat'),
    },
    steps: [{ step_id: 1, source: 'user', message: toContent(prompt, out) }, ...steps],
    final_metrics: {
      total_prompt_tokens: tokens.input,
      total_completion_tokens: tokens.output,
      ...(usd === undefined ? {} : { total_cost_usd: usd }),
      total_steps: steps.length + 1,
    },
    extra: { environment, split, index, repeat, reward, rewards, outcome, stop, fault },
  };
}

function toStep({ at, text, reasoning, model, usage, calls }: Turn, id: number, out: string): object {
  return {
    step_id: id,
    timestamp: new Date(at).toISOString(),
    source: 'agent',
    message: text,
    ...(model === undefined ? { llm_call_count: 0 } : { model_name: model, llm_call_count: 1 }),
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(usage === undefined
      ? {}
      : { metrics: { prompt_tokens: usage.input, completion_tokens: usage.output, cached_tokens: usage.cached ?? 0 } }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id: call, tool, input }) => ({
            tool_call_id: call,
            function_name: tool,
            arguments: input,
          })),
          observation: {
            results: calls.map(({ id: call, blocks, reward, finished }) => ({
              source_call_id: call,
              content: toContent(blocks, out),
              extra: { reward, finished },
            })),
          },
        }),
  };
}

const EXTENSIONS: ReadonlyMap<string, string> = new Map([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

function toContent(blocks: readonly WireBlock[], out: string): string | object[] {
  if (blocks.every(({ type }) => type === 'text')) return textOf(blocks, '\n\n');
  return blocks.map((block) => (block.type === 'text' ? { type: 'text', text: block.text } : toImage(block, out)));
}

function toImage({ data, mimeType }: WireImageBlock, out: string): object {
  const extension = EXTENSIONS.get(mimeType);
  // The format knows no others.
  if (extension === undefined) return { type: 'text', text: `[an image of type ${mimeType}]` };
  const bytes = Buffer.from(data, 'base64');
  const path = `images/${createHash('sha256').update(bytes).digest('hex')}.${extension}`;
  mkdirSync(join(out, 'images'), { recursive: true });
  writeFileSync(join(out, path), bytes);
  return { type: 'image', source: { media_type: mimeType, path } };
}
