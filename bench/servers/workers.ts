// This server with everything on, whose environments run in as many processes as the variable WORKERS says.
import { announce } from './announce.ts';
import { serveCounter } from './serve-counter.ts';

announce(Number((await serveCounter(Number(process.env.WORKERS))).port));
