import { createRequire } from 'node:module';
import type { AnalysisResult } from 'scslre';
import { isObject, type JsonObject, mapSubschemas } from '../protocol/index.ts';

/** A pattern that takes far longer for some texts than for others of the same length. */
export interface SlowPattern {
  /** Where it stands: `filter.name`, or the name of a definition. */
  readonly parameter: string;
  readonly pattern: string;
  readonly growth: 'exponential' | 'polynomial';
}

/** The patterns of a schema by which one text can keep the process busy for minutes. */
export function slowPatterns(schema: JsonObject): SlowPattern[] {
  const found: SlowPattern[] = [];
  for (const { parameter, pattern } of patternsOf(schema, [])) {
    const growth = growthOf(pattern);
    if (growth !== undefined) found.push({ parameter, pattern, growth });
  }
  return found;
}

type Place = Pick<SlowPattern, 'parameter' | 'pattern'>;

function patternsOf(schema: JsonObject, path: readonly string[]): Place[] {
  const { pattern, properties, patternProperties, ...rest } = schema;
  const parameter = path.join('.');
  const places: Place[] = typeof pattern === 'string' ? [{ parameter, pattern }] : [];
  for (const [name, inner] of entriesOf(properties)) places.push(...patternsOf(inner, [...path, name]));
  for (const [name, inner] of entriesOf(patternProperties))
    places.push({ parameter, pattern: name }, ...patternsOf(inner, path));
  for (const definitions of ['$defs', 'definitions'])
    for (const [name, inner] of entriesOf(rest[definitions])) places.push(...patternsOf(inner, [name]));
  mapSubschemas(rest, (inner, keyword) => {
    if (keyword !== '$defs' && keyword !== 'definitions') places.push(...patternsOf(inner, path));
    return inner;
  });
  return places;
}

function entriesOf(schemas: unknown): [name: string, schema: JsonObject][] {
  if (!isObject(schemas)) return [];
  return Object.entries(schemas).filter((entry): entry is [string, JsonObject] => isObject(entry[1]));
}

function growthOf(pattern: string): SlowPattern['growth'] | undefined {
  let result: AnalysisResult;
  try {
    result = analyse(new RegExp(pattern, 'u'));
  } catch {
    return undefined; // Not a pattern, or too large to be analysed: nothing is known of it.
  }
  const { reports, parsed } = result;
  if (reports.some(({ exponential }) => exponential) || hasEqualAlternatives(parsed.pattern)) return 'exponential';
  return reports.length > 0 ? 'polynomial' : undefined;
}

function analyse(pattern: RegExp): AnalysisResult {
  // When first needed: it takes longer to load than most servers to start, and few schemas have patterns.
  const { analyse } = createRequire(import.meta.url)('scslre') as typeof import('scslre');
  return analyse(pattern);
}

type Node = AnalysisResult['parsed']['pattern']['alternatives'][number]['elements'][number];

/** Whether a repeated choice has two ways to take the same character, such as `(\w|\d)*`, which the analysis passes over. */
function hasEqualAlternatives(node: AnalysisResult['parsed']['pattern'] | Node): boolean {
  if (node.type === 'Quantifier') {
    const { element, max } = node;
    return (
      (max === Number.POSITIVE_INFINITY && 'alternatives' in element && overlap(element)) ||
      hasEqualAlternatives(element)
    );
  }
  if (!('alternatives' in node)) return false;
  return node.alternatives.some(
    (alternative) => 'elements' in alternative && alternative.elements.some(hasEqualAlternatives),
  );
}

const CHARACTERS = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

function overlap({ alternatives }: { readonly alternatives: readonly { readonly raw: string }[] }): boolean {
  const single = alternatives.map(({ raw }) => toRegExp(raw)).filter((each) => each !== undefined);
  return CHARACTERS.some((character) => single.filter((each) => each.test(character)).length > 1);
}

function toRegExp(raw: string): RegExp | undefined {
  try {
    return new RegExp(`^(?:${raw})$`, 'u');
  } catch {
    return undefined; // It refers to a group elsewhere.
  }
}
