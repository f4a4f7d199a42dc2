#!/usr/bin/env node
import { run } from './run.ts';
import { allowExit, failAtEarlyExit } from './shared/early-exit.ts';
import { endWithReader } from './shared/output.ts';

endWithReader();
failAtEarlyExit();
process.exitCode = await run(process.argv.slice(2));
allowExit();
