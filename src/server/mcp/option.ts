import { mustUnquoted, objectOf, type Rule } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';
import type { OptionRules } from '../options.ts';

/** Whether a server speaks MCP, and how. */
export type McpOption =
  | boolean
  | {
      /**
       * What the addresses of episodes are made with: at least 32 characters. Servers with the same key know each other's addresses,
       * and a server knows those from before its restart. Default: a new one at each start.
       */
      readonly key?: string;
    };

const MIN_KEY_CHARACTERS = 32;

const assertKind = mustUnquoted(
  'true, false or an object with key',
  (value) => typeof value === 'boolean' || isObject(value),
);

const RULES: OptionRules<Exclude<McpOption, boolean>> = {
  key: mustUnquoted(
    `a string of at least ${MIN_KEY_CHARACTERS} characters`,
    (value) => typeof value === 'string' && value.length >= MIN_KEY_CHARACTERS,
  ),
};

const assertObject = objectOf({ optional: RULES });

/** What can be given as `mcp`. */
export const mcpRule: Rule = (value, place) => {
  assertKind(value, place);
  if (typeof value !== 'boolean') assertObject(value, place);
};
