// Several servers that share their sessions. Loaded only where a cluster is asked for. The logic of a node knows no timers and no network:
// a Clock, a Bus and a SharedJournal are given to it.
export { type Bus, type BusListener, NoAnswer, NoResponders } from './bus.ts';
export { type Clock, processClock } from './clock.ts';
export { ClusterHost, type ClusterObserver } from './cluster-host.ts';
export { HeldJournal } from './held-journal.ts';
export type { HomeHost } from './home.ts';
export { DEAD_AFTER_MS, type Membership } from './membership.ts';
export { BEATS, type Beat, nodeSubject } from './messages.ts';
export { InvalidNatsAddress } from './nats/address.ts';
export { type OpenCluster, openBus, openCluster } from './nats/open-cluster.ts';
export { keeperOf, placeOf } from './place.ts';
export { type Addition, type Chapter, type Entry, type SharedJournal, Unreachable } from './shared-journal.ts';
