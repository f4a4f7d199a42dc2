import { type ReactElement, useState } from 'react';
import { go, to } from '../../app/route.ts';
import { ask } from '../../data/ask.ts';
import { useAction } from '../../data/hooks.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Failed } from '../../parts/states.tsx';

/** Adds a server by its URL. */
export function AddTarget(): ReactElement {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Add a server
      </button>
      {isOpen && <AddDialog onClose={() => setOpen(false)} />}
    </>
  );
}

function AddDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const [url, setUrl] = useState('');
  const [apiKey, setApiKey] = useState('');
  const add = useAction(async () => {
    const { id } = await ask('POST /api/targets', {
      body: { url: withScheme(url), ...(apiKey === '' ? {} : { apiKey }) },
    });
    onClose();
    go(to(['environments', id]));
  });
  return (
    <Dialog title="Add a server" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add.run();
        }}
      >
        <label className="field">
          <b>URL</b>
          <input
            value={url}
            placeholder="http://localhost:8080"
            required
            onChange={({ target }) => setUrl(target.value)}
          />
        </label>
        <label className="field">
          <span>
            <b>API key</b> · only if it wants one
          </span>
          <input type="password" autoComplete="off" value={apiKey} onChange={({ target }) => setApiKey(target.value)} />
        </label>
        <p className="hint">The key stays in the memory of the studio's server. It is never sent back to this page.</p>
        {add.error !== undefined && <Failed error={add.error} />}
        <button type="submit" className="primary wide" disabled={add.isRunning || url.trim() === ''}>
          Add it
        </button>
      </form>
    </Dialog>
  );
}

function withScheme(url: string): string {
  return /^https?:\/\//i.test(url.trim()) ? url.trim() : `http://${url.trim()}`;
}
