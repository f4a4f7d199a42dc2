import { DefinitionError, type Rule } from '../../core/index.ts';
import { isObject } from '../../protocol/index.ts';

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

/** What can be given as `mcp`. */
export const mcpRule: Rule = (value, place) => {
  if (typeof value === 'boolean') return;
  if (!isObject(value) || Object.keys(value).some((name) => name !== 'key'))
    throw new DefinitionError(`${place} must be true, false or { key }`);
  const { key } = value;
  // Not a word of it: it is a secret.
  if (key !== undefined && (typeof key !== 'string' || key.length < MIN_KEY_CHARACTERS))
    throw new DefinitionError(`${place}.key must be a text of at least ${MIN_KEY_CHARACTERS} characters`);
};
