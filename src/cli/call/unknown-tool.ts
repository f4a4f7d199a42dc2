import type { ToolSpec } from '../../protocol/index.ts';
import { unknownName } from '../shared/explain.ts';
import { Failure } from '../shared/failure.ts';
import { environmentsOf } from '../shared/protocols.ts';
import { toSafeText } from '../shared/safe-text.ts';
import type { OpenServer } from '../shared/with-server.ts';

/** A tool that an episode does not have, with those that it has, and the environment that has it. */
export async function unknownTool(server: OpenServer, tool: string, known: readonly ToolSpec[]): Promise<Failure> {
  const names = known.map(({ name }) => name);
  const failure = unknownName('tool', tool, names);
  const owner = await findOwner(server, tool);
  if (owner === undefined) return failure;
  return new Failure(toSafeText(`${failure.message}\nenvironment '${owner}' has it: --environment ${owner}`));
}

async function findOwner({ ors, signal }: OpenServer, tool: string): Promise<string | undefined> {
  for (const name of (await environmentsOf({ ors, signal })) ?? []) {
    // An environment that cannot be asked is no reason to hide what is known.
    const tools = await ors
      .environment(name)
      .tools({ signal })
      .catch(() => []);
    if (tools.some((each) => each.name === tool)) return name;
  }
  return undefined;
}
