import { type CheckReport, countOutcomes, type Verdict } from '../../checking/index.ts';

const MAX_TEXT = 10_000;

/** The report for programs. */
export function toJsonReport({ url, protocols }: CheckReport, { judgements, fixed, passed }: Verdict): object {
  return {
    url,
    passed,
    summary: Object.fromEntries(
      protocols.map(({ name }) => [name, countOutcomes(judgements.filter(({ protocol }) => protocol === name))]),
    ),
    fixed: fixed.map(({ id }) => id),
    findings: judgements.map(({ verdict: _verdict, exchanges, ...rest }) => ({
      ...rest,
      exchanges: exchanges.map(({ request: { method, path, headers, body }, answer, error }) => ({
        request: { method, path, headers, body },
        ...(answer === undefined ? {} : { answer: { ...answer, text: answer.text.slice(0, MAX_TEXT) } }),
        ...(error === undefined ? {} : { error }),
      })),
    })),
  };
}
