/** What a caller may do with environments: all, or only act in a session that it was given. Tools have scopes of their own. */
export type OrsScope = 'orchestrator' | 'agent';

/** Who a request comes from. */
export interface Identity {
  readonly id: string;
  /** Undefined: everything. */
  readonly scopes: ReadonlySet<string> | undefined;
}

/** Everybody, when there is no auth. */
export const ANYBODY: Identity = { id: '', scopes: undefined };

/** A caller of whom nothing is known, who may do nothing. */
export const NOBODY: Identity = { id: '', scopes: new Set() };

/** Whether a caller has a scope; callers without a list have all. */
export function hasScope({ scopes }: Identity, scope: string): boolean {
  return scopes === undefined || scopes.has(scope);
}

/** Whether this can name a caller. No line breaks: one of them joins a name and an id to the key of a session or call. */
export function isName(id: unknown): id is string {
  return typeof id === 'string' && /^[^\x00-\x1f\x7f]+$/.test(id);
}
