import { DefinitionError } from '../../core/index.ts';
import { compareVersions } from '../../protocol/index.ts';
import type { ToolManifest } from '../../sessions/index.ts';

/** Which versions of tools are listed. */
export type ListedVersions = 'newest' | 'all';

/** The names of tools of toolkits over MCP, in the order of the toolkits. */
export interface ToolkitNames {
  /** All names, with the versions they stand for; those without a version stand for the newest one that the caller may see. */
  list(versions: ListedVersions, isVisible: (tool: ToolManifest) => boolean): readonly NamedTool[];
}

/** A tool under one of its names. */
export interface NamedTool {
  readonly name: string;
  readonly tool: ToolManifest;
}

/** Names tools; refuses two that would have the same one. */
export function toolkitNames(tools: readonly ToolManifest[]): ToolkitNames {
  const byBase = groupByName(tools);
  assertUnique(byBase);
  return {
    list(versions, isVisible) {
      return [...byBase].flatMap(([name, all]) => {
        const visible = all.filter(isVisible);
        const [newest] = visible;
        if (newest === undefined) return [];
        const plain = { name, tool: newest };
        return versions === 'newest'
          ? [plain]
          : [plain, ...visible.map((tool) => ({ name: versionedName(tool), tool }))];
      });
    },
  };
}

/** The versions of each tool by its plain name, the newest first. */
function groupByName(tools: readonly ToolManifest[]): Map<string, ToolManifest[]> {
  const groups = new Map<string, ToolManifest[]>();
  for (const tool of tools) {
    const { name } = tool.definition;
    groups.set(name, [...(groups.get(name) ?? []), tool].sort(newestFirst));
  }
  return groups;
}

function versionedName({ definition: { name, version } }: ToolManifest): string {
  return `${name}_v${version.replaceAll('.', '_')}`;
}

function assertUnique(byName: ReadonlyMap<string, readonly ToolManifest[]>): void {
  for (const tool of [...byName.values()].flat()) {
    const name = versionedName(tool);
    const other = byName.get(name)?.[0];
    if (other !== undefined)
      throw new DefinitionError(
        `${tool.definition.id} and ${other.definition.id} are both published over MCP as ${name}. Rename one of them`,
      );
  }
}

function newestFirst(a: ToolManifest, b: ToolManifest): number {
  return compareVersions(b.definition.version, a.definition.version);
}
