import type { CommandAgentOptions } from './command-agent.ts';

/** Programs whose configuration is known. */
export const AGENT_CLIS = ['claude', 'codex', 'gemini', 'opencode', 'qwen', 'goose'] as const;

/** The name of such a program. */
export type AgentCli = (typeof AGENT_CLIS)[number];

// A quick start is not worth a first turn without tools; nor is a short prompt worth tools that have to be searched for first.
const CLAUDE_HAS_TOOLS = {
  MCP_CONNECTION_NONBLOCKING: '0',
  MCP_CONNECT_TIMEOUT_MS: '30000',
  ENABLE_TOOL_SEARCH: 'false',
};

const PRESETS: Readonly<Record<AgentCli, CommandAgentOptions>> = {
  claude: {
    command: 'claude',
    args: ['-p', '--mcp-config', '{mcp_config}', '--strict-mcp-config', '--allowedTools', 'mcp__tiltyard'],
    env: CLAUDE_HAS_TOOLS,
  },
  codex: {
    command: 'codex',
    args: [
      'exec',
      '-',
      '--skip-git-repo-check',
      '-c',
      'mcp_servers.tiltyard.url="{url}"',
      '-c',
      'mcp_servers.tiltyard.default_tools_approval_mode="approve"',
      // It waits for a server that it requires before the first turn.
      '-c',
      'mcp_servers.tiltyard.required=true',
      '-c',
      'mcp_servers.tiltyard.startup_timeout_sec=30',
    ],
  },
  gemini: {
    command: 'gemini',
    args: ['-p', '{prompt}'],
    // It is a folder of ours, with nothing in it but these settings, which it would not read otherwise.
    env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: { '.gemini/settings.json': '{"mcpServers":{"tiltyard":{"httpUrl":"{url}","trust":true}}}' },
  },
  opencode: {
    command: 'opencode',
    args: ['run', '{prompt}'],
    env: {
      OPENCODE_CONFIG_CONTENT: '{"mcp":{"tiltyard":{"type":"remote","url":"{url}","enabled":true}}}',
    },
  },
  qwen: {
    command: 'qwen',
    args: ['-p', '{prompt}', '--mcp-config', '{mcp_config}'],
    // The same as for claude.
    files: { '.qwen/settings.json': '{"tools":{"toolSearch":{"enabled":false}}}' },
    config: ({ url }) => ({ mcpServers: { tiltyard: { httpUrl: url, trust: true } } }),
  },
  goose: {
    command: 'goose',
    args: ['run', '--no-session', '--with-streamable-http-extension', '{url}', '-i', '{prompt_file}'],
  },
};

/** How a known program plays; further arguments are its own. */
export function agentCli(name: AgentCli, args: readonly string[] = []): CommandAgentOptions {
  const preset = PRESETS[name];
  return { ...preset, args: [...(preset.args ?? []), ...args] };
}
