import type { JsonValue } from '../../../protocol/index.ts';
import { insist, need, type Probe } from '../probe.ts';
import type { Recorder } from '../recorder.ts';
import { compareVersions, firstSuccess, inputFor, insistRefusal, resultIn, sendCall } from './calls.ts';
import type { ListedTool, OxpSubject } from './subject.ts';

// None of them can mean a tool on any server.
const IMPOSSIBLE: readonly JsonValue[] = [
  'TiltyardReferee.NoSuchTool',
  'TiltyardReferee.NoSuchTool@1.0.0',
  'TiltyardReferee.NoSuchTool@1.2',
  'tiltyard referee.no such tool',
  'tiltyard_referee_without_a_dot',
  '',
  5,
  null,
];

// No server has got that far.
const NO_SUCH_VERSION = '98765.4.3';

/** Group T: which tool, and which version of it, an id means. */
export const toolIdProbes: readonly Probe<OxpSubject>[] = [
  {
    id: 'T1',
    group: 'Tool ids',
    level: 'specified',
    requirement: 'An id with a version x.y.z means exactly this version, or is refused with 400',
    source: 'oxp-call-tool.txt:25-26',
    isActive: true,
    async run(subject, http) {
      const { tool, input } = await firstSuccess(subject, http);
      const { name, version } = tool;
      const exact = await sendCall(http, { tool_id: `${name}@${version}`, input });
      insist(resultIn(exact) !== undefined, `${name}@${version} is listed and answered with ${exact.status}`);
      const absent = await sendCall(http, { tool_id: `${name}@${NO_SUCH_VERSION}`, input });
      insistRefusal(absent, `a call of ${name}@${NO_SUCH_VERSION}, which is not listed,`);
    },
  },
  {
    id: 'T2',
    group: 'Tool ids',
    level: 'specified',
    requirement: 'An id with a version x means x.0.0, not the newest version that begins with x',
    source: 'oxp-call-tool.txt:26-27',
    isActive: true,
    async run({ tools }, http) {
      const simple = tools.filter(
        ({ hasRequirements, version }) => !hasRequirements && /^\d+\.\d+\.\d+$/.test(version),
      );
      const isListed = (name: string, version: string) =>
        simple.some((tool) => tool.name === name && tool.version === version);
      const majorOf = ({ version }: ListedTool) => version.split('.')[0] ?? '';
      const zero = simple.find((tool) => isListed(tool.name, `${majorOf(tool)}.0.0`));
      const none = simple.find((tool) => !isListed(tool.name, `${majorOf(tool)}.0.0`));
      need(zero !== undefined || none !== undefined, 'the server lists no tools with versions');
      if (zero !== undefined)
        await insistMeans(simple, http, { id: `${zero.name}@${majorOf(zero)}`, as: `${majorOf(zero)}.0.0` });
      if (none !== undefined) {
        const id = `${none.name}@${majorOf(none)}`;
        const answer = await sendCall(http, { tool_id: id, input: inputFor(none) });
        insistRefusal(answer, `a call of ${id}, where there is no version ${majorOf(none)}.0.0,`);
      }
    },
  },
  {
    id: 'T3',
    group: 'Tool ids',
    level: 'specified',
    requirement: 'An id without a version means the latest one, by number and not by letter',
    source: 'oxp-call-tool.txt:27',
    isActive: true,
    async run({ tools }, http) {
      const simple = tools.filter(({ hasRequirements, version }) => !hasRequirements && version !== '');
      const several = simple.find((tool) => simple.some(({ name, id }) => name === tool.name && id !== tool.id));
      const chosen = several ?? simple[0];
      need(chosen !== undefined, 'the server lists no tools with versions');
      const versions = simple.filter(({ name }) => name === chosen.name).map(({ version }) => version);
      await insistMeans(simple, http, { id: chosen.name, as: versions.toSorted(compareVersions).at(-1) ?? '' });
    },
  },
  {
    id: 'T4',
    group: 'Tool ids',
    level: 'specified',
    requirement: 'An invalid id, or one of an unknown tool, is refused with 400 and a message',
    source: 'oxp-call-tool.txt:34-40',
    async run(_subject, http) {
      for (const id of IMPOSSIBLE) {
        insistRefusal(await sendCall(http, { tool_id: id }), `a call of the tool ${JSON.stringify(id)}`);
      }
    },
  },
  {
    id: 'T5',
    group: 'Tool ids',
    level: 'hardening',
    requirement: 'Ids are told apart by case',
    source: 'oxp-openapi.json:173-182',
    isActive: true,
    async run(subject, http) {
      const { tool, input } = await firstSuccess(subject, http);
      const id = swapCase(tool.name);
      need(!subject.tools.some(({ name }) => name === id), `the server has a tool named ${id}`);
      insistRefusal(await sendCall(http, { tool_id: id, input }), `a call of ${id} instead of ${tool.name}`);
    },
  },
];

/**
 * Insists that an id means a version. Which one ran cannot be seen, but a call_id can tell: a server that keeps results by
 * it repeats the result for the same tool and refuses it for another one. Servers without such ids pass.
 */
async function insistMeans(
  tools: readonly ListedTool[],
  http: Recorder,
  { id, as }: { readonly id: string; readonly as: string },
): Promise<void> {
  const name = id.split('@')[0] ?? '';
  const input = inputFor(tools.find((tool) => tool.name === name && tool.version === as) as ListedTool);
  const isRepeatOf = async (version: string) => {
    const call_id = crypto.randomUUID();
    const first = await sendCall(http, { call_id, tool_id: `${name}@${version}`, input });
    const second = await sendCall(http, { call_id, tool_id: id, input });
    return { isRun: resultIn(first) !== undefined, isRepeat: resultIn(second) !== undefined };
  };
  const { status } = await sendCall(http, { tool_id: id, input });
  insist([200, 422].includes(status), `a call of ${id} is answered with ${status}, although version ${as} is listed`);
  const meant = await isRepeatOf(as);
  if (!meant.isRun || meant.isRepeat) return;
  for (const other of tools.filter((tool) => tool.name === name && tool.version !== as)) {
    const { isRun, isRepeat } = await isRepeatOf(other.version);
    insist(!isRun || !isRepeat, `${id} means version ${other.version}, not ${as}`);
  }
}

function swapCase(text: string): string {
  return text === text.toLowerCase() ? text.toUpperCase() : text.toLowerCase();
}
