/** What a project can begin with, as a person reads it. */
export const KINDS = {
  environment: 'tasks, tools and rewards, over the Open Reward Standard',
  toolkit: 'tools alone, over the Open eXecution Protocol',
} as const;

/** What a project begins with. */
export type Kind = keyof typeof KINDS;
