import { type EnvironmentClient, type EpisodeChoice, type Session, TimedOut } from '../../client/index.ts';
import type { JsonObject } from '../../protocol/index.ts';
import { isUnreached, unknownName } from './explain.ts';
import { Failure, misuse } from './failure.ts';
import { environmentsOf } from './protocols.ts';
import { toSafeText } from './safe-text.ts';
import { processTerminal } from './terminal.ts';
import { waitFor } from './waiting.ts';
import type { OpenServer } from './with-server.ts';

/** Which episode a person means, as far as they said. */
export interface EpisodeOptions {
  readonly environment?: string | undefined;
  readonly split?: string | undefined;
  readonly index?: number | undefined;
  readonly task?: JsonObject | undefined;
}

/** What an episode is opened for. */
export type Chosen = EpisodeChoice<unknown>;

/** Refuses options that contradict each other. */
export function assertEpisodeOptions({ split, index, task }: EpisodeOptions): void {
  if (task !== undefined && (split !== undefined || index !== undefined))
    throw misuse(
      '--task cannot be combined with --split or --index: give a task of your own, or name one of the server',
    );
}

/** The environment of that name, or the server's first. */
export async function findEnvironment(server: OpenServer, name: string | undefined): Promise<EnvironmentClient> {
  const names = await environmentsOf(server);
  const [first] = names ?? [];
  if (names === undefined || first === undefined) throw await noEnvironments(server, names);
  if (name === undefined) return server.ors.environment(first);
  const found = names.find((each) => each === name) ?? names.find((each) => each.toLowerCase() === name.toLowerCase());
  if (found === undefined) throw unknownName('environment', name, names);
  return server.ors.environment(found);
}

async function noEnvironments(server: OpenServer, names: readonly string[] | undefined): Promise<Failure> {
  // A server that has no tools, or cannot tell, has nothing that could be advised.
  const [tool] = await server.oxp.tools({ signal: server.signal }).catch(() => []);
  if (tool !== undefined) {
    const id = tool.id.replace(/@.*$/, '');
    return new Failure(
      toSafeText(
        `${server.name} has toolkits and no environments. Call one of its tools: tiltyard call ${server.name} ${id}`,
      ),
    );
  }
  const why = names === undefined ? ': it does not answer /list_environments, as ORS servers do' : '';
  return new Failure(`${server.url} has no environments${why}`);
}

/** The split of that name, or the environment's first. */
export async function findSplit(
  environment: EnvironmentClient,
  name: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const names = (await environment.splits({ signal })).map((split) => split.name);
  const found = name === undefined ? names[0] : names.find((each) => each === name);
  if (found === undefined) throw unknownName('split', name ?? '', names);
  return found;
}

/** The task that was meant: one's own, the one of that split and index, or the first one. */
export async function chooseTask(
  environment: EnvironmentClient,
  { split, index = 0, task }: EpisodeOptions,
  signal: AbortSignal,
): Promise<Chosen> {
  if (task !== undefined) return { task };
  return { split: await findSplit(environment, split, signal), index };
}

/** What an episode needs besides its task. */
export interface OpenOptions {
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Begins an episode, telling who watches if that takes a while. Its setup may go on. */
export async function openEpisode(
  environment: EnvironmentClient,
  choice: Chosen,
  { secrets, signal }: OpenOptions,
): Promise<Session> {
  return waitFor('starting the episode', environment.session({ ...choice, secrets, signal }));
}

// Who has pressed Ctrl-C does not want to wait for a tool that does not end; the server ends the session by itself.
const CLOSING_MS = 1_000;

/** Works in a session and closes it. A closing that fails is only noted: it takes nothing from what was done. */
export async function withSession<Value>(
  session: Session,
  { signal }: Pick<OpenServer, 'signal'>,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work();
  } finally {
    const isHurried = signal.aborted;
    await session.close(isHurried ? { timeoutMs: CLOSING_MS } : {}).catch((thrown: unknown) => {
      if (!isHurried || !(thrown instanceof TimedOut)) processTerminal().note(toClosingNote(thrown));
    });
  }
}

function toClosingNote(thrown: unknown): string {
  if (isUnreached(thrown)) return 'the server stopped before the session could be deleted';
  return toSafeText(`the session could not be deleted: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
}

/** A task for people: its place, or that it is their own. */
export function describeChoice(choice: Chosen): string {
  return 'task' in choice ? 'a task of your own' : `task ${choice.index} of split '${choice.split}'`;
}
