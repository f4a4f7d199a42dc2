import { type JsonValue, textOf } from '../../protocol/index.ts';
import type { Play, PlaySubject, Step } from '../api.ts';
import type { TargetOptions } from '../targets/target-link.ts';

type EpisodeSubject = Extract<PlaySubject, { kind: 'episode' }>;

/** A play as a test: the same calls, and what they gave. */
export function toVitest(
  play: Play,
  { environment, choice }: EpisodeSubject,
  { name, isModule }: TargetOptions,
): string {
  const variable = toIdentifier(environment);
  const module = isModule ? name.replace(/^(?![./])/, './') : './environment.ts';
  const hint = isModule ? '' : ' // the module that exports it';
  const secrets = play.secrets.map(
    (secret) => `${JSON.stringify(secret)}: process.env[${JSON.stringify(secret)}] ?? ''`,
  );
  const options = [inner(choice as JsonValue), ...(secrets.length === 0 ? [] : [`secrets: { ${secrets.join(', ')} }`])];
  const steps = play.steps.filter(({ status }) => status === 'returned' || status === 'failed');
  return [
    `import { play } from 'tiltyard/testing';`,
    `import { expect, test } from 'vitest';`,
    `import { ${variable} } from ${JSON.stringify(module)};${hint}`,
    '',
    `test(${JSON.stringify(`${environment}: ${describe(choice)} goes as it was played`)}, async () => {`,
    `  await using episode = await play(${variable}, { ${options.join(', ')} });`,
    ...steps.flatMap((step) => toLines(step).map((line) => `  ${line}`)),
    '});',
    '',
  ].join('\n');
}

function toLines({ n, tool, input, result }: Step): string[] {
  const call = `episode.call(${JSON.stringify(tool)}, ${JSON.stringify(input)})`;
  if (result === null) return [`await expect(${call}).rejects.toThrow();`];
  const { reward, finished, blocks } = result;
  return [
    `const step${n} = await ${call};`,
    `expect(step${n}).toMatchObject({ reward: ${reward}, finished: ${finished} });`,
    `expect(step${n}.text).toBe(${JSON.stringify(textOf(blocks))});`,
  ];
}

/** The fields of an object, as they are written in code. */
function inner(value: JsonValue): string {
  return JSON.stringify(value).slice(1, -1);
}

function describe(choice: EpisodeSubject['choice']): string {
  return 'task' in choice ? 'a task of its own' : `task ${choice.index} of ${choice.split}`;
}

function toIdentifier(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  const joined = words.map((word, at) => (at === 0 ? word : `${word[0]?.toUpperCase()}${word.slice(1)}`)).join('');
  return /^[A-Za-z]/.test(joined) ? joined : `environment${joined}`;
}
