/** What a command may ask for: in its arguments as `{url}`, and always as TILTYARD_URL and so on. */
export interface Placed {
  readonly url: string;
  readonly token: string;
  readonly prompt: string;
  readonly prompt_file: string;
  readonly mcp_config: string;
  /** The names of the tools, separated by commas. */
  readonly tools: string;
}

const NAMES = ['url', 'token', 'prompt', 'prompt_file', 'mcp_config', 'tools'] as const;

const PLACEHOLDER = new RegExp(`\\{(${NAMES.join('|')})\\}`, 'g');

/** Arguments with what they ask for. No shell reads them: a prompt may say what it likes. */
export function fillIn(args: readonly string[], placed: Placed): string[] {
  return args.map((arg) => arg.replace(PLACEHOLDER, (_whole, name: keyof Placed) => placed[name]));
}

/** Whether the prompt is among the arguments; otherwise it is the standard input. */
export function placesPrompt(args: readonly string[]): boolean {
  return args.some((arg) => arg.includes('{prompt}') || arg.includes('{prompt_file}'));
}

/** The same as variables. */
export function toVariables(placed: Placed): Record<string, string> {
  return Object.fromEntries(NAMES.map((name) => [`TILTYARD_${name.toUpperCase()}`, placed[name]]));
}
