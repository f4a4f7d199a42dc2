import type { Environment, Toolkit } from 'tiltyard';
import { environments } from './environments.ts';
import { toolkits } from './toolkits.ts';

// What workers load: modules export definitions one by one.

export const [contract, plain, replayed, saved] = environments as [Environment, Environment, Environment, Environment];
export const [kit] = toolkits as [Toolkit];
