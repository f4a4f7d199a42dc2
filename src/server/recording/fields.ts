import { createHash } from 'node:crypto';
import type { Fault, NewEnd, NewEpisode, Stop } from '../../records/index.ts';
import { taskHashOf } from '../../records/index.ts';
import type { EpisodeOpened, SessionEnded } from '../../sessions/index.ts';

/** The first event of an episode. */
export function toEpisode({ session, at, task, taskHash, seed }: EpisodeOpened): Omit<NewEpisode, 'tools'> {
  const { sid, identity, environment, split, index } = session;
  return {
    type: 'episode',
    at: Math.round(at),
    by: 'server',
    environment,
    ...(split === undefined ? {} : { split }),
    ...(index === undefined ? {} : { index }),
    ...(task === undefined ? {} : { task, taskHash: taskHashOf(task) }),
    ...(taskHash === undefined ? {} : { taskHash }),
    seed,
    id: sid,
    ...(identity === '' ? {} : { identity }),
  };
}

/**
 * The name of a record's file. Clients choose session ids, so only a hash of them is in it; what comes before is for people. An
 * episode that goes on after a restart has the same.
 */
export function nameOf({ session, seed }: EpisodeOpened): string {
  const { sid, identity, environment, split, index } = session;
  const unique = createHash('sha256')
    .update(JSON.stringify([identity, sid, seed]))
    .digest('hex')
    .slice(0, 16);
  const readable = [environment, split, index].filter((part) => part !== undefined).map((part) => plain(String(part)));
  return [...readable, unique].join('-');
}

function plain(text: string): string {
  return text.replace(/[^a-zA-Z0-9_]/g, '_').slice(0, 40);
}

/** The fields of a `call` event; the tool's name is JSON already. */
export function callFields(toolJson: string, input: object, id: string): string {
  return `"tool":${toolJson},"input":${JSON.stringify(input)},"id":${quoteId(id)}`;
}

/** The id of a call in JSON. Ids are visible characters, of which only these two need an escape. */
function quoteId(id: string): string {
  return id.includes('"') || id.includes('\\') ? JSON.stringify(id) : `"${id}"`;
}

/** The last event of an episode. */
export function toEnd({ at, outcome, reason, durationMs }: SessionEnded, setupFailed: boolean): NewEnd {
  const isLost = reason === 'lost' && outcome !== 'finished';
  const known = setupFailed ? SETUP_FAILED : isLost ? LOST : (BY_OUTCOME[outcome] ?? {});
  return { type: 'end', at: Math.round(at), outcome, ...known, ms: Math.round(durationMs) };
}

interface Known {
  readonly stop?: Stop;
  readonly fault?: Fault;
}

const SETUP_FAILED: Known = { stop: 'setup_failed', fault: 'environment' };
const LOST: Known = { stop: 'lost', fault: 'environment' };

// Of an episode that its client has ended, only the client knows why.
const BY_OUTCOME: Partial<Record<SessionEnded['outcome'], Known>> = {
  finished: { stop: 'finished', fault: 'none' },
  env_error: { stop: 'env_error', fault: 'environment' },
  timeout: { stop: 'tool_timeout', fault: 'environment' },
  expired: { stop: 'expired', fault: 'environment' },
};
