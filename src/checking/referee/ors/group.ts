import type { Probe } from '../probe.ts';
import type { OrsSubject } from './subject.ts';

/** A probe before it has its heading. */
export type OrsProbe = Omit<Probe<OrsSubject>, 'group'>;

/** Probes under one heading. */
export function inGroup(group: string, probes: readonly OrsProbe[]): Probe<OrsSubject>[] {
  return probes.map((probe) => ({ ...probe, group }));
}
