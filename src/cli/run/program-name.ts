import { AGENT_CLIS, type RunOptions } from './options.ts';

/** Who plays, if it is a program. */
export type NamedProgram = Pick<RunOptions, 'agentCli' | 'program'>;

/** What a program is called in the files of a run: as it was on the command line, so that a resumed run finds it again. */
export function programName({ agentCli, program = [] }: NamedProgram): string {
  const cli = agentCli === undefined ? [] : ['--agent-cli', agentCli];
  const own = program.length === 0 ? [] : ['--', ...program.map(quote)];
  return [...cli, ...own].join(' ');
}

/** The program of such a name; undefined if it is none. */
export function readProgramName(name: string): NamedProgram | undefined {
  const words = [...name.matchAll(/"(?:[^"\\]|\\.)*"|\S+/g)].map(([word]) => unquote(word));
  const at = words.indexOf('--');
  const agentCli = words[0] === '--agent-cli' ? AGENT_CLIS.find((each) => each === words[1]) : undefined;
  if (agentCli === undefined && at !== 0) return undefined;
  return {
    ...(agentCli === undefined ? {} : { agentCli }),
    ...(at < 0 ? {} : { program: words.slice(at + 1) }),
  };
}

function quote(word: string): string {
  return word === '' || /[\s"\\]/.test(word) ? JSON.stringify(word) : word;
}

function unquote(word: string): string {
  return word.startsWith('"') ? (JSON.parse(word) as string) : word;
}
