/** Where requests go, and what each of them carries. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly isSecure: boolean;
  /** What comes before every path; '' for most servers. */
  readonly basePath: string;
  /** Header lines of every request, each with its line end. */
  readonly headers: string;
}

/** A request before it is bytes. */
export interface RequestParts {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The endpoint of a server's URL. */
export function toEndpoint(url: string, headers: Readonly<Record<string, string>>): Endpoint {
  const { protocol, hostname, host, port, pathname } = new URL(url);
  const isSecure = protocol === 'https:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    isSecure,
    basePath: pathname.replace(/\/+$/, ''),
    headers: toHeaderLines({ Host: host, ...headers }),
  };
}

/** The bytes of a request; made once where it is sent many times. */
export function toRequest(
  { basePath, headers }: Endpoint,
  { method, path, headers: more = {}, body = '' }: RequestParts,
): Buffer {
  // Some servers refuse JSON that is empty.
  const type = body === '' ? '' : 'Content-Type: application/json\r\n';
  const content = method === 'POST' ? `${type}Content-Length: ${Buffer.byteLength(body)}\r\n` : '';
  return Buffer.from(`${method} ${basePath}${path} HTTP/1.1\r\n${headers}${toHeaderLines(more)}${content}\r\n${body}`);
}

function toHeaderLines(headers: Readonly<Record<string, string>>): string {
  return Object.entries(headers)
    .map(([name, value]) => {
      // Without the value, which may be a key; a line end in it would begin a header of its own.
      if (/[^\t\x20-\x7e]/.test(value)) throw new Error(`the header ${name} has a value that cannot be sent`);
      return `${name}: ${value}\r\n`;
    })
    .join('');
}
