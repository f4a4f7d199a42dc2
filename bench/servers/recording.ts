// This server with everything on, which records its episodes into the folder that the variable RECORD names, if it names one.
import { announce } from './announce.ts';
import { serveCounter } from './serve-counter.ts';

const { RECORD: folder } = process.env;
announce(Number((await serveCounter(0, folder === undefined ? {} : { record: { folder } })).port));
