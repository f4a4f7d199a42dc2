import { AuthError, ClientError, NetworkError } from '../../client/index.ts';
import { isMcpAddress, SECRETS_HEADER, toSecretsHeader } from '../../protocol/index.ts';
import { ForeignSchemas } from '../foreign/foreign-schemas.ts';
import { mcpProtocol } from './mcp/index.ts';
import { errorIn } from './mcp/messages.ts';
import { orsProtocol } from './ors/index.ts';
import { oxpProtocol } from './oxp/index.ts';
import type { Finding } from './probe.ts';
import type { Protocol } from './protocol.ts';
import { Recorder, type RecorderOptions } from './recorder.ts';
import { isSelected } from './selection.ts';

/** Which server is checked, and how. */
export interface CheckOptions {
  /** An ORS or OXP server of any make, or an address of MCP, which has `mcp` in its path. */
  readonly url: string;
  /** Sent with every request: the key, if the server wants one. They are in no report. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether tools may be called, with inputs made from their schemas. Default: false. */
  readonly isActive?: boolean;
  /** Only these: protocols (ors, oxp), groups (ors/D, D) or requirements (ors/D7, D7). Default: all. */
  readonly only?: readonly string[];
  /** How long one request may take. Default: 10 s. */
  readonly timeoutMs?: number;
  /** How long the setup of a session may take. Default: 60 s. */
  readonly setupMs?: number;
  /** Sent when a session is created. They are in no report. Default: none. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** Stops the check. */
  readonly signal?: AbortSignal;
  /** Hears each finding when it is there. */
  readonly onFinding?: (finding: Finding, progress: CheckProgress) => void;
}

/** What was to be checked does not exist; the message says what does. Nothing was sent. */
export class UnknownPart extends Error {
  override readonly name = 'UnknownPart';
}

/** How far a check is. */
export interface CheckProgress {
  readonly protocol: string;
  readonly done: number;
  readonly total: number;
}

/** What came of the probes of one protocol. */
export interface ProtocolReport {
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** What came of a check. */
export interface CheckReport {
  readonly url: string;
  readonly protocols: readonly ProtocolReport[];
}

// A further protocol is one entry here.
const PROTOCOLS: readonly Protocol[] = [orsProtocol, oxpProtocol];

function protocolsAt(url: string): readonly Protocol[] {
  return isMcpAddress(url) ? [mcpProtocol] : PROTOCOLS;
}

/** Finds out which protocols a server speaks, and checks it against what they require; ends all sessions it opened. */
export async function checkServer({
  url,
  headers = {},
  isActive = false,
  only = [],
  timeoutMs = 10_000,
  setupMs = 60_000,
  secrets = {},
  signal = new AbortController().signal,
  onFinding,
}: CheckOptions): Promise<CheckReport> {
  assertParts(only, protocolsAt(url));
  const http: RecorderOptions = { url, headers: { ...headers, ...mcpSecrets(url, secrets) }, timeoutMs, signal };
  const speaking = await detect(http);
  const jobs = speaking
    .map((protocol) => ({ protocol, isWanted: (id: string) => isSelected(only, protocol.name, id) }))
    .filter(({ protocol, isWanted }) => protocol.probes.some(({ id }) => isWanted(id)));
  if (jobs.length === 0)
    throw new Error(
      `nothing is left to check: ${url} speaks ${namesOf(speaking)}, and ${only.join(', ')} is not in that`,
    );
  const total = jobs.reduce(
    (sum, { protocol, isWanted }) => sum + protocol.probes.filter(({ id }) => isWanted(id)).length,
    0,
  );
  const spoken = speaking.map(({ name }) => name);
  const protocols: ProtocolReport[] = [];
  let done = 0;
  using schemas = new ForeignSchemas();
  for (const { protocol, isWanted } of jobs) {
    const tell = (finding: Finding) => {
      done += 1;
      onFinding?.(finding, { protocol: protocol.name, done, total });
    };
    const findings = await protocol.run({
      http,
      schemas,
      isActive,
      setupMs,
      secrets,
      spoken,
      isWanted,
      onFinding: tell,
    });
    protocols.push({ name: protocol.name, findings });
  }
  return { url, protocols };
}

/** The header of secrets at an address of MCP, where every request may begin the episode. */
function mcpSecrets(url: string, secrets: Readonly<Record<string, string>>): Record<string, string> {
  const isSent = isMcpAddress(url) && Object.keys(secrets).length > 0;
  return isSent ? { [SECRETS_HEADER]: toSecretsHeader(secrets) } : {};
}

/** Refuses what no protocol has, before anything is sent. */
function assertParts(only: readonly string[], protocols: readonly Protocol[]): void {
  for (const part of only)
    if (!protocols.some(({ name, probes }) => probes.some(({ id }) => isSelected([part], name, id))))
      throw new UnknownPart(
        `there is no requirement '${part}'. Name a protocol (${namesOf(protocols)}), a group such as D, or a requirement such as D7`,
      );
}

async function detect(http: RecorderOptions): Promise<Protocol[]> {
  const recorder = new Recorder(http);
  const speaking: Protocol[] = [];
  const failures: Error[] = [];
  for (const protocol of protocolsAt(http.url)) {
    const [detected] = await Promise.allSettled([protocol.detect(recorder)]);
    http.signal.throwIfAborted();
    if (detected.status === 'rejected') failures.push(detected.reason);
    else if (detected.value) speaking.push(protocol);
  }
  if (speaking.length === 0) throw whyNone(recorder, http, failures);
  return speaking;
}

function whyNone({ exchanges }: Recorder, { url }: RecorderOptions, failures: readonly Error[]): ClientError {
  const [cause] = failures;
  if (cause !== undefined && exchanges.every(({ answer }) => answer === undefined)) {
    const { code } = cause as NodeJS.ErrnoException;
    return new NetworkError(`${url} cannot be reached: ${cause.message}`, { code, cause });
  }
  const refusal = exchanges.find(({ answer }) => answer?.status === 401 || answer?.status === 403)?.answer;
  if (refusal !== undefined) return new AuthError(refusal.status, 'it asks for a key, or for another one');
  const seen = exchanges.map(({ request, answer }) => {
    const said = answer && errorIn(answer);
    const path = request.path === '' ? new URL(url).pathname : request.path;
    return `${request.method} ${path} is ${answer?.status ?? 'not answered'}${said === undefined ? '' : `: ${said}`}`;
  });
  return new ClientError(`${url} speaks none of ${namesOf(protocolsAt(url))}: ${seen.join(', ')}`);
}

function namesOf(protocols: readonly Protocol[]): string {
  return protocols.map(({ name }) => name).join(', ');
}
