import type { JsonObject, ToolSpec } from '../../src/protocol/index.ts';
/** A tool with this input schema; frozen through and through, so that nobody changes it unseen. */
export declare function toSpec(input_schema: JsonObject | null, description?: string): ToolSpec;
/** Types that refer to each other, as pydantic writes them. */
export declare const PYDANTIC: JsonObject;
/** A union at the root, as pydantic and zod write it. */
export declare const PETS: JsonObject;
/** A type that contains itself, as pydantic writes it. */
export declare const TREE: JsonObject;
/** Parameters that are named like keywords: a schema has their names where it has names, not keywords. */
export declare const KEYWORDS: JsonObject;
/** What Google would refuse of a schema: its rules as its errors tell them, written down apart from our code. */
export declare function googleFaults(schema: JsonObject, at?: string): string[];
