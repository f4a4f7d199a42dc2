import { isObject, type JsonValue } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import { callableTools, callSamples, insistRefusal, resultIn, sendCall } from './calls.ts';
import type { OxpSubject } from './subject.ts';

const MALFORMED: readonly JsonValue[] = ['{', '"text"', '[]', '{}', '{"request":5}', '{"request":{}}', ''];

// A few say enough about one tool.
const MAX_INVALID = 3;

/** Group E: the three kinds of errors. */
export const errorProbes: readonly Probe<OxpSubject>[] = [
  {
    id: 'E1',
    group: 'Errors',
    level: 'specified',
    requirement: 'A call that is not one (no JSON, no `request`, no tool_id) is refused with 400 and a message',
    source: 'oxp-call-tool.txt:33-40',
    async run(_subject, http) {
      const headers = { 'content-type': 'application/json' };
      for (const body of MALFORMED) {
        const answer = await http.ask({ method: 'POST', path: '/tools/call', headers, body });
        insistRefusal(answer, `a call with the body ${body === '' ? 'left out' : body}`);
      }
    },
  },
  {
    id: 'E2',
    group: 'Errors',
    level: 'specified',
    requirement: 'An input that its schema does not take is refused with 422, and the tool does not run',
    source: 'oxp-call-tool.txt:41-43',
    isActive: true,
    async run(subject, http) {
      const refused = callableTools(subject).flatMap((tool) =>
        subject.schemas
          .invalidInputs(tool.inputSchema)
          .slice(0, MAX_INVALID)
          .map(({ input }) => ({ id: tool.id, input })),
      );
      need(refused.length > 0, 'no listed tool has a schema that could refuse anything');
      for (const { id, input } of refused) {
        const what = `${id} with the input ${JSON.stringify(input).slice(0, 200)}`;
        const body = insistRefusal(await sendCall(http, { tool_id: id, input }), what, 422);
        const { parameter_errors: errors } = body;
        const isMap = isObject(errors) && Object.values(errors).every((message) => typeof message === 'string');
        insist(errors === undefined || isMap, `${what} is refused with odd parameter_errors`);
      }
    },
  },
  {
    id: 'E3',
    group: 'Errors',
    level: 'specified',
    requirement: 'A tool that fails is answered with 200, success false and an error with a message',
    source: 'oxp-call-tool.txt:44-45',
    isActive: true,
    async run(subject, http) {
      const samples = await callSamples(subject, http);
      for (const { tool, answer } of samples) {
        const isKnown = [200, 400, 422].includes(answer.status);
        insist(isKnown, `${tool.id} is answered with ${answer.status}; OXP has no such answer to a valid call`);
      }
      const failed = samples.map(({ answer }) => resultIn(answer)).filter((result) => result?.success === false);
      need(failed.length > 0, 'no listed tool failed with an input made from its schema');
      for (const result of failed) insistToolError(result?.error);
    },
  },
  {
    id: 'E4',
    group: 'Errors',
    level: 'specified',
    requirement: 'A result has a value or an error, never both',
    source: 'oxp-openapi.json:374-403',
    isActive: true,
    async run(subject, http) {
      const results = (await callSamples(subject, http))
        .map(({ answer }) => resultIn(answer))
        .filter((result) => result !== undefined);
      need(results.length > 0, 'no listed tool ran with an input made from its schema');
      for (const result of results) {
        const isSuccess = result.success === true;
        insist(!isSuccess || !('error' in result), 'a result with success true has an error');
        insist(isSuccess || !('value' in result), 'a result with success false has a value');
      }
    },
  },
  {
    id: 'E5',
    group: 'Errors',
    level: 'specified',
    requirement: 'A value fits the output_schema of its tool',
    source: 'oxp-openapi.json:228-241',
    isActive: true,
    async run(subject, http) {
      const valued = (await callSamples(subject, http)).flatMap(({ tool, answer }) => {
        const result = resultIn(answer);
        return result?.value !== undefined && tool.outputSchema !== null
          ? [{ id: tool.id, schema: tool.outputSchema, value: result.value as JsonValue }]
          : [];
      });
      need(valued.length > 0, 'no tool with an output_schema succeeded with an input made from its input_schema');
      for (const { id, schema, value } of valued) {
        const [isAllowed] = subject.schemas.allowed(schema, [value]);
        // Of a schema that takes too long, nobody can say.
        const fits = isAllowed === true || subject.schemas.isCostly(schema);
        insist(fits, `${id} returned ${JSON.stringify(value).slice(0, 200)}, against its output_schema`);
      }
    },
  },
];

function insistToolError(error: unknown): void {
  insist(isObject(error), 'a result with success false has no error');
  insist(typeof error.message === 'string', 'the error of a result has no message');
  const isOptional = (key: string, type: string) => error[key] === undefined || typeof error[key] === type;
  insist(isOptional('developer_message', 'string'), 'developer_message is not a string');
  insist(isOptional('can_retry', 'boolean'), 'can_retry is neither true nor false');
  insist(isOptional('additional_prompt_content', 'string'), 'additional_prompt_content is not a string');
  insist(
    error.retry_after_ms === undefined || Number.isInteger(error.retry_after_ms),
    'retry_after_ms is not an integer',
  );
}
