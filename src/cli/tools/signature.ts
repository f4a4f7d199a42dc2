import type { ToolDefinition } from '../../client/index.ts';
import type { JsonObject, ToolSpec } from '../../protocol/index.ts';
import { toSafeJson, toSafeText } from '../shared/safe-text.ts';
import { type NamedField, toInputField } from '../shared/schema/field.ts';
import { toTypeText } from '../shared/schema/type-text.ts';
import { toTable } from '../shared/table.ts';
import type { Colors } from '../shared/terminal.ts';

/** A tool of an environment: its name, what it does, and a line for each parameter. */
export function toToolLines({ name, description, input_schema: schema }: ToolSpec, colors: Colors): string[] {
  return [
    colors.cyan(toSafeText(name)),
    ...toDescription(description),
    ...toParameterLines(schema ?? null, colors).map((line) => `    ${line}`),
  ];
}

/** A tool outside of environments: its id with the version, and what it needs of its caller. */
export function toToolkitLines({ id, requirements, ...tool }: ToolDefinition, colors: Colors): string[] {
  const needs = [
    ...(requirements?.secrets ?? []).map((secret) => `the secret ${secret.id} (--secret ${secret.id})`),
    ...(requirements?.authorization ?? []).map((grant) => `an authorization by ${toWord(grant.id)} (--token)`),
    ...(requirements?.user_id === true ? ['a user (--user)'] : []),
  ];
  const version = tool.version === '' || id.includes('@') ? '' : ` ${tool.version}`;
  return [
    colors.cyan(toSafeText(id)) + colors.dim(toSafeText(version)),
    ...toDescription(tool.description),
    ...toParameterLines(tool.input_schema, colors).map((line) => `    ${line}`),
    ...(needs.length === 0 ? [] : [toSafeText(`    needs ${needs.join(', ')}`)]),
  ];
}

function toDescription(description: unknown): string[] {
  if (typeof description !== 'string' || description.trim() === '') return [];
  return toSafeText(description.trim())
    .split('\n')
    .map((line) => `  ${line}`.trimEnd());
}

function toParameterLines(schema: JsonObject | null, colors: Colors): string[] {
  const input = toInputField(schema);
  if (input.kind !== 'object') return [`takes ${toTypeText(input)}`];
  return toTable(input.fields.map((named) => toRow(named, colors)));
}

function toRow({ name, isRequired, field }: NamedField, { bold, dim }: Colors): string[] {
  const need = isRequired ? 'required' : field.fallback == null ? 'optional' : `default ${toSafeJson(field.fallback)}`;
  // One line: what the description says on further ones would break the table.
  const description = toSafeText(field.description ?? '').replace(/\s+/g, ' ');
  return [bold(toSafeText(name)), toTypeText(field), isRequired ? need : dim(need), description];
}

function toWord(value: unknown): string {
  return typeof value === 'string' ? value : toSafeJson(value);
}
