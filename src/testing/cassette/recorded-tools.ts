import type { ToolSpec } from '../../protocol/index.ts';
import type { RecordedEpisode } from '../../records/index.ts';

/** The tools of an episode: as they were recorded, or at least those that were called. */
export function toolsOf({ tools, calls }: RecordedEpisode): readonly ToolSpec[] {
  if (tools !== undefined && tools.length > 0) return tools;
  const names = [...new Set(calls.map(({ tool }) => tool))];
  return names.map((name) => ({ name, description: 'Recorded.', input_schema: null }));
}
