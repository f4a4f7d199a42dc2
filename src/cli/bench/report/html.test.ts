import { expect, test } from 'vitest';
import { Histogram } from '../load/histogram.ts';
import { toPlan } from '../plan.ts';
import type { BenchResult, Contender } from '../result/result.ts';
import type { Round } from '../result/round.ts';
import { toHtml } from './html.ts';
import { toJson } from './json.ts';
import { toLines } from './text.ts';

const HOSTILE = `<script>alert("x")</script><img src='https://evil.example/x'>\x1b[2J&amp;`;

function roundOf(more: Partial<Round> = {}): Round {
  const latency = new Histogram();
  for (let ms = 1; ms < 50; ms += 1) latency.record(ms / 3);
  return {
    seconds: 1,
    completed: 49,
    perSecond: 49,
    failed: 1,
    latency,
    operations: new Map([['create', latency]]),
    errors: [{ kind: 'status 500', count: 1, example: HOSTILE }],
    timeline: { intervalMs: 100, counts: [4, 5, 6] },
    sentBytes: 1,
    receivedBytes: 1,
    unsent: 0,
    connections: 16,
    rate: undefined,
    usage: { cores: 0.5, cpuMicrosPerUnit: 100, memoryBytes: 2 ** 26 },
    lag: { p99Ms: 3 },
    ...more,
  };
}

const contender: Contender = {
  server: { name: HOSTILE, url: 'http://localhost:1' } as Contender['server'],
  work: {
    protocol: 'ORS',
    unit: 'calls',
    environment: HOSTILE,
    split: HOSTILE,
    tool: HOSTILE,
    input: { a: HOSTILE },
  } as unknown as Contender['work'],
  rounds: [roundOf()],
};

const result = (options: object, rounds: readonly Round[] = contender.rounds): BenchResult => ({
  plan: toPlan({ warmUp: 0, timeout: 1_000, ...options }),
  contenders: 'compare' in options ? [{ ...contender, rounds }, contender] : [{ ...contender, rounds }],
  wasInterrupted: true,
});

const RESULTS = {
  'a steady load': result({}),
  'a comparison': result({ compare: 'x' }),
  'a ramp': result({ ramp: true }, [roundOf({ connections: 1 }), roundOf({ connections: 2, perSecond: 90 })]),
  'nothing at all': result({}, []),
};

test.each(Object.entries(RESULTS))(
  'the page of %s loads nothing, runs nothing, and shows hostile text as text',
  (_, each) => {
    const page = toHtml(each, new Date(0));
    expect(page).not.toMatch(/<script|<img|<link|<iframe|<object|@import|url\(/i);
    const tags = page.match(/<[a-z][^>]*>/gi) ?? [];
    expect(tags.filter((tag) => /\s(?:src|href|srcset|action|on\w+)\s*=/i.test(tag))).toEqual([]);
    expect(page).not.toContain('\x1b');
    expect(page).toContain(`default-src 'none'`);
    expect(page).toContain('&#60;script&#62;');
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
    // Every tag that is opened is closed.
    for (const tag of ['div', 'figure', 'svg', 'table', 'tr', 'td', 'g', 'text', 'p'])
      expect(page.match(new RegExp(`<${tag}[ >]`, 'g'))?.length).toBe(page.match(new RegExp(`</${tag}>`, 'g'))?.length);
  },
);

test.each(Object.entries(RESULTS))(
  'the text of %s has no control characters, and the JSON holds it as it is',
  (_, each) => {
    const identity = (text: string) => text;
    const colors = { bold: identity, red: identity, green: identity, yellow: identity } as never;
    const lines = toLines(each, { colors, charset: 'ascii', columns: 80 });
    expect(lines.join('\n')).not.toMatch(/[\x00-\x09\x0b-\x1f]|NaN|Infinity|undefined/);
    expect(JSON.stringify(toJson(each))).not.toContain('NaN');
  },
);

test('names that a person gave are escaped in attributes as well', () => {
  const page = toHtml(RESULTS['a comparison'], new Date(0));
  expect(page).toContain('alert(&#34;x&#34;)');
  expect(page).not.toContain(`"x"`);
});
