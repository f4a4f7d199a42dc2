/**
 * The API key that clients and the command send unless told otherwise: TILTYARD_API_KEY, or ORS_API_KEY, which the official
 * clients read. Undefined where neither is set, or where there are no environment variables, as in a browser.
 */
export function keyFromEnvironment(): string | undefined {
  const { TILTYARD_API_KEY, ORS_API_KEY } = globalThis.process?.env ?? {};
  return TILTYARD_API_KEY || ORS_API_KEY || undefined;
}
