import { tool, toolkit } from 'tiltyard';
import { z } from 'zod';

/** Tools for tests of the server as a whole: with and without input, needs and scopes. */
export const bank = toolkit({
  name: 'Bank',
  tools: {
    Rate: tool({ description: 'The rate of interest.', output: z.number(), run: () => 0.5 }),
    Add: tool({ input: z.object({ a: z.number(), b: z.number() }), output: z.number(), run: ({ a, b }) => a + b }),
    Pay: tool({ scopes: ['billing'], run: () => 'paid' }),
    Transfer: tool({
      requirements: { secrets: ['PIN'], userId: true, authorization: [{ id: 'bank', url: 'https://bank.example' }] },
      run: () => 'transferred',
    }),
  },
});
