/** What is asked of a server. */
export interface RequestParts {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** The server, as its URL names it. */
  readonly host: string;
  readonly headers: Iterable<readonly [string, string]>;
  readonly body: string | undefined;
}

/** A request as it is sent: a text in which each character is a byte, or bytes. */
export function toRequest({ method, path, host, headers, body }: RequestParts): Buffer | string {
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const [name, value] of headers) {
    // Without the value, which may be a key; a line end in it would begin a header of its own.
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new TypeError(`the header ${name} has a value that cannot be sent`);
    head += `${name}: ${value}\r\n`;
  }
  if (body === undefined) return method === 'GET' ? `${head}\r\n` : `${head}content-length: 0\r\n\r\n`;
  const bytes = Buffer.byteLength(body);
  head += `content-length: ${bytes}\r\n\r\n`;
  return bytes === body.length ? head + body : Buffer.concat([Buffer.from(head, 'latin1'), Buffer.from(body)]);
}
