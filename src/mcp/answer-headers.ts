/** The headers of an answer of the SDK, without what it says of the connection: that belongs to who holds it, and its client may want it closed. */
export function answerHeaders({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name !== 'connection'));
}
