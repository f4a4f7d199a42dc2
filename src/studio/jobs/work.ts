import { checkServer, type Finding, judge, lintEnvironment } from '../../checking/index.ts';
import type { JsonObject } from '../../protocol/index.ts';
import type { NewBench, NewCheck, NewLint } from '../api.ts';
import type { TargetLink } from '../targets/target-link.ts';
import type { JobTeller } from './job-run.ts';

/** Measures a server: the command brings this along, as the studio is below it. */
export type Bench = (
  target: { readonly url: string; readonly apiKey: string | undefined },
  options: { readonly seconds: number; readonly connections: number; readonly signal: AbortSignal },
) => Promise<JsonObject>;

/** Runs the referee. */
export async function runCheck(link: TargetLink, wanted: NewCheck, teller: JobTeller): Promise<null> {
  const tell = judging(teller, wanted.level);
  await checkServer({
    url: link.options.url,
    headers: link.headers,
    isActive: wanted.active ?? false,
    only: wanted.only ?? [],
    signal: teller.signal,
    onFinding: (finding, { protocol, done, total }) => {
      tell(protocol, finding);
      teller.progress(done, total, `${protocol}/${finding.id}`);
    },
  });
  teller.signal.throwIfAborted();
  return null;
}

/** Runs the lint. */
export async function runLint(link: TargetLink, wanted: NewLint, teller: JobTeller): Promise<null> {
  const { name, url, apiKey, code, toMessage } = link.options;
  const tell = judging(teller);
  await lintEnvironment({
    url,
    apiKey,
    name,
    ...code,
    environment: wanted.environment,
    samples: wanted.samples,
    seed: wanted.seed,
    isActive: wanted.active,
    signal: teller.signal,
    toMessage,
    onProgress: ({ done, total, doing }) => teller.progress(done, total, doing),
    onFinding: (finding) => tell('env', finding),
  });
  teller.signal.throwIfAborted();
  return null;
}

function judging(teller: JobTeller, level?: NewCheck['level']): (protocol: string, finding: Finding) => void {
  return (name, finding) => {
    const report = { url: '', protocols: [{ name, findings: [finding] }] };
    for (const judgement of judge(report, level === undefined ? {} : { level }).judgements) teller.found(judgement);
  };
}

/** Runs a measurement, telling how much of its time is over. */
export async function runBench(
  link: TargetLink,
  wanted: NewBench,
  teller: JobTeller,
  bench: Bench,
): Promise<JsonObject> {
  const { seconds = 5, connections = 16 } = wanted;
  const started = Date.now();
  const tell = () => {
    const done = Math.min(seconds, Math.round((Date.now() - started) / 1000));
    teller.progress(done, seconds, `${connections} connections`);
  };
  tell();
  const timer = setInterval(tell, 1_000);
  try {
    const { url, apiKey } = link.options;
    return await bench({ url, apiKey }, { seconds, connections, signal: teller.signal });
  } finally {
    clearInterval(timer);
    teller.progress(seconds, seconds, 'done');
  }
}
