import { isObject, type JsonValue } from '../../../protocol/index.ts';
import { parsed } from '../json.ts';
import { insist, type Probe } from '../probe.ts';
import type { Answer } from '../recorder.ts';
import { firstSuccess, insistRefusal, NO_SUCH_TOOL, resultIn, sendCall } from './calls.ts';
import type { OxpSubject } from './subject.ts';

const LONG_FORM =
  'https://raw.githubusercontent.com/OpenExecProtocol/OpenExecProtocol/refs/heads/main/spec/http/1.0/openapi.json';

const UNSUPPORTED: readonly JsonValue[] = ['urn:oxp:9.0', 'no version at all', 5];

/** Group V: the version of the protocol. */
export const protocolVersionProbes: readonly Probe<OxpSubject>[] = [
  {
    id: 'V1',
    group: 'Version of the protocol',
    level: 'specified',
    requirement:
      'A call without `$schema` means the latest version; version 1.0 may be named in its short and long form',
    source: 'oxp-call-tool.txt:10',
    isActive: true,
    async run(subject, http) {
      const { tool, input } = await firstSuccess(subject, http);
      for (const envelope of [{}, { $schema: 'urn:oxp:1.0' }, { $schema: LONG_FORM }]) {
        const answer = await sendCall(http, { tool_id: tool.id, input }, envelope);
        const how = '$schema' in envelope ? `with $schema ${envelope.$schema}` : 'without $schema';
        insist(resultIn(answer) !== undefined, `a call of ${tool.id} ${how} is answered with ${answer.status}`);
      }
    },
  },
  {
    id: 'V2',
    group: 'Version of the protocol',
    level: 'specified',
    requirement: 'A version of the protocol that the server does not speak is refused with 400',
    source: 'oxp-call-tool.txt:34-36',
    isActive: true,
    async run(subject, http) {
      const { tool, input } = await firstSuccess(subject, http);
      for (const $schema of UNSUPPORTED) {
        const answer = await sendCall(http, { tool_id: tool.id, input }, { $schema });
        insistRefusal(answer, `a call with $schema ${JSON.stringify($schema)}`);
      }
    },
  },
  {
    id: 'V3',
    group: 'Version of the protocol',
    level: 'specified',
    requirement: 'Answers say in `$schema` which version of the protocol they are of',
    source: 'oxp-call-tool.txt:68-98',
    async run(_subject, http) {
      insistSchema(await http.ask({ method: 'GET', path: '/tools' }), 'the list of tools');
      insistSchema(await sendCall(http, { tool_id: NO_SUCH_TOOL }), 'the refusal of a call');
    },
  },
];

function insistSchema(answer: Answer, what: string): void {
  const body = parsed(answer.text);
  insist(isObject(body) && typeof body.$schema === 'string', `${what} has no $schema`);
}
