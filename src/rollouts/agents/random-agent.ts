import type { Agent } from '../play/agent.ts';
import { randomInput } from './random-input.ts';

/** Calls any tool with any input that its schema seems to allow, until the episode is finished. */
export const randomAgent: Agent = async ({ tools, call, random }) => {
  if (tools.length === 0) return;
  for (;;) {
    const { name, input_schema } = tools[Math.floor(random() * tools.length)] as (typeof tools)[number];
    const { finished } = await call(name, randomInput(input_schema, random));
    if (finished) return;
  }
};
