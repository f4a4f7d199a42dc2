// npm run fuzz: 300,000 malformed requests against a server, and what came of them. SEED and REQUESTS change it;
// CONNECTION sends what one connection of such a run sent, to look at an offence again.
import { proveFuzz } from './fuzz/prove.ts';
import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';

const requests = readWholeNumber('REQUESTS', { otherwise: 300_000 });
const seed = readWholeNumber('SEED', { otherwise: Date.now() % 1_000_000, least: 0 });
const only =
  process.env.CONNECTION === undefined ? undefined : readWholeNumber('CONNECTION', { otherwise: 0, least: 0 });
const FLAT_BYTES = 4 * 1024 * 1024;
const PROGRESS_MS = 3_000;

process.stderr.write(`seed ${seed}\n`);
const begun = performance.now();
let sent = 0;
const progress = setInterval(() => process.stderr.write(`${doing()}\n`), PROGRESS_MS);
const proof = await proveFuzz({
  requests,
  seed,
  only,
  onProgress: (count) => {
    sent = count;
  },
});
clearInterval(progress);

const seconds = (performance.now() - begun) / 1000;
const isFlat = proof.grownBytes < FLAT_BYTES;
await writeReport({
  name: 'fuzz',
  title: 'Fuzzing',
  command: `SEED=${seed} REQUESTS=${requests}${only === undefined ? '' : ` CONNECTION=${only}`} npm run fuzz`,
  isProven: proof.offences.length === 0 && proof.errorLines.length === 0 && isFlat,
  body: [
    `${proof.sent} requests over every route: odd methods, paths, headers, content types, framing, JSON shapes, Unicode, prototype keys, deep nesting, huge numbers, wide and recursive inputs, pages of other origins, thousands of requests in one write whose answers are read or not; ${seconds.toFixed(0)} s.`,
    table(
      ['answer', 'count'],
      [...proof.statuses]
        .sort(([a], [b]) => a - b)
        .map(([status, count]) => [status === 0 ? 'connection closed (only after broken HTTP)' : status, count]),
    ),
    `Offences (5xx, an error without a JSON body, a whole request without an answer, silence): ${proof.offences.length}.`,
    ...proof.offences.map((offence) => `\`\`\`\n${offence}\n\`\`\``),
    `Lines logged as errors: ${proof.errorLines.length}.`,
    ...proof.errorLines.slice(0, 5).map((line) => `\`\`\`\n${line.slice(0, 1_000)}\n\`\`\``),
    `Memory in use afterwards, everything expired: ${(proof.grownBytes / 1024).toFixed(0)} KB more than before (flat: under ${FLAT_BYTES / 1024} KB).`,
  ],
});

function doing(): string {
  if (sent === 0) return 'warming up, and waiting until that has expired';
  return sent < requests ? `${sent} of ${requests} requests` : 'waiting until everything has expired';
}
