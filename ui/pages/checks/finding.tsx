import type { ReactElement } from 'react';
import type { JobExchange, JobFinding } from '../../../src/studio/api.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { LongText } from '../../parts/long-text.tsx';
import { OUTCOMES } from './job-counts.tsx';

/** One requirement, and what was sent and received where it was not met. */
export function Finding({ finding, isGrouped }: FindingProps): ReactElement {
  const { protocol, id, group, requirement, level, source, outcome, reason, advice, exchanges } = finding;
  const { sign, name, tone } = OUTCOMES[outcome];
  const head = (
    <>
      <span className={`tag ${tone}`}>
        {sign} {name}
      </span>
      <span className="mono">{id.startsWith(`${protocol}/`) ? id : `${protocol}/${id}`}</span>
      <span className="requirement">
        {toSafeText(requirement)}
        {isGrouped && <span className="soft"> · {toSafeText(group)}</span>}
      </span>
      <span className="soft small">{level}</span>
    </>
  );
  if (reason === null && advice === null && exchanges.length === 0) return <li className="finding">{head}</li>;
  return (
    <li className="finding">
      <details open={outcome === 'fail'}>
        <summary>{head}</summary>
        <div className="about">
          {reason !== null && <LongText text={reason} className="plain" />}
          {advice !== null && <p className="soft">{toSafeText(advice)}</p>}
          <p className="soft small">{toSafeText(source)}</p>
          {exchanges.map((exchange, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: exchanges never change their places.
            <Exchange key={at} exchange={exchange} />
          ))}
        </div>
      </details>
    </li>
  );
}

interface FindingProps {
  readonly finding: JobFinding;
  /** Whether the same requirement is there for others as well. */
  readonly isGrouped: boolean;
}

function Exchange({
  exchange: { method, path, headers, body, answer, error },
}: {
  readonly exchange: JobExchange;
}): ReactElement {
  const lines = (given: Readonly<Record<string, string>>) =>
    Object.entries(given).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="exchange">
      <section aria-label="Sent">
        <h4>Sent</h4>
        <LongText text={[`${method} ${path}`, ...lines(headers), '', body ?? ''].join('\n')} />
      </section>
      <section aria-label="Received">
        <h4>Received</h4>
        {answer === null ? (
          <p className="soft">{toSafeText(error ?? 'nothing')}</p>
        ) : (
          <LongText text={[String(answer.status), ...lines(answer.headers), '', answer.text].join('\n')} />
        )}
      </section>
    </div>
  );
}
