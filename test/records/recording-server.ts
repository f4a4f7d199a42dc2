// A server that records and keeps its episodes in a folder, until it is killed.
import { join } from 'node:path';
import { createServer } from 'tiltyard/server';
import { counting, plain } from './counting.ts';

const [folder = ''] = process.argv.slice(2);
const server = await createServer({
  environments: [counting, plain],
  record: { folder: join(folder, 'records') },
  journal: { folder: join(folder, 'journal') },
  logger: false,
});
process.send?.({ url: await server.listen() });
