// This server with everything on, whose episodes are written into the folder that the variable JOURNAL names; with JOURNAL_KEY encrypted,
// with JOURNAL_SYNC so that the disk has them.
import { announce } from './announce.ts';
import { serveCounter } from './serve-counter.ts';

const { JOURNAL, JOURNAL_KEY, JOURNAL_SYNC } = process.env;
const keys = JOURNAL_KEY === undefined ? [] : [JOURNAL_KEY];
const kept = JOURNAL === undefined ? {} : { journal: { folder: JOURNAL, keys, sync: JOURNAL_SYNC !== undefined } };
announce(Number((await serveCounter(0, kept)).port));
