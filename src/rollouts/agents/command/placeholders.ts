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

/** The same as variables, but for what no variable can hold: a long prompt is in its file. */
export function toVariables(placed: Placed): Record<string, string> {
  const held = NAMES.filter((name) => obstacleIn(placed[name]) === undefined);
  return Object.fromEntries(held.map((name) => [`TILTYARD_${name.toUpperCase()}`, placed[name]]));
}

/** Why a prompt cannot be where these arguments or variables have it; undefined if it can. */
export function misplacedPrompt(texts: readonly string[], placed: Placed): string | undefined {
  const placing = texts.filter((text) => text.includes('{prompt}'));
  const [obstacle] = fillIn(placing, placed).flatMap((text) => obstacleIn(text) ?? []);
  if (obstacle === undefined) return undefined;
  return `the prompt has ${obstacle}, and cannot be an argument or a variable of the command: use {prompt_file} instead of {prompt}, or read it from standard input`;
}

// Linux takes 128 KB for each argument and each variable, its name included.
const MOST_BYTES = 100_000;

function obstacleIn(text: string): string | undefined {
  if (text.includes('\0')) return 'a NUL character';
  const bytes = Buffer.byteLength(text);
  return bytes > MOST_BYTES ? `${bytes} bytes` : undefined;
}
