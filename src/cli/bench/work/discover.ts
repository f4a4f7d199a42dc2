import { ClientError, HttpError, MaxRetries, NetworkError } from '../../../client/index.ts';
import { TOOL_ID } from '../../../protocol/index.ts';
import { Failure, misuse } from '../../shared/failure.ts';
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
      `${server.url} is not on this machine. A load calls a tool thousands of times: say which one with --tool`,
    );
  }
  try {
    return await find(server, choice);
  } catch (thrown) {
    throw toFailure(server, thrown);
  }
}

async function find(server: BenchServer, choice: WorkChoice): Promise<Work> {
  if (choice.protocol === 'oxp' || (choice.protocol === undefined && TOOL_ID.test(choice.tool ?? '')))
    return await findOxpWork(server, choice);
  const environments = await listEnvironments(server, choice);
  if (environments.length > 0) return await findOrsWork(server, choice, environments);
  if (choice.protocol === 'ors') throw new Failure(`${server.url} has no environments`);
  return await findOxpWork(server, choice);
}

function toFailure({ url }: BenchServer, thrown: unknown): unknown {
  const error = thrown instanceof MaxRetries ? thrown.cause : thrown;
  if (error instanceof ClientError && error.status === 401)
    return new Failure(`${url} wants an API key, or another one: set TILTYARD_API_KEY (${toSafeText(error.message)})`);
  if (error instanceof NetworkError) return new Failure(`${url} cannot be reached: ${error.message}. Does it run?`);
  if (error instanceof HttpError)
    return new Failure(`${url} speaks neither ORS nor OXP, or fails: ${toSafeText(error.message)}`);
  return error instanceof ClientError ? new Failure(toSafeText(error.message)) : error;
}
