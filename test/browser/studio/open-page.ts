import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { createServer, type Server, type ServerOptions } from 'tiltyard/server';
import { afterAll, beforeAll, expect, onTestFinished, vi } from 'vitest';
import { type Studio, type StudioOptions, startStudio } from '../../../src/studio/index.ts';
import { skipAloud } from '../../support/needed.ts';
import { findChromium, startChromium } from '../chromium.ts';

// A browser is several processes, which wait for each other where the cores are shared.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const WAIT_MS = 90_000;

const found = await findChromium();

/** Whether there is no browser here: said aloud, once for each file. */
export function isWithoutBrowser(what: string): boolean {
  if ('missing' in found) skipAloud(what, found.missing);
  return 'missing' in found;
}

/** One browser for all tests of a file. */
export function shareBrowser(): () => Browser {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if ('path' in found) browser = await startChromium(found.path, ['evil.example']);
  });
  afterAll(() => browser?.close());
  return () => {
    if (browser === undefined) throw new Error('the browser is not there yet');
    return browser;
  };
}

/** What the studio of a test shows. */
export interface PageOptions extends Omit<StudioOptions, 'targets'> {
  /** A server to start, which the studio talks to. */
  readonly server?: Partial<ServerOptions>;
  /** The URL of a server that is there already. */
  readonly url?: string;
  readonly context?: BrowserContextOptions;
}

/** A studio in a browser. */
export interface OpenedPage {
  readonly page: Page;
  readonly studio: Studio;
  readonly server: Server | undefined;
  /** What a well-behaved page never has: errors on its console, and requests to others. */
  readonly complaints: string[];
  /** Goes to a page of the studio, and waits for its heading. */
  go(hash: string): Promise<void>;
}

/** Starts a server and a studio, and opens it; all of them stop when the test ends, and the page must not have complained. */
export async function openPage(browser: Browser, options: PageOptions = {}): Promise<OpenedPage> {
  const { server: serving, url, context: contextOptions, ...rest } = options;
  const server = serving === undefined ? undefined : await serve(serving);
  const address = server?.url ?? url;
  const targets =
    address === undefined ? [] : [{ name: address, url: address, apiKey: undefined, isModule: false as const }];
  const studio = await startStudio({ port: 0, targets, ...rest });
  const context = await openContext(browser, contextOptions);
  const page = await context.newPage();
  const complaints = listen(page, studio.origin);
  onTestFinished(async () => {
    await context.close();
    await studio.close();
    await server?.close();
    expect(complaints).toEqual([]);
  });
  await page.goto(studio.url);
  await page.locator('main h1').waitFor();
  const go = async (hash: string) => {
    await page.goto(`${studio.origin}/${hash}`);
    await page.locator('main h1').waitFor();
  };
  return { page, studio, server, complaints, go };
}

/** A browser of somebody of their own; it is closed when the test ends. */
export async function openContext(browser: Browser, options?: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(WAIT_MS);
  onTestFinished(() => context.close());
  return context;
}

async function serve(options: Partial<ServerOptions>): Promise<Server> {
  const server = await createServer({ environments: [], logger: false, events: true, ...options });
  await server.listen();
  return server;
}

function listen(page: Page, origin: string): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('blob:')) complaints.push(request.url());
  });
  return complaints;
}
