// npm run siege: every attack on memory at once, on a server with a small heap, beside episodes of official clients.

import { preparePython } from '../test/interop/python-environment.ts';
import { table, writeReport } from './report.ts';
import { readWholeNumber } from './settings.ts';
import { ATTACKS } from './siege/attacks.ts';
import { playOfficially } from './siege/play-officially.ts';
import { HEAP_MB, proveSiege } from './siege/prove.ts';

const episodes = readWholeNumber('EPISODES', { otherwise: 200 });
const python = await preparePython();

const proof = await proveSiege({
  attacks: Object.keys(ATTACKS),
  honest: (url) => playOfficially(python, url, episodes),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});

const { seen, ended, failures, slowestHealthMs, peakBytes } = proof;
const SHOWN = 10;
await writeReport({
  name: 'siege',
  title: 'Siege',
  command: episodes === 200 ? 'npm run siege' : `EPISODES=${episodes} npm run siege`,
  isProven: ended === undefined && proof.episodes === episodes && failures.length === 0,
  body: [
    `A server with a heap of ${HEAP_MB} MB, which clients with one key try to make hold more than it can, in every way that we know and all at once. Clients with another key, the official ones in Python, play ${episodes} episodes meanwhile.`,
    table(['attack', 'what it saw'], [...seen]),
    table(
      ['what must hold', 'seen'],
      [
        ['the server lives', ended === undefined ? 'yes' : `no: it ended with ${ended}`],
        ['every honest episode ends with its reward', `${proof.episodes} of ${episodes}`],
      ],
    ),
    ...failures.slice(0, SHOWN).map((failure) => `\`\`\`\n${failure}\n\`\`\``),
    `The slowest answer of \`/health\` took ${Math.round(slowestHealthMs)} ms, with the attackers, the players and the server on the same cores. The server took ${Math.round(peakBytes / 2 ** 20)} MB of memory at the most.`,
  ],
});
process.exit();
