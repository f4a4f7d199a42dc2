import { extname } from 'node:path';

/** The URL of what loads modules, for other processes. */
export const LOADER: string = new URL(`./load-modules${extname(import.meta.url)}`, import.meta.url).href;
