import type { ReactElement } from 'react';
import type { WireExchange } from '../../../src/studio/api.ts';
import { formatMs, plural } from '../../data/format.ts';
import { useAnswer } from '../../data/hooks.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Failed, Loading } from '../../parts/states.tsx';

/** The requests of a step, and what came back, as they were on the wire. */
export function WireView({ play, step }: { readonly play: string; readonly step: number }): ReactElement {
  const path = { play, step: String(step) };
  const { data, error, reload } = useAnswer('GET /api/plays/:play/steps/:step/wire', { path });
  if (error !== undefined) return <Failed error={error} onRetry={reload} />;
  if (data === undefined) return <Loading lines={4} label="Loading the exchange" />;
  return (
    <div className="wire">
      {data.map((exchange) => (
        <Exchange key={`${exchange.at} ${exchange.request.url}`} exchange={exchange} />
      ))}
    </div>
  );
}

function Exchange({ exchange: { request, response, ms, error } }: { readonly exchange: WireExchange }): ReactElement {
  const sent = [`${request.method} ${request.url}`, ...headerLines(request.headers), '', request.body ?? ''].join('\n');
  const came =
    response === null ? '' : [String(response.status), ...headerLines(response.headers), '', response.body].join('\n');
  return (
    <div className="exchange">
      <section aria-label="Request">
        <h4>
          Request <CopyButton text={sent} />
        </h4>
        <LongText text={sent} />
      </section>
      <section aria-label="Response">
        <h4>
          Response {ms !== null && <span>{formatMs(ms)}</span>} {response !== null && <CopyButton text={came} />}
        </h4>
        {response === null ? <p className="soft">{error ?? 'No answer yet.'}</p> : <LongText text={came} />}
        {response !== null && response.cut > 0 && (
          <p className="soft">{plural(response.cut, 'more character')} not kept.</p>
        )}
      </section>
    </div>
  );
}

function headerLines(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
}
