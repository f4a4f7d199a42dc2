/** What a project can begin with, as a person reads it. */
export const KINDS = {
  environment: 'tasks, tools and rewards: agents play episodes of it (Open Reward Standard)',
  toolkit: 'tools alone: agents call them without an episode (Open eXecution Protocol)',
} as const;

/** What a project begins with. */
export type Kind = keyof typeof KINDS;
