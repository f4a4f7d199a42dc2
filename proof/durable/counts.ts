import type { Chronicle } from '../chaos/record.ts';

/** How much was played, for a report. */
export function countPlayed({ server, client, log }: Chronicle): [string, number][] {
  const answers = client.flatMap((event) => (event.what === 'answered' ? [event.answer.kind] : []));
  const count = <Value>(list: readonly Value[], wanted: Value) => list.filter((each) => each === wanted).length;
  const seen = server.map(({ what }) => what);
  const runs = server.flatMap((event) => (event.what === 'run' ? [event.token] : []));
  return [
    ['setups', count(seen, 'setup')],
    ['restored states', count(seen, 'restore')],
    ['runs of tools, replays included', runs.length],
    ['calls', new Set(runs).size],
    ['answers, repeated ones included', answers.length],
    ['of them with a result', count(answers, 'scored')],
    ['of them: the outcome is unknown', count(answers, 'outcome_unknown')],
    ['of them: the episode is lost', count(answers, 'lost')],
    ['sessions in the log', log.filter(({ what }) => what === 'session ended').length],
  ];
}
