// A pool of processes that run authors' code, behind the two seams
export { serveOrders, type WorkerObservation } from './child/serve-orders.ts';
export { WATCHDOG_FD } from './last-words.ts';
export { LOG_LEVELS, type LogLevel, type WorkerPlan } from './messages.ts';
export { WorkerPool } from './pool.ts';
export { WorkerRuntime } from './worker-runtime.ts';
export { WorkerToolRuntime } from './worker-tools.ts';
