// One process of npm run simulate: plays its share of the schedules, and sends what came of it.

import { proveSimulation } from './prove.ts';

Error.stackTraceLimit = 0;
const [seed, schedules] = process.argv.slice(2).map(Number) as [number, number];
const simulation = await proveSimulation({ seed, schedules, onProgress: (done) => void process.send?.({ done }) });
process.send?.({ simulation }, () => process.disconnect());
