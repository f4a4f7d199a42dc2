import { ClientError } from '../../../client/index.ts';
import type { ErrorCode } from '../../../core/index.ts';
import { Failure } from '../../shared/failure.ts';
import { toSafeText } from '../../shared/safe-text.ts';
import type { Lane, Player } from '../load/drive.ts';
import type { Endpoint } from '../load/endpoint.ts';

/** What is repeated and counted. */
export type Unit = 'calls' | 'episodes';

/** What the load consists of, found out once for each server. */
export interface Work {
  readonly protocol: 'ORS' | 'OXP';
  readonly unit: Unit;
  readonly environment?: string;
  readonly split?: string;
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** What was decided for the person, and what they should know, in sentences. */
  readonly notes: readonly string[];
  readonly endpoint: Endpoint;
  readonly createPlayer: (lane: Lane) => Player;
}

/** What a person asked for; the rest is chosen. */
export interface WorkChoice {
  readonly protocol?: 'ors' | 'oxp' | undefined;
  readonly environment?: string | undefined;
  readonly split?: string | undefined;
  readonly index?: number | undefined;
  readonly tool?: string | undefined;
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  readonly secrets: Readonly<Record<string, string>>;
  readonly unit: Unit;
  /** Calls in each episode. */
  readonly steps: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Why no load is begun: it would measure nothing but the same failure. What is not about the call stays as it is. */
export function firstCallFailed(tool: string, input: unknown, thrown: unknown): unknown {
  const isOfSession = thrown instanceof ClientError && (thrown.code === SETUP_FAILED || thrown.status === 401);
  if (!(thrown instanceof ClientError) || isOfSession) return thrown;
  return new Failure(
    `the first call failed, so nothing was measured. '${toSafeText(tool)}' with the input ${JSON.stringify(input)}: ` +
      `${toSafeText(thrown.message)}\nTry another input with --input '{...}', or another tool with --tool`,
  );
}

const SETUP_FAILED: ErrorCode = 'setup_failed';

/** What was chosen for the person, and how to choose otherwise. */
export function notesOn(choice: WorkChoice, tool: string, input: Readonly<Record<string, unknown>>): string[] {
  return [
    ...(choice.tool === undefined ? [`Calling '${toSafeText(tool)}', the first tool; --tool picks another.`] : []),
    ...(choice.input === undefined
      ? [`Input generated from the tool's schema: ${toSafeText(JSON.stringify(input))}; --input sets another.`]
      : []),
  ];
}
