import type { EnvironmentManifest, ToolManifest } from '../sessions/index.ts';

/** What is served, by name: plain data. */
export interface ServedNames {
  readonly environments: readonly {
    readonly name: string;
    readonly splits: readonly string[];
    readonly tools: readonly string[];
  }[];
  readonly toolkits: readonly {
    readonly name: string;
    /** As calls name them. */
    readonly tools: readonly string[];
  }[];
}

/** The names of what hosts have. */
export function toServedNames(
  environments: readonly EnvironmentManifest[],
  tools: readonly ToolManifest[],
): ServedNames {
  const toolkits = new Map<string, Set<string>>();
  for (const { definition } of tools) {
    // Without its version: `Mail.Send@1.0.0`.
    const [id = ''] = definition.id.split('@');
    const [toolkit = ''] = id.split('.');
    const names = toolkits.get(toolkit) ?? new Set();
    toolkits.set(toolkit, names.add(id));
  }
  return {
    environments: environments.map(({ name, splits, allTools }) => ({
      name,
      splits: splits.map((split) => split.name),
      tools: allTools.map((tool) => tool.name),
    })),
    toolkits: Array.from(toolkits, ([name, names]) => ({ name, tools: [...names] })),
  };
}
