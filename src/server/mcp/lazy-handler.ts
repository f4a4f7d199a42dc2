import type { McpHandlerRequestOptions, McpHttpHandler } from '@modelcontextprotocol/server';

/** The handler of the SDK, which is made when the first request comes: to load it takes longer than to start a server. */
export class LazyHandler {
  readonly #make: () => Promise<McpHttpHandler>;
  #handler: Promise<McpHttpHandler> | undefined;

  constructor(make: () => Promise<McpHttpHandler>) {
    this.#make = make;
  }

  async fetch(request: Request, options: McpHandlerRequestOptions): Promise<Response> {
    this.#handler ??= this.#make();
    return (await this.#handler).fetch(request, options);
  }

  async close(): Promise<void> {
    await (await this.#handler)?.close();
  }
}
