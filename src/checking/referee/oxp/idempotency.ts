import { insist, need, type Probe } from '../probe.ts';
import { callableTools, firstSuccess, inputFor, insistRefusal, resultIn, sendCall } from './calls.ts';
import type { OxpSubject } from './subject.ts';

const REPEATS = 3;

/** Group I: the identity of a call. */
export const idempotencyProbes: readonly Probe<OxpSubject>[] = [
  {
    id: 'I1',
    group: 'Identity of calls',
    level: 'specified',
    requirement: 'A call keeps the call_id it came with; without one it gets one of its own',
    source: 'oxp-openapi.json:300-303',
    isActive: true,
    async run(subject, http) {
      const { tool, input, result } = await firstSuccess(subject, http);
      const other = resultIn(await sendCall(http, { tool_id: tool.id, input }));
      insist(typeof result.call_id === 'string' && result.call_id !== '', 'a call without call_id got none');
      insist(result.call_id !== other?.call_id, 'two calls without call_id got the same one');
      const call_id = crypto.randomUUID();
      const named = resultIn(await sendCall(http, { call_id, tool_id: tool.id, input }));
      insist(named?.call_id === call_id, `the call_id '${call_id}' came back as '${named?.call_id}'`);
    },
  },
  {
    id: 'I2',
    group: 'Identity of calls',
    level: 'specified',
    requirement: 'A repeat of a call_id gets the result of the first call, and another call cannot use the same id',
    source: 'oxp-openapi.json:300-303',
    isActive: true,
    async run(subject, http) {
      const { tool, input } = await firstSuccess(subject, http);
      const call_id = crypto.randomUUID();
      const repeats = Array.from({ length: REPEATS }, () => sendCall(http, { call_id, tool_id: tool.id, input }));
      const values = (await Promise.all(repeats)).map((answer) => JSON.stringify(resultIn(answer)?.value ?? null));
      insist(new Set(values).size === 1, `${tool.id} ran more than once for one call_id: ${values.join(', ')}`);
      const other = callableTools(subject).find(({ name }) => name !== tool.name);
      need(other !== undefined, 'a single tool cannot show whether ids are kept');
      const taken = await sendCall(http, { call_id, tool_id: other.id, input: inputFor(other) });
      // A server that looks at the input first may refuse that instead: nothing ran in either case.
      if (taken.status !== 422) insistRefusal(taken, `a call of ${other.id} with the call_id of another call`);
    },
  },
];
