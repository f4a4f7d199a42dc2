/** A command that a document shows, and what it says comes back. */
export interface ShownCommand {
  readonly command: string;
  readonly answer: string;
}

/** The commands in the `console` blocks of a Markdown text: lines that begin with `$ `, and the lines below them. */
export function readConsoles(markdown: string): ShownCommand[] {
  return [...markdown.matchAll(/^```console\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block
      .replaceAll('\\\n', ' ')
      .split(/^\$ /m)
      .slice(1)
      .map((shown) => {
        const end = shown.indexOf('\n');
        return { command: shown.slice(0, end), answer: shown.slice(end).trim() };
      }),
  );
}

/** Does what a curl command would do, on another server: documents must be true where there is no curl, too. */
export async function runCurl(command: string, server: string): Promise<string> {
  const [program, ...words] = toWords(command);
  if (program !== 'curl') throw new Error(`only curl is known, not '${program}'`);
  const headers = new Headers();
  let method = 'GET';
  let body: string | undefined;
  let url = '';
  while (words.length > 0) {
    const word = words.shift() ?? '';
    if (word === '-H') {
      const [name = '', value = ''] = (words.shift() ?? '').split(': ');
      headers.set(name, value);
    } else if (word === '--json') {
      body = words.shift() ?? '';
      method = 'POST';
      headers.set('content-type', 'application/json');
    } else if (word === '-X') {
      method = words.shift() ?? '';
    } else if (word.startsWith('localhost:8080/')) url = word.replace('localhost:8080', server);
    else if (word !== '-s') throw new Error(`'${word}' is not understood here`);
  }
  const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
  // The tools of documents take no time, but a busy machine may.
  return (await response.text()).trim().replace(/"duration":\d+/, '"duration":0');
}

function toWords(command: string): string[] {
  return [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain = '']) => quoted ?? plain);
}
