#!/usr/bin/env node
import { run } from './run.ts';
import { endWithReader } from './shared/output.ts';

endWithReader();
process.exitCode = await run(process.argv.slice(2));
