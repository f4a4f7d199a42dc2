import { isObject, type JsonObject, MAX_AGENT_TOOL_NAME } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import { type Protocol, protocol } from '../protocol.ts';
import { Recorder } from '../recorder.ts';
import { INITIALIZE, REVISIONS, tell, toolsIn } from './messages.ts';

/** What the probes of MCP know of an address. */
export interface McpSubject {
  readonly tools: readonly JsonObject[];
}

const SOURCE = 'docs/mcp.md';
const GROUP = 'Agents over MCP';
const ERAS = ['legacy', 'modern'] as const;

/** What can be seen from outside of an address for agents; the official conformance suite does the rest. */
const mcpProbes: readonly Probe<McpSubject>[] = [
  {
    id: 'M4',
    group: GROUP,
    level: 'specified',
    requirement: 'Clients of both eras can connect: with `initialize`, and with `server/discover`',
    source: SOURCE,
    async run(_subject, http) {
      const { result, answer } = await tell(http, 'legacy', 'initialize', INITIALIZE);
      insist(typeof result.protocolVersion === 'string', `initialize is answered with ${answer.status} and no version`);
      const discovered = await tell(http, 'modern', 'server/discover');
      insist(isObject(discovered.result.capabilities), `server/discover is answered with ${discovered.answer.status}`);
    },
  },
  {
    id: 'M5',
    group: GROUP,
    level: 'hardening',
    requirement:
      'The list of tools is the same each time and in both eras, is not announced to change, and may not be cached',
    source: SOURCE,
    async run({ tools }, http) {
      const names = (listed: readonly JsonObject[] | undefined) => JSON.stringify(listed?.map(({ name }) => name));
      for (const era of [...ERAS, ...ERAS])
        insist(names(toolsIn(await tell(http, era, 'tools/list'))) === names(tools), `the list differs (${era} era)`);
      const { capabilities } = (await tell(http, 'legacy', 'initialize', INITIALIZE)).result;
      insist(!JSON.stringify(capabilities ?? {}).includes('"listChanged":true'), 'it announces changes of lists');
      const { ttlMs, cacheScope } = (await tell(http, 'modern', 'tools/list')).result;
      insist(ttlMs === 0 && cacheScope === 'private', `the list may be cached: ttlMs ${ttlMs}, ${cacheScope}`);
    },
  },
  {
    id: 'M6',
    group: GROUP,
    level: 'hardening',
    requirement: 'It offers tools, and never resources',
    source: SOURCE,
    async run(_subject, http) {
      const { capabilities } = (await tell(http, 'legacy', 'initialize', INITIALIZE)).result;
      insist(isObject(capabilities) && isObject(capabilities.tools), 'it does not say that it has tools');
      insist(capabilities.resources === undefined, 'it offers resources');
    },
  },
  {
    id: 'M10',
    group: GROUP,
    level: 'specified',
    requirement: 'A call of an unknown tool is the error -32602',
    source: SOURCE,
    async run(_subject, http) {
      for (const era of ERAS) {
        const told = await tell(http, era, 'tools/call', { name: 'tiltyard_no_such_tool', arguments: {} });
        const { errorCode, result } = told;
        // An environment that requires a secret begins no episode without it, whatever is called.
        const refusal = result.isError === true ? firstText(result) : undefined;
        need(refusal === undefined || !/ requires the secrets? /.test(refusal), `no episode could begin: ${refusal}`);
        insist(errorCode === -32_602, `it is answered with ${errorCode ?? 'no error'} (${era} era)`);
      }
    },
  },
  {
    id: 'M11',
    group: GROUP,
    level: 'interop',
    requirement: 'Each tool says whether it is destructive and reaches into the world outside',
    source: SOURCE,
    advice: 'codex refuses tools without `annotations`',
    async run({ tools }) {
      need(tools.length > 0, 'it lists no tools');
      const bare = tools.find(({ annotations }) => !isObject(annotations) || annotations.destructiveHint === undefined);
      insist(bare === undefined, `${bare?.name} has no annotations`);
    },
  },
  {
    id: 'M16',
    group: GROUP,
    level: 'specified',
    requirement: 'A web page of another origin is refused with 403',
    source: SOURCE,
    async run(_subject, http) {
      const headers = { origin: 'https://tiltyard-check.example', accept: 'application/json, text/event-stream' };
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const { status } = await http.ask({ method: 'POST', path: '', headers, body });
      insist(status === 403, `it is answered with ${status}`);
    },
  },
  {
    id: 'M18',
    group: GROUP,
    level: 'interop',
    requirement: 'A request without a version is taken, and one with a version of its era; GET and DELETE are 405',
    source: SOURCE,
    async run(_subject, http) {
      const accept = 'application/json, text/event-stream';
      const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      for (const headers of [{ accept }, { accept, 'mcp-protocol-version': REVISIONS.legacy }]) {
        const { status } = await http.ask({ method: 'POST', path: '', headers, body });
        insist(status === 200, `POST is answered with ${status}`);
      }
      for (const method of ['GET', 'DELETE']) {
        const { status } = await http.ask({ method, path: '', headers: { accept: 'text/event-stream' } });
        insist(status === 405, `${method} is answered with ${status}`);
      }
    },
  },
  {
    id: 'M21',
    group: GROUP,
    level: 'hardening',
    requirement: `Names have at most ${MAX_AGENT_TOOL_NAME} characters, so that agents can put a prefix before them`,
    source: SOURCE,
    advice: 'shorten it: some agents cannot call it',
    async run({ tools }) {
      need(tools.length > 0, 'it lists no tools');
      const long = tools.map(({ name }) => String(name)).filter((name) => name.length > MAX_AGENT_TOOL_NAME);
      insist(long.length === 0, `${long[0]} has ${long[0]?.length} characters`);
    },
  },
];

function firstText({ content }: JsonObject): string | undefined {
  const [block] = Array.isArray(content) ? content : [];
  return isObject(block) && typeof block.text === 'string' ? block.text : undefined;
}

/** The Model Context Protocol, at one address. */
export const mcpProtocol: Protocol = protocol<McpSubject>({
  name: 'mcp',
  probes: mcpProbes,
  detect: async (http) => toolsIn(await tell(http, 'legacy', 'tools/list')) !== undefined,
  async open({ http }) {
    return { tools: toolsIn(await tell(new Recorder(http), 'legacy', 'tools/list')) ?? [] };
  },
});
