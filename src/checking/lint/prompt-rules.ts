import { need } from '../referee/probe.ts';
import type { Rule } from './rule.ts';
import { firstReading, type Sample, type SampledEpisode, showPlace } from './sample.ts';

/** What is wrong with prompts. */
export const promptRules: readonly Rule[] = [
  {
    id: 'env/prompt-empty',
    level: 'hardening',
    requirement: 'Every prompt says something',
    advice: 'say what to do, and how it ends',
    problems: (sample) =>
      readEpisodes(sample)
        .filter((episode) => isEmpty(episode))
        .map((episode) => `the prompt of ${showPlace(episode)} is empty`),
  },
  {
    id: 'env/prompt-unstable',
    level: 'hardening',
    requirement: 'A task gives the same prompt every time',
    advice: 'derive everything random from the task, for example from a seed in it',
    problems: (sample) =>
      differing(sample, ({ prompt }) => prompt).map((place) => `${place} has another prompt the second time`),
  },
  {
    id: 'env/tools-unstable',
    level: 'hardening',
    requirement: 'A task gives the same tools every time',
    advice: 'make `taskTools` depend only on the task',
    problems: (sample) =>
      differing(sample, ({ tools }) => JSON.stringify(tools)).map(
        (place) => `${place} has other tools the second time`,
      ),
  },
];

type Read = NonNullable<ReturnType<typeof firstReading>>;

/** The episodes that began; skips the rule if none did. */
export function readEpisodes({ episodes }: Sample): readonly SampledEpisode[] {
  const read = episodes.filter((episode) => firstReading(episode) !== undefined);
  need(read.length > 0, 'no episode of the sample began');
  return read;
}

function isEmpty(episode: SampledEpisode): boolean {
  const reading = firstReading(episode);
  return reading?.text.trim() === '' && !reading.prompt.includes('"type":"image"');
}

function differing(sample: Sample, toText: (reading: Read) => string): string[] {
  return readEpisodes(sample)
    .filter(({ readings }) => {
      const texts = readings.flatMap((reading) => (reading.isRead ? [toText(reading)] : []));
      return new Set(texts).size > 1;
    })
    .map(showPlace);
}
