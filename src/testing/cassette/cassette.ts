import { statSync } from 'node:fs';
import { findRecords, RecordError, type RecordedEpisode, readEpisode } from '../../records/index.ts';
import { LocalHost } from '../../sessions/index.ts';
import { startServer, type TestServer, type TestServerOptions } from '../served.ts';
import { CassetteRuntime } from './cassette-runtime.ts';

/**
 * Serves records as an ORS server: a session for a recorded task gets the recorded prompt, and each call the answer that the same call
 * got. A call that was not recorded breaks, and says so. `records` are files, or folders of them.
 */
export async function cassette(
  records: string | readonly string[],
  options: TestServerOptions = {},
): Promise<TestServer> {
  const paths = [records].flat().flatMap(filesOf);
  const episodes: RecordedEpisode[] = [];
  for (const path of paths) episodes.push(await readEpisode(path));
  if (episodes.length === 0) throw new RecordError([records].flat().join(', '), 'has no records in it (*.jsonl)');
  return startServer({ host: (sessions) => new LocalHost(new CassetteRuntime(episodes), sessions) }, options);
}

function filesOf(path: string): string[] {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? findRecords(path) : [path];
}
