import { appendFileSync } from 'node:fs';
import { type Toolkit, tool, toolkit } from 'tiltyard';
import { z } from 'zod';

const input = z.object({ ledger: z.string(), lives: z.number() });

/** Ends its process, as often as it is told to. */
function die({ ledger, lives }: z.infer<typeof input>, { callId, attempt }: { callId: string; attempt: number }) {
  appendFileSync(ledger, `${callId} ${attempt}\n`);
  if (attempt <= lives) process.kill(process.pid, 'SIGKILL');
  return `attempt ${attempt}`;
}

/** Tools whose processes end under them. */
export const mortal: Toolkit = toolkit({
  name: 'Mortal',
  tools: {
    Look: tool({ description: 'May be done twice.', effects: 'idempotent', input, run: die }),
    Mail: tool({ description: 'Must not be done twice.', input, run: die }),
  },
});
