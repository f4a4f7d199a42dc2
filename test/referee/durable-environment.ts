import { type Environment, environment } from 'tiltyard';
import { probed } from './environments.ts';

/** The environment with something for every probe, as one that outlives its process. */
export const kept: Environment = environment({ ...(probed as any), name: 'kept', durability: 'replay' });
