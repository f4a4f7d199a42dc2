import { ForeignSchemas } from '../../../checking/index.ts';
import type { JsonObject } from '../../../protocol/index.ts';
import { Failure } from '../../shared/failure.ts';
import { toSafeText } from '../../shared/safe-text.ts';

/** An input that a tool's schema allows; an empty one where none could be made, for the tool to refuse. */
export function makeInput(tool: string, schema: JsonObject | null): JsonObject {
  using schemas = new ForeignSchemas();
  const input = schemas.input(schema);
  if (input === undefined && schema !== null && schemas.isCostly(schema)) {
    const why = `the schema of '${toSafeText(tool)}' takes too long to evaluate, so no input can be made from it`;
    throw new Failure(`${why}. Give one with --input '{...}', or another tool with --tool`);
  }
  return input ?? {};
}
