import { parsed } from '../json.ts';
import { insist, type Probe } from '../probe.ts';
import { type RawEvent, resultText } from './event-stream.ts';
import { inGroup } from './group.ts';
import type { CallRecord } from './sampled-calls.ts';
import type { OrsSubject } from './subject.ts';

const EVENT_BYTES = 4096;
const LINE_BYTES = 128 * 1024;

// What Python's str.strip takes away.
const STRIPPED_SET = '[\\t-\\r\\x1c- \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const STRIPPED = new RegExp(`^${STRIPPED_SET}|${STRIPPED_SET}$`);

/** Group E: how results are framed. */
export const streamProbes: readonly Probe<OrsSubject>[] = inGroup('Event streams', [
  {
    id: 'E1',
    level: 'specified',
    requirement: 'A stream is `task_id`, then any `chunk`, then one `end`; or it ends with `error`.',
    source: 'ors-http-api.txt:397-402',
    isActive: true,
    run: everyStream(({ stream }) => {
      const names = stream.events.map(({ event }) => event).join(' ');
      insist(/^task_id (?:(?:chunk )*end|error)$/.test(names), `the events are: ${names || 'none'}`);
    }),
  },
  {
    id: 'E2',
    level: 'specified',
    requirement: 'Every event has an `event:` line, a `data:` line and a blank line after it.',
    source: 'ors-http-api.txt:383-396',
    isActive: true,
    run: everyStream(({ stream }) => {
      for (const { event, dataLines, isClosed } of stream.events) {
        insist(event !== 'message', 'an event has no `event:` line');
        insist(dataLines.length > 0, `the event '${event}' has no \`data:\` line`);
        insist(isClosed, `no blank line follows the event '${event}'`);
      }
    }),
  },
  {
    id: 'E4',
    level: 'specified',
    requirement: 'The data of `chunk` and `end` together are the JSON of the result; up to 4 KB go in one `end`.',
    source: 'ors-http-api.txt:388-401',
    isActive: true,
    run: everyStream((call) => {
      const text = resultText(call.stream);
      if (text === undefined) return;
      insist(parsed(text) !== undefined, 'the joined data is not JSON');
      const isSplit = payloadsOf(call).length > 1;
      const bytes = Buffer.byteLength(text);
      insist(!isSplit || bytes > EVENT_BYTES, `a result of ${bytes} bytes must not be split`);
      insist(isSplit || text.length <= EVENT_BYTES, `a result of ${text.length} characters must be split`);
    }),
  },
  {
    id: 'E5',
    level: 'hardening',
    requirement: 'No event has more than 4096 bytes of data, and none splits a character.',
    source: 'ors-http-api.txt:388-401',
    isActive: true,
    run: everyStream((call) => {
      for (const data of payloadsOf(call)) {
        insist(Buffer.byteLength(data) <= EVENT_BYTES, `an event has ${Buffer.byteLength(data)} bytes of data`);
        insist(!data.includes('\ufffd'), 'an event has half a character in it');
      }
    }),
  },
  {
    id: 'E6',
    level: 'interop',
    requirement: 'No data begins or ends with white space, which official clients strip: results would change.',
    source: 'ors-sdk 0.1.0 _http.py:116',
    isActive: true,
    run: everyStream((call) => {
      for (const data of payloadsOf(call))
        insist(!STRIPPED.test(data), 'the data of an event begin or end with white space');
    }),
  },
  {
    id: 'E7',
    level: 'interop',
    requirement: 'U+0085, U+2028 and U+2029 are escaped: some clients take them for line ends.',
    source: 'httpx iter_lines',
    isActive: true,
    run: everyStream((call) => {
      for (const data of payloadsOf(call)) insist(!/[\u0085\u2028\u2029]/.test(data), 'data have one of them as it is');
    }),
  },
  {
    id: 'E8',
    level: 'interop',
    requirement: 'The data of `chunk` and `end` are one line.',
    source: 'ors-http-api.txt:383-396',
    isActive: true,
    run: everyStream((call) => {
      for (const { event, dataLines } of resultEvents(call))
        insist(dataLines.length === 1, `the event '${event}' has ${dataLines.length} data lines`);
    }),
  },
  {
    id: 'E9',
    level: 'interop',
    requirement: 'No line has 128 KB or more, on which official clients give up.',
    source: 'aiohttp StreamReader.readuntil',
    isActive: true,
    run: everyStream(({ stream }) => {
      for (const line of stream.lines)
        insist(Buffer.byteLength(line) < LINE_BYTES, `a line has ${Buffer.byteLength(line)} bytes`);
    }),
  },
  {
    id: 'E10',
    level: 'interop',
    requirement: 'Every line that is not blank has a colon.',
    source: 'ors-sdk 0.1.0 _http.py:115',
    isActive: true,
    run: everyStream(({ stream }) => {
      for (const line of stream.lines) insist(line.includes(':'), `a line has no colon: ${line.slice(0, 80)}`);
    }),
  },
  {
    id: 'E12',
    level: 'interop',
    requirement: 'The stream ends right after `end` or `error`.',
    source: 'ors-sdk 0.1.0 _http.py',
    isActive: true,
    run: everyStream(({ isOpenEnded }) => insist(!isOpenEnded, 'the connection stays open after the last event')),
  },
]);

// All probes of framing look at the same calls: of every tool, some with long texts.
function everyStream(look: (call: CallRecord) => void): Probe<OrsSubject>['run'] {
  return ({ calls }, http) =>
    calls.each(http, (call) => {
      try {
        look(call);
      } catch (thrown) {
        if (thrown instanceof Error) thrown.message = `'${call.request.name}': ${thrown.message}`;
        throw thrown;
      }
    });
}

function resultEvents({ stream }: CallRecord): RawEvent[] {
  return stream.events.filter(({ event }) => event === 'chunk' || event === 'end');
}

function payloadsOf(call: CallRecord): string[] {
  return resultEvents(call).map(({ dataLines }) => dataLines.join('\n'));
}
