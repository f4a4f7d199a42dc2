import type { ReactElement } from 'react';
import { MOD } from '../../app/keys.ts';
import { Dialog } from '../../parts/dialog.tsx';

const KEYS: readonly (readonly [keys: string, act: string])[] = [
  ['T', 'next tool'],
  ['Shift T', 'tool before'],
  [`${MOD} ↵`, 'send the call, also while you type'],
  ['J', 'next step'],
  ['K', 'step before'],
  ['R', 'go on from the chosen step; without one, take the last step back'],
  ['N', 'next task, in a new episode'],
  ['?', 'this list'],
];

/** What the keys do. */
export function KeysDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, act]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{act}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
