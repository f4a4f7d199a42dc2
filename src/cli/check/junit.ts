import type { Judgement, Verdict } from '../../checking/index.ts';

// What XML 1.0 has no place for, not even escaped.
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** The report as JUnit XML, which CI systems show: a suite for each protocol, a case for each requirement. */
export function toJunit({ judgements }: Verdict): string {
  const protocols = [...new Set(judgements.map(({ protocol }) => protocol))];
  const suites = protocols.map((name) => {
    const cases = judgements.filter(({ protocol }) => protocol === name);
    const count = (isCounted: (each: Judgement) => boolean) => cases.filter(isCounted).length;
    const failures = count(({ outcome }) => outcome === 'fail');
    const skipped = count(({ outcome }) => outcome !== 'fail' && outcome !== 'pass');
    return [
      `  <testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}">`,
      ...cases.map(toCase),
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="tiltyard check">\n${suites.join('\n')}\n</testsuites>\n`;
}

function toCase({ protocol, id, group, requirement, source, advice, outcome, reason = '' }: Judgement): string {
  const head = `    <testcase classname="${escaped(`${protocol}.${group}`)}" name="${escaped(`${id}: ${requirement}`)}"`;
  if (outcome === 'pass') return `${head}/>`;
  if (outcome === 'fail')
    return `${head}>\n      <failure message="${escaped(reason)}">${escaped(advice ?? source)}</failure>\n    </testcase>`;
  // Warnings and known failures must not fail the build, and JUnit has nothing between.
  return `${head}>\n      <skipped message="${escaped(`${outcome}: ${reason}`)}"/>\n    </testcase>`;
}

function escaped(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"]/g, (character) => ESCAPES[character] as string);
}
