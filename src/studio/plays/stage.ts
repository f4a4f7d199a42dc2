import { connect, connectOxp, type Fetch, type Session } from '../../client/index.ts';
import type { JsonObject, JsonValue, ToolDefinition, ToolSpec, WireBlock } from '../../protocol/index.ts';
import type { PlaySubject, PlayTool, StepResult } from '../api.ts';
import type { TargetLink } from '../targets/target-link.ts';

/** What is played on: a session of an environment, or the tools of a server. */
export interface Stage {
  readonly sid: string | null;
  readonly prompt: readonly WireBlock[] | null;
  readonly tools: readonly PlayTool[];
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<StepResult>;
  /** Asks whether the session is still there. */
  ping(): Promise<void>;
  /** Ends the session, if there is one. */
  close(): Promise<void>;
}

/** What opening a stage needs. */
export interface StageOptions {
  readonly link: TargetLink;
  readonly secrets: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly signal: AbortSignal;
}

// A person waits, and sees what is repeated.
const RETRY = { attempts: 3, pauseMs: 200, maxPauseMs: 1_000 };
const CLOSING_MS = 10_000;

/** Opens what is to be played. */
export function openStage(subject: PlaySubject, options: StageOptions): Promise<Stage> {
  return subject.kind === 'episode' ? openEpisode(subject, options) : openTools(options);
}

async function openEpisode(
  { environment, choice }: Extract<PlaySubject, { kind: 'episode' }>,
  { link, secrets, fetch, signal }: StageOptions,
): Promise<Stage> {
  const { url, apiKey } = link.options;
  const client = connect(url, { apiKey, fetch, retry: RETRY });
  const session = await client.environment(environment).session({ ...choice, secrets });
  try {
    const prompt = await session.prompt({ signal });
    const tools = await session.tools({ signal });
    return toEpisodeStage(session, prompt, tools);
  } catch (thrown) {
    await closeSession(session);
    throw thrown;
  }
}

function toEpisodeStage(session: Session, prompt: readonly WireBlock[], tools: readonly ToolSpec[]): Stage {
  return {
    sid: session.sid,
    prompt,
    tools: tools.map((tool) => ({ ...tool, output_schema: null, version: null, secrets: [] })),
    async call(tool, input, signal) {
      const { blocks, reward, finished, metadata } = await session.call(tool, input, { signal });
      return { blocks, reward, finished, metadata };
    },
    ping: () => session.ping(),
    close: () => closeSession(session),
  };
}

// One that cannot be closed is gone, or ends by itself.
async function closeSession(session: Session): Promise<void> {
  await session.close({ timeoutMs: CLOSING_MS }).catch(() => {});
}

async function openTools({ link, secrets, fetch, signal }: StageOptions): Promise<Stage> {
  const { url, apiKey } = link.options;
  const client = connectOxp(url, { apiKey, fetch, retry: RETRY });
  const tools = await client.tools({ signal });
  return {
    sid: null,
    prompt: null,
    tools: tools.map(toPlayTool),
    async call(tool, input, callSignal) {
      // Once: the person sees the advice of a tool that may be called again.
      const how = { signal: callSignal, context: { secrets }, maxToolRetries: 0 };
      const { value } = await client.call(tool, input, how);
      return { blocks: [toBlock(value)], reward: null, finished: false, metadata: null, value: value as JsonValue };
    },
    async ping() {},
    async close() {},
  };
}

function toPlayTool({ id, description, input_schema, output_schema, version, requirements }: ToolDefinition): PlayTool {
  const secrets = (requirements?.secrets ?? []).map((secret) => secret.id);
  return { name: id, description, input_schema, output_schema, version, secrets };
}

function toBlock(value: unknown): WireBlock {
  return { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value, null, 2), detail: null };
}
