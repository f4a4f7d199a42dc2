import { ClientError, type EnvironmentClient, type Session, ToolCallError } from '../../client/index.ts';
import {
  instructionsFor,
  type McpCall,
  type McpFace,
  type McpResult,
  type Reader,
  type RunningCall,
  runOnce,
  stepMeta,
  toErrorResult,
  toMcpTool,
  toStepResult,
  UnknownTool,
} from '../../mcp/index.ts';
import type { WireBlock } from '../../protocol/index.ts';
import type { EnvironmentManifest } from '../../sessions/index.ts';

/** What has become of an episode so far. */
export interface Score {
  calls: number;
  /** The sum of what its steps paid; null if none had one. */
  reward: number | null;
  finished: boolean;
}

/** An episode that is served, and its score. */
export interface ScoredFace {
  readonly face: McpFace;
  readonly score: Score;
}

/** Where an episode comes from. */
export interface EpisodeSource {
  readonly environment: EnvironmentClient;
  /** What no server tells its clients, if this command serves it. */
  readonly known: Pick<EnvironmentManifest, 'sharedTools' | 'allTools' | 'annotations'> | undefined;
  readonly session: Session;
  /** Who reads the results: the program of an agent, or an orchestrator. */
  readonly reader: Reader;
}

// Long enough for an environment without a setup, which most clients want to hear of when they connect.
const PROMPT_MS = 500;

/** An episode of any ORS server, as a client of MCP sees it. */
export async function episodeFace({ environment, known, session, reader }: EpisodeSource): Promise<ScoredFace> {
  const score: Score = { calls: 0, reward: null, finished: false };
  let task: readonly WireBlock[] | undefined;
  const prompted = session.prompt().then((blocks) => {
    task = blocks;
  });
  // Those who ask for it are told why it failed.
  await Promise.race([prompted.catch(() => {}), new Promise((resolve) => setTimeout(resolve, PROMPT_MS).unref())]);
  const isShared = known !== undefined && known.sharedTools.length === known.allTools.length;
  const face: McpFace = {
    name: environment.name,
    instructions: () => instructionsFor(environment.name, task),
    async tools() {
      const listed = isShared ? await environment.tools() : await session.tools();
      return listed.map((spec) => toMcpTool(spec, known?.annotations[spec.name]));
    },
    prompt: () => session.prompt(),
    call: runOnce((call) => callOf(session, call, { score, reader })),
  };
  return { face, score };
}

interface Telling {
  readonly score: Score;
  readonly reader: Reader;
}

function callOf(session: Session, { name, input }: McpCall, { score, reader }: Telling): RunningCall {
  const leaving = new AbortController();
  const told = session.call(name, input, { signal: leaving.signal }).then(
    (result) => {
      const { reward, finished } = result;
      score.calls += 1;
      if (reward !== null) score.reward = (score.reward ?? 0) + reward;
      score.finished ||= finished;
      return toStepResult({ ...result, blocks: [...result.blocks] as WireBlock[] }, reader);
    },
    (thrown) => toFailed(thrown, name, { score, reader }),
  );
  return { told, cancel: () => leaving.abort() };
}

function toFailed(thrown: unknown, name: string, { score, reader }: Telling): McpResult {
  if (thrown instanceof ToolCallError && thrown.reason === 'not_found')
    throw new UnknownTool(`'${name}' is not a valid tool`);
  if (!(thrown instanceof ClientError)) throw thrown;
  const outcome = thrown.outcome === undefined || thrown.outcome === 'finished' ? 'env_error' : thrown.outcome;
  // Other servers have other words for a call after the end, but this one has seen the end.
  return toErrorResult(thrown.message, stepMeta(reader, { reward: null, finished: score.finished, outcome }));
}
