// This server with everything on, for somebody who watches.
import { announce } from './announce.ts';
import { serveCounter } from './serve-counter.ts';

announce(Number((await serveCounter(0, { events: true })).port));
