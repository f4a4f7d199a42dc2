import type { WireBlock } from '../protocol/index.ts';

// Some programs cut what is longer.
const MAX_CHARACTERS = 2_000;

/** The name of the prompt that has the task. */
export const TASK_PROMPT = 'task';

/** What the model of a client is told of an episode: the task, if it is known and short; or where it is. */
export function instructionsFor(environment: string, task: readonly WireBlock[] | undefined): string {
  const intro = `This server is one episode of the environment '${environment}'. Act in it with its tools, until a result says that the episode has ended.`;
  const pointer = `${intro} The task is in the prompt '${TASK_PROMPT}' of this server.`;
  if (task === undefined || task.some(({ type }) => type !== 'text')) return pointer;
  const text = task.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  const whole = `${intro}\n\nThe task:\n\n${text}`;
  return whole.length <= MAX_CHARACTERS ? whole : pointer;
}
