import { startServer, type TestOptions, type TestServer } from '../support/http.ts';
import { type Watched, watched } from './environments.ts';

/** A server that speaks MCP, with what its environments did. */
export interface McpTestServer extends TestServer, Omit<Watched, 'environments' | 'toolkits'> {
  /** A new session over ORS; its id and the address for its agent. */
  open(task?: OpenTask, headers?: Record<string, string>): Promise<{ sid: string; url: string; token: string }>;
  /** The address of an episode that begins when it is first needed. */
  own(episode: string, task?: OpenTask): string;
  readonly tools: string;
}

interface OpenTask {
  readonly env?: string;
  readonly split?: string;
  readonly index?: number;
}

/** Starts it for one test. */
export async function startMcp(options: TestOptions = {}): Promise<McpTestServer> {
  const { environments, toolkits, ...seen } = watched();
  const server = await startServer({ environments, toolkits, mcp: true, ...options });
  const { url, post } = server;
  return {
    ...server,
    ...seen,
    tools: `${url}/mcp/tools`,
    own: (episode, { env = 'quiz', split = 'train', index = 0 } = {}) =>
      `${url}/mcp/${env}?split=${split}&index=${index}&episode=${episode}`,
    async open({ env = 'quiz', split = 'train', index = 0 } = {}, headers = {}) {
      const sid = crypto.randomUUID();
      const created = await post('/create', { env_name: env, split, index }, { sid, headers });
      if (created.status !== 200) throw new Error(created.text);
      const { json, status, text } = await post(`/${env}/mcp`, undefined, { sid, headers });
      if (status !== 200) throw new Error(text);
      return { sid, url: `${url}${json.path}`, token: json.token };
    },
  };
}
