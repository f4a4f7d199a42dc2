import { ClientError } from '../../../client/index.ts';
import { TOOL_ID } from '../../../protocol/index.ts';
import { explain, isUnreached } from '../../shared/explain.ts';
import { Failure, misuse } from '../../shared/failure.ts';
import { speaksNeither } from '../../shared/protocols.ts';
import { toSafeText } from '../../shared/safe-text.ts';
import type { BenchServer } from '../servers/open.ts';
import { findOrsWork, listEnvironments } from './find-ors-work.ts';
import { findOxpWork } from './find-oxp-work.ts';
import type { Work, WorkChoice } from './work.ts';

/** Finds out what to call on a server, and makes one call, so that a load of refusals is never measured. */
export async function discover(server: BenchServer, choice: WorkChoice): Promise<Work> {
  // Calls have effects, and here thousands of them.
  if (!server.isLocal && choice.tool === undefined) {
    throw misuse(
      `${server.url} is not on this machine, and a load test calls a tool thousands of times: name the tool with --tool`,
    );
  }
  try {
    return await find(server, choice);
  } catch (thrown) {
    if (choice.signal.aborted) throw choice.signal.reason;
    throw explain(thrown, { url: server.url, hasKey: Boolean(server.apiKey) });
  }
}

async function find(server: BenchServer, choice: WorkChoice): Promise<Work> {
  if (choice.protocol === 'oxp')
    return await findOxpWork(server, choice).catch((thrown: unknown) => {
      const isOther = thrown instanceof ClientError && !isUnreached(thrown) && thrown.status !== 401;
      throw isOther ? new Failure(toSafeText(`${server.name} does not speak OXP: ${thrown.message}`)) : thrown;
    });
  if (choice.protocol === undefined && TOOL_ID.test(choice.tool ?? '')) return await findOxpWork(server, choice);
  const environments = await listEnvironments(server, choice);
  if (environments.length > 0) return await findOrsWork(server, choice, environments);
  if (choice.protocol === 'ors') throw new Failure(`${server.url} has no environments`);
  return await findOxpWork(server, choice).catch((thrown: unknown) => {
    throw thrown instanceof ClientError && thrown.status === 404 ? speaksNeither(server.url) : thrown;
  });
}
