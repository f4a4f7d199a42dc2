// This server with everything on, as the node NODE of a cluster on the NATS that the variable CLUSTER names.
import { announce } from './announce.ts';
import { serveCounter } from './serve-counter.ts';

const { CLUSTER = 'nats://127.0.0.1:4222', NODE = 'node' } = process.env;
announce(Number((await serveCounter(0, { cluster: { nats: CLUSTER, nodeName: NODE } })).port));
