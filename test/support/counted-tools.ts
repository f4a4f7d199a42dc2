import { ToolError, tool, toolkit } from 'tiltyard';
import { z } from 'zod';
import { Gate } from './gates.ts';

/** A new toolkit `Counted` that counts how often each call of a client has run. */
export function countedTools() {
  const runs = new Map<string, number>();
  const contexts: object[] = [];
  const gate = new Gate();
  const ran = (key: string) => {
    const count = (runs.get(key) ?? 0) + 1;
    runs.set(key, count);
    return count;
  };
  const keyed = { key: z.string() };
  const small = tool({
    description: 'Says what it was called with.',
    input: z.object(keyed),
    output: z.string(),
    run({ key }, { secrets, authorization, userId, traceId }) {
      ran(key);
      contexts.push({ secrets, authorization, userId, traceId });
      return `ran ${key}`;
    },
  });
  const flaky = tool({
    description: 'Fails so many times.',
    input: z.object({
      ...keyed,
      failures: z.number(),
      afterMs: z.number().optional(),
      canRetry: z.boolean().default(true),
    }),
    output: z.number(),
    run({ key, failures, afterMs, canRetry }) {
      const count = ran(key);
      if (count > failures) return count;
      throw new ToolError(`failure ${count}`, {
        canRetry,
        promptContent: `hint ${count}`,
        developerMessage: `detail ${count}`,
        ...(afterMs === undefined ? {} : { retryAfterMs: afterMs }),
      });
    },
  });
  const wait = tool({
    description: 'Waits at the gate.',
    input: z.object(keyed),
    output: z.string(),
    async run({ key }, { signal }) {
      ran(key);
      await gate.pass(signal);
      return `waited for ${key}`;
    },
  });
  return {
    toolkits: [toolkit({ name: 'Counted', tools: { Small: small, Flaky: flaky, Wait: wait } })] as const,
    /** How often the call with this key has run. */
    runs: (key: string): number => runs.get(key) ?? 0,
    /** What each run of `Small` was given besides its input. */
    contexts,
    /** Where `Wait` waits. */
    gate,
  };
}
