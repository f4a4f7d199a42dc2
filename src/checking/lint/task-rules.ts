import { canonical } from '../referee/json.ts';
import { need } from '../referee/probe.ts';
import { type Rule, START } from './rule.ts';
import {
  type Blamed,
  firstReading,
  type Sample,
  type SampledEpisode,
  type SampledSplit,
  SCANNED,
  showPlace,
} from './sample.ts';

/** What is wrong with the tasks. */
export const taskRules: readonly Rule[] = [
  {
    id: 'env/split-empty',
    level: 'hardening',
    requirement: 'Every split has tasks',
    advice: 'add some, or remove the split',
    problems: ({ splits }) =>
      splits.filter(({ count }) => count === 0).map(({ name }) => `split '${name}' has no tasks`),
  },
  {
    id: 'env/task-count',
    level: 'specified',
    requirement: 'num_tasks is the number of tasks that ranges give',
    advice: 'set `count` to the number of indexes that `get` accepts',
    problems: ({ splits }) => splits.flatMap(countProblems),
  },
  {
    id: 'env/task-duplicate',
    level: 'hardening',
    requirement: 'The tasks of a split are different',
    advice: 'remove one: it would count twice in training',
    problems: ({ splits }) =>
      splits.flatMap(({ name: split, first }) => {
        const seen = new Map<string, number>();
        return first.flatMap((task, index) => {
          const earlier = seen.get(canonical(task));
          seen.set(canonical(task), earlier ?? index);
          return earlier === undefined
            ? []
            : [`${showPlace({ split, index })} is the same task as ${split}[${earlier}]`];
        });
      }),
  },
  {
    id: 'env/split-overlap',
    level: 'hardening',
    requirement: 'No evaluation task is also a training task',
    advice: 'move it: results measured with it mean nothing',
    problems({ splits }) {
      const train = splits.filter(({ type }) => type === 'train');
      const others = splits.filter(({ type }) => type !== 'train');
      need(train.length > 0 && others.length > 0, 'there is only one kind of split');
      const trained = new Map(
        train.flatMap(({ name, first }) => first.map((task, index) => [canonical(task), `${name}[${index}]`] as const)),
      );
      return others.flatMap(({ name, first }) =>
        first.flatMap((task, index) => {
          const twin = trained.get(canonical(task));
          return twin === undefined ? [] : [`${name}[${index}] is also ${twin}`];
        }),
      );
    },
  },
  {
    id: START,
    // Where none begins, there is nothing to judge, and that must not pass for a good environment.
    level: (sample) => (hasBegun(sample) ? 'hardening' : 'specified'),
    requirement: 'An episode of every task begins, with its prompt and its tools',
    advice: 'check `setup` and `prompt` with this task; send a secret that they need with --secret NAME',
    adviceOn: ({ episodes }) => {
      const [blamed, other] = new Set(failuresIn(episodes).map((each) => each.blamed));
      return blamed === undefined || other !== undefined ? undefined : START_ADVICE[blamed];
    },
    problems: ({ failure, episodes }) => [
      ...(failure === undefined ? [] : [`its splits cannot be read: ${failure}`]),
      ...(failure === undefined && episodes.length === 0 ? ['no split has a task to begin an episode with'] : []),
      ...(episodes.length > 0 && !hasBegun({ episodes }) ? ['no episode began, so nothing else could be judged'] : []),
      ...failuresIn(episodes).map(({ place, failure: why }) => `${place} does not begin: ${why}`),
    ],
  },
];

const START_ADVICE: Readonly<Record<Blamed, string>> = {
  task: 'mend this task: it does not fit the schema of the environment, or cannot be read',
  setup: 'check `setup` with this task; send a secret that it needs with --secret NAME',
  prompt: 'check `prompt` with this task: it must return text, or blocks made with text() and image()',
};

/** Why episodes do not begin, the first time that each does not. */
function failuresIn(episodes: readonly SampledEpisode[]) {
  return episodes.flatMap((episode) => {
    const failed = episode.readings.find(({ isRead }) => !isRead);
    return failed?.isRead === false ? [{ place: showPlace(episode), ...failed }] : [];
  });
}

function hasBegun({ episodes }: Pick<Sample, 'episodes'>): boolean {
  return episodes.some((episode) => firstReading(episode) !== undefined);
}

function countProblems({ name, count, first, atEnd, failure }: SampledSplit): string[] {
  if (failure !== undefined) return [`the tasks of split '${name}' cannot be read: ${failure}`];
  if (first.length !== Math.min(count, SCANNED))
    return [`split '${name}' says that it has ${count} tasks, and a range gives ${first.length}`];
  const problems: string[] = [];
  if (count > 0 && atEnd.last !== 1) problems.push(`split '${name}' does not give its last task, number ${count - 1}`);
  if (atEnd.beyond > 0) problems.push(`split '${name}' gives a task beyond the ${count} that it says it has`);
  return problems;
}
