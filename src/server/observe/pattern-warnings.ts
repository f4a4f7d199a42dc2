import { type Log, slowPatterns } from '../../core/index.ts';
import type { JsonObject } from '../../protocol/index.ts';

/** A schema against which inputs are checked, and whose it is: `environment 'math', tool 'submit'`. */
export interface NamedSchema {
  readonly where: string;
  readonly schema: JsonObject | null;
}

/** Warns of patterns by which one input can stall the server, since they run in its only thread. */
export function warnOfSlowPatterns(log: Log, schemas: readonly NamedSchema[]): void {
  for (const { where, schema } of schemas) {
    for (const { parameter, pattern, growth } of schema === null ? [] : slowPatterns(schema)) {
      const place = parameter === '' ? where : `${where}, parameter '${parameter}'`;
      const problem = `${place}: the pattern ${pattern} can take ${growth} time, so that one input stalls the server`;
      log.warn(
        { parameter, pattern },
        `${problem}. Rewrite it so that no text matches in two ways, or check the text in the tool`,
      );
    }
  }
}
