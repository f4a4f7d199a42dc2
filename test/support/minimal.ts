import { type Environment, type EnvironmentDefinition, environment } from 'tiltyard';

/** The least an environment can be, with what a test adds or replaces. */
export function minimal(changes: Partial<EnvironmentDefinition<any, any, any, any>> = {}): Environment {
  return environment<any, any, any, any>({
    name: 'minimal',
    splits: { train: [{ id: 0 }] },
    prompt: ({ task }: { task: object }) => JSON.stringify(task),
    tools: { look: { run: () => 'seen' } },
    ...changes,
  });
}

/** Tasks that tell their own index. */
export function numbered(count: number): { id: number }[] {
  return Array.from({ length: count }, (_, id) => ({ id }));
}
