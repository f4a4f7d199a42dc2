import { ClientError, type EnvironmentClient } from '../../client/index.ts';
import { compareVersions, type JsonObject, TOOL_ID, type ToolDefinition } from '../../protocol/index.ts';
import type { EnvironmentInfo, TaskPage, ToolkitInfo } from '../api.ts';
import { badRequest } from '../shared/refusal.ts';
import type { TargetLink } from './target-link.ts';

// How many tasks an answer has at most.
const MOST_TASKS = 500;

const TIMEOUT_MS = 30_000;

/** An environment with the sizes of its splits, and the secrets that it needs. */
export async function readEnvironment(link: TargetLink, name: string): Promise<EnvironmentInfo> {
  const environment = link.ors.environment(name);
  const how = { timeoutMs: TIMEOUT_MS };
  const [splits, tools, secrets] = await Promise.all([
    environment.splits(how),
    environment.tools(how),
    secretsOf(environment),
  ]);
  const counts = await Promise.all(splits.map((split) => countOf(environment, split.name)));
  return { name, splits: splits.map((split, at) => ({ ...split, count: counts[at] ?? null })), tools, secrets };
}

// Most servers of another make do not tell; whether this one is there at all, the other questions find out.
async function secretsOf(environment: EnvironmentClient): Promise<readonly string[]> {
  try {
    return await environment.requiredSecrets({ timeoutMs: TIMEOUT_MS });
  } catch (thrown) {
    if (thrown instanceof ClientError) return [];
    throw thrown;
  }
}

/** A range of tasks of a split. */
export async function readTasks(
  { ors }: TargetLink,
  name: string,
  { split, start = 0, stop = start + 100 }: { split: string; start?: number | undefined; stop?: number | undefined },
): Promise<TaskPage> {
  if (stop < start) throw badRequest("'stop' must not be before 'start'");
  const environment = ors.environment(name);
  const total = await countOf(environment, split);
  const end = Math.min(stop, start + MOST_TASKS, total ?? Number.POSITIVE_INFINITY);
  const how = { timeoutMs: TIMEOUT_MS };
  const tasks = start >= end ? [] : ((await environment.range(split, start, end, how)) as JsonObject[]);
  // A server may send more than it was asked for.
  return { start, total, tasks: tasks.slice(0, end - start) };
}

// Not every server can tell, and the others are of use all the same.
async function countOf(environment: EnvironmentClient, split: string): Promise<number | null> {
  try {
    return await environment.count(split, { timeoutMs: TIMEOUT_MS });
  } catch (thrown) {
    if (thrown instanceof ClientError && thrown.status !== undefined && thrown.status !== 401) return null;
    throw thrown;
  }
}

/** The tools of a server outside of environments, by toolkit. */
export async function readToolkits({ oxp }: TargetLink): Promise<ToolkitInfo[]> {
  const tools = await oxp.tools({ timeoutMs: TIMEOUT_MS });
  const kits = new Map<string, ToolDefinition[]>();
  for (const tool of tools) {
    const [, kit = ''] = TOOL_ID.exec(tool.id) ?? [];
    kits.set(kit, [...(kits.get(kit) ?? []), tool]);
  }
  return [...kits].map(([name, own]) => ({ name, tools: own.sort(byNameAndVersion) }));
}

function byNameAndVersion(one: ToolDefinition, other: ToolDefinition): number {
  return one.name.localeCompare(other.name) || compareVersions(other.version, one.version);
}
