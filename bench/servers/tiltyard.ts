// This server with everything on.
import { announce } from './announce.ts';
import { serveCounter } from './serve-counter.ts';

announce(Number((await serveCounter()).port));
