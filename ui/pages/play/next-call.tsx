import { type ReactElement, useState } from 'react';
import type { JsonObject } from '../../../src/protocol/index.ts';
import type { Play, PlayTool } from '../../../src/studio/api.ts';
import { type Keys, MOD, useKeys } from '../../app/keys.ts';
import { ask } from '../../data/ask.ts';
import { useAction } from '../../data/hooks.ts';
import { toSafeText } from '../../data/safe-text.ts';
import { JsonEditor, readObject } from '../../forms/json-editor.tsx';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { checkValue, type SchemaError } from '../../forms/validator.ts';
import { Brief } from '../../parts/brief.tsx';
import { Card } from '../../parts/card.tsx';
import { Failed } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { ToolChooser } from './tool-chooser.tsx';

const TABS = [
  { name: 'form', label: 'Form' },
  { name: 'json', label: 'JSON' },
] as const;

/** The call to make next: a tool, its input, and the button. */
export function NextCall({ play }: { readonly play: Play }): ReactElement {
  const [name, setName] = useState<string | undefined>();
  const [tab, setTab] = useState<'form' | 'json'>('form');
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const [errors, setErrors] = useState<readonly SchemaError[]>([]);
  const [isFolded, fold] = useState(false);
  const tool = play.tools.find((each) => each.name === name) ?? play.tools[0];
  const draft = (tool && drafts[tool.name]) ?? EMPTY;
  const isBusy = play.steps.some(({ status }) => status === 'running');
  const canCall = tool !== undefined && play.status === 'ready' && !isBusy;

  const change = (next: Draft) => {
    if (tool === undefined) return;
    setDrafts({ ...drafts, [tool.name]: next });
    if (errors.length > 0) setErrors(toErrors(tool, next, tab));
  };
  const choose = (next: string) => {
    setName(next);
    setErrors([]);
  };
  const send = useAction(async (called: PlayTool, input: JsonObject) => {
    await ask('POST /api/plays/:play/steps', { path: { play: play.id }, body: { tool: called.name, input } });
  });
  const call = () => {
    if (!canCall) return;
    const found = toErrors(tool, draft, tab);
    setErrors(found);
    const input = tab === 'json' ? readObject(draft.text).value : draft.value;
    if (found.length === 0 && input !== undefined) send.run(tool, input);
  };
  useKeys(toKeys(play.tools, tool, choose, call));

  return (
    <Card
      title="Next call"
      className={isFolded ? 'composer folded' : 'composer'}
      side={
        <>
          <Tabs
            tabs={TABS}
            chosen={tab}
            onChoose={(next) => {
              setDrafts(tool === undefined ? drafts : { ...drafts, [tool.name]: carry(draft, next) });
              setTab(next);
              setErrors([]);
              fold(false);
            }}
            label="Ways to write the input"
          />
          <button
            type="button"
            className="fold"
            aria-expanded={!isFolded}
            aria-label="Show the next call"
            onClick={() => fold(!isFolded)}
          >
            <span aria-hidden="true">{isFolded ? '▴' : '▾'}</span>
          </button>
        </>
      }
    >
      {play.tools.length === 0 ? (
        <p className="soft">{play.status === 'starting' ? 'Waiting for the tools.' : 'This episode has no tools.'}</p>
      ) : (
        <ToolChooser tools={play.tools} chosen={tool?.name} onChoose={choose} />
      )}
      {tool !== undefined && (
        <>
          {tool.description !== '' && (
            <Brief key={`about ${tool.name}`} text={tool.description} className="tool-about" />
          )}
          {tab === 'form' ? (
            <ToolForm
              key={tool.name}
              tool={tool}
              value={draft.value}
              errors={errors}
              onChange={(value) => change({ ...draft, value })}
            />
          ) : (
            <JsonEditor
              text={draft.text}
              label={`Input of ${tool.name} as JSON`}
              errors={errors}
              onChange={(text) => change({ ...draft, text })}
            />
          )}
          {send.error !== undefined && <Failed error={send.error} />}
          <button type="button" className="primary wide" disabled={!canCall} onClick={call}>
            {isBusy ? 'Running' : `Call ${toSafeText(tool.name)}`} {!isBusy && <kbd>{MOD} ↵</kbd>}
          </button>
        </>
      )}
    </Card>
  );
}

/** An input that is being written, in both of its forms. */
interface Draft {
  readonly value: JsonObject;
  readonly text: string;
}

const EMPTY: Draft = { value: {}, text: '{}' };

function ToolForm({
  tool,
  value,
  errors,
  onChange,
}: {
  readonly tool: PlayTool;
  readonly value: JsonObject;
  readonly errors: readonly SchemaError[];
  readonly onChange: (value: JsonObject) => void;
}): ReactElement {
  if (!takesInput(tool.input_schema)) return <p className="soft none-needed">It takes no input.</p>;
  return <SchemaForm schema={tool.input_schema} value={value} errors={errors} onChange={onChange} />;
}

function takesInput(schema: JsonObject | null): schema is JsonObject {
  if (schema === null) return false;
  const { properties, type, additionalProperties, ...rest } = schema;
  const others = Object.keys(rest).filter((key) => !/^(\$schema|title|description|required)$/.test(key));
  const hasProperties = properties !== null && typeof properties === 'object' && Object.keys(properties).length > 0;
  return hasProperties || others.length > 0 || (additionalProperties !== undefined && additionalProperties !== false);
}

/** In JSON only what is no JSON at all is wrong: whoever writes it may want to see what the server says. */
function toErrors(tool: PlayTool, { value, text }: Draft, tab: 'form' | 'json'): readonly SchemaError[] {
  if (tab === 'form') return tool.input_schema === null ? [] : checkValue(tool.input_schema, value);
  const { problem } = readObject(text);
  return problem === undefined ? [] : [{ path: '', message: problem }];
}

/** The same input in the form of the other tab. */
function carry(draft: Draft, to: 'form' | 'json'): Draft {
  if (to === 'json') return { ...draft, text: JSON.stringify(draft.value, null, 2) };
  return { ...draft, value: readObject(draft.text).value ?? draft.value };
}

function toKeys(
  tools: readonly PlayTool[],
  tool: PlayTool | undefined,
  choose: (name: string) => void,
  call: () => void,
): Keys {
  const move = (by: number) => {
    const at = tools.findIndex(({ name }) => name === tool?.name);
    const next = tools[(at + by + tools.length) % tools.length];
    if (next !== undefined) choose(next.name);
  };
  return { t: () => move(1), 'shift+t': () => move(-1), 'mod+enter': call };
}
