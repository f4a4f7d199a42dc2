/**
 * Whether an identity is that of a server without auth, where everybody is the same nobody. It has no share of its own: the
 * limit for all is enough.
 */
export function isNobody(identity: string): boolean {
  return identity === '';
}
