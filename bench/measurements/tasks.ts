import { startChild } from '../child.ts';
import { compare, processorTime, ratioOf } from '../compare.ts';
import { post, strides } from '../requests.ts';
import { atMostMore, type Verdict } from '../verdicts.ts';

const CONNECTIONS = 16;

/** A task by its index: from a split of ten, and from splits of a million. */
export async function measureTasks(): Promise<Verdict[]> {
  using server = await startChild('large-splits');
  const splits = [
    { name: 'of 10', split: 'ten', size: 10 },
    { name: 'of 1,000,000', split: 'million', size: 1_000_000 },
    { name: 'of 1,000,000, counted', split: 'counted', size: 1_000_000 },
  ];
  const contenders = splits.map(({ name, split, size }) => {
    const turn = strides();
    const next = () => [post('/catalog/task', { split, index: turn() % size }, { expect: '"task"' })];
    return { name, server, next };
  });
  const [ten, ...large] = await compare(contenders, {
    title: `tasks by index, ${CONNECTIONS} connections`,
    connections: CONNECTIONS,
    unit: 'tasks',
  });
  if (ten === undefined) return [];
  return large.map((each) =>
    atMostMore(`a task ${each.name}: processor time against one of 10`, ratioOf(each, ten, processorTime), 0.15),
  );
}
