import { need } from '../referee/probe.ts';
import type { Rule } from './rule.ts';

/** What is wrong with code that goes on when its part of an episode has ended. */
export const strayRules: readonly Rule[] = [
  {
    id: 'env/stray-error',
    level: 'interop',
    requirement: 'No error is left where nobody catches it',
    advice: 'await every promise, and catch errors in timers and listeners: elsewhere such an error ends the process',
    problems({ strayErrors }) {
      need(strayErrors !== undefined, 'it runs on a server of its own');
      return strayErrors;
    },
  },
];
