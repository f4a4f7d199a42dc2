// Loaded before a target and its workers (--import): STAND_INS has pairs of a file and what stands in for it.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url, { data: JSON.parse(process.env.STAND_INS ?? '[]') });
