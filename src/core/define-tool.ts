import { assertDefinition } from './rules.ts';
import type { Tool, ToolWithRequirements } from './tool.ts';
import { assertTool } from './tool-rules.ts';

/** Defines a tool that toolkits publish and environments share. */
export function tool<
  Input = unknown,
  Output = unknown,
  Secret extends string = string,
  User extends boolean = false,
  Id extends string = never,
>(definition: ToolWithRequirements<Input, Output, Secret, User, Id>): Tool<Input, Output> {
  assertDefinition(definition, 'tool', '{ description, input, run(input, context) { ... } }');
  assertTool(definition, 'tool()');
  return Object.freeze({ ...definition }) as Tool<Input, Output>;
}
