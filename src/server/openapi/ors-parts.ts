import type { JsonObject } from '../../protocol/index.ts';
import { json, type Operation, ref } from './operation.ts';

/** Operations by what they do, each with its route. */
export type Operations<Action extends string> = Readonly<
  Record<Action, readonly [route: string, operation: Operation]>
>;

/** The environment in the path. */
export function environmentParameter(example: string): JsonObject {
  return { name: 'env', in: 'path', required: true, schema: ref('EnvironmentName'), example };
}

/** An answer that says what was wrong. */
export function error(description: string): JsonObject {
  return json(description, ref('Error'));
}
