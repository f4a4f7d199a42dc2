import type { InputOf, OutputOf, Tool, Toolkit } from '../core/index.ts';
import type { JsonValue } from '../protocol/index.ts';

/** The ids of a toolkit's tools, with and without a version; of several toolkits, where the type is their union. */
export type ToolIdOf<Kit> = unknown extends Kit
  ? string
  : Kit extends Toolkit<infer Name, infer Tools>
    ? `${Name}.${keyof Tools & string}` | `${Name}.${keyof Tools & string}@${string}`
    : never;

/** What a tool takes. Where it has several versions, what any of them does: ids are strings, and versions in them numbers. */
export type OxpInput<Kit, Id> = unknown extends Kit ? any : InputOfTool<VersionsOf<Kit, Id>>;

/** What a tool gives; any JSON where its type does not say. */
export type OxpValue<Kit, Id> = unknown extends Kit ? any : ValueOfTool<VersionsOf<Kit, Id>>;

type VersionsOf<Kit, Id> = Kit extends Toolkit<infer Name, infer Tools> ? Named<Name, Tools, Id> : never;

type Named<Name extends string, Tools, Id> = {
  [Key in keyof Tools & string]: Id extends `${Name}.${Key}` | `${Name}.${Key}@${string}` ? EachOf<Tools[Key]> : never;
}[keyof Tools & string];

type EachOf<Entry> = Entry extends readonly (infer Each)[] ? Each : Entry;

type InputOfTool<Each> = Each extends Tool<infer Input, any> ? InputOf<Input> : never;

type ValueOfTool<Each> =
  Each extends Tool<any, infer Output> ? (unknown extends Output ? JsonValue : OutputOf<Output>) : never;
