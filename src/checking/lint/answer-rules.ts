import { type Leaf, leavesOf } from './leaves.ts';
import { readEpisodes } from './prompt-rules.ts';
import type { Rule } from './rule.ts';
import { firstReading, type Sample, type SampledEpisode, showPlace } from './sample.ts';

// Shorter ones are in many texts by chance.
const CERTAIN_LENGTH = 4;

// Of other values of a task, only what can hardly be in a tool's text by chance.
const TELLING_LENGTH = 12;

/** What the agent is told and should find out. */
export const answerRules: readonly Rule[] = [
  {
    id: 'env/answer-in-prompt',
    level: 'hardening',
    requirement: 'The prompt does not reveal the answer',
    advice: 'remove it from the prompt',
    problems: (sample) => findLeaks(sample, (episode) => firstReading(episode)?.text ?? '', 'its prompt'),
  },
  {
    id: 'env/answer-in-tools',
    level: 'hardening',
    requirement: 'Names, descriptions and schemas of tools do not reveal the answer',
    advice: 'remove it from the texts of the tool',
    problems: (sample) => [
      ...findLeaks(sample, toolText, 'the texts of its tools'),
      ...readEpisodes(sample).flatMap((episode) => tellingLeaves(episode)),
    ],
  },
];

interface Leak extends Leaf {
  readonly episode: SampledEpisode;
  readonly isShort: boolean;
}

function findLeaks(sample: Sample, toText: (episode: SampledEpisode) => string, where: string): string[] {
  const episodes = readEpisodes(sample);
  const answers = episodes.flatMap((episode) =>
    leavesOf(episode.task).flatMap((leaf) => (leaf.isAnswer ? [{ ...leaf, episode, isShort: isShort(leaf) }] : [])),
  );
  const leaks = answers.filter(
    ({ value, path, episode }) =>
      hasWord(toText(episode), value) && !isChoice(answers, { path, text: toText(episode) }),
  );
  return leaks
    .filter((leak) => !leak.isShort || isUsual(leak, { leaks, answers }))
    .map(({ episode, path, value, isShort: maybe }) => {
      const doubt = maybe ? ' (maybe: so short a value can be there by chance)' : '';
      return `${path} of ${showPlace(episode)}, ${JSON.stringify(value)}, is in ${where}${doubt}`;
    });
}

function isShort({ value }: Leaf): boolean {
  return String(value).trim().length < CERTAIN_LENGTH;
}

// A text that has the answers of other tasks, too, offers choices.
function isChoice(answers: readonly Leak[], { path, text }: { readonly path: string; readonly text: string }): boolean {
  const values = new Set(answers.filter((answer) => answer.path === path).map(({ value }) => value));
  return values.size > 1 && [...values].every((value) => hasWord(text, value));
}

// Chance does not hit most tasks.
function isUsual(
  leak: Leak,
  { leaks, answers }: { readonly leaks: readonly Leak[]; readonly answers: readonly Leak[] },
) {
  const hits = leaks.filter(({ path }) => path === leak.path).length;
  return hits >= 2 && hits * 2 > answers.filter(({ path }) => path === leak.path).length;
}

function tellingLeaves(episode: SampledEpisode): string[] {
  const prompt = firstReading(episode)?.text ?? '';
  return leavesOf(episode.task)
    .filter(({ isAnswer, value }) => !isAnswer && typeof value === 'string' && value.length >= TELLING_LENGTH)
    .filter(({ value }) => hasWord(toolText(episode), value) && !hasWord(prompt, value))
    .map(({ path }) => `${path} of ${showPlace(episode)} is not in its prompt, but in the texts of its tools`);
}

function toolText(episode: SampledEpisode): string {
  const tools = firstReading(episode)?.tools ?? [];
  // Line by line, without the quotes and escapes of JSON.
  return textsIn(tools).join('\n');
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function hasWord(text: string, value: string | number): boolean {
  const word = String(value)
    .trim()
    .replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\p{L}\\p{N}])(?<!\\d[.,])${word}(?![\\p{L}\\p{N}])(?![.,]\\d)`, 'iu').test(text);
}
