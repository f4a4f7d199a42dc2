import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import { cutText, isObject } from '../../protocol/index.ts';
import type { Move } from '../shared/calls.ts';
import { toSafeText } from '../shared/safe-text.ts';
import { toInputField } from '../shared/schema/field.ts';
import { askField, askFields } from './ask-field.ts';
import { type Asker, Back, type Choice } from './asker.ts';
import type { Player } from './game.ts';

/** A player at the terminal: chooses a tool, and is asked for what it takes. */
export function personPlayer(asker: Asker): Player {
  let last: string | undefined;
  return {
    async next(tools) {
      for (;;) {
        try {
          const move = await askMove(asker, tools, last);
          last = move?.tool;
          return move;
        } catch (thrown) {
          // Esc, anywhere on the way: back to the tools.
          if (!(thrown instanceof Back)) throw thrown;
        }
      }
    },
  };
}

const HINT_WIDTH = 60;

async function askMove(asker: Asker, tools: readonly ToolSpec[], last: string | undefined): Promise<Move | undefined> {
  const choices: Choice<ToolSpec | undefined>[] = tools.map((tool) => ({
    value: tool,
    label: toSafeText(tool.name),
    hint: cutText(toSafeText(tool.description ?? '').replace(/\s+/g, ' '), HINT_WIDTH),
  }));
  choices.push({ value: undefined, label: '(leave the game)' });
  // Most games are one tool, called again and again.
  const initial = Math.max(
    0,
    tools.findIndex(({ name }) => name === last),
  );
  const tool = await asker.choose({ message: 'What do you do?', choices, initial });
  return tool === undefined ? undefined : { tool: tool.name, input: await askInput(asker, tool) };
}

async function askInput(asker: Asker, { input_schema: schema }: ToolSpec): Promise<JsonObject> {
  const field = toInputField(schema ?? null);
  if (field.kind === 'object') return askFields(asker, field.fields);
  const input = await askField(asker, { path: 'input', field, isRequired: true });
  // Tools take objects; of anything else the server would say so.
  return isObject(input) ? (input as JsonObject) : {};
}
