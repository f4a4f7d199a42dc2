/** The token of an `Authorization: Bearer` header; undefined for any other header, or none. */
export function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}
