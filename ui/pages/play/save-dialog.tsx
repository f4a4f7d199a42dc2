import { type ReactElement, useState } from 'react';
import type { PlayExport, PlayExportFormat } from '../../../src/studio/api.ts';
import { useAnswer } from '../../data/hooks.ts';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { LongText } from '../../parts/long-text.tsx';
import { Scroller } from '../../parts/scroller.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { Tabs } from '../../parts/tabs.tsx';

const TABS = [
  { name: 'game', label: 'Game' },
  { name: 'test', label: 'Vitest test' },
  { name: 'curl', label: 'curl script' },
] as const;

const ABOUT: Readonly<Record<PlayExportFormat, string>> = {
  game: 'Play it again with: tiltyard play <target> --script <file>',
  test: 'A test that plays the same calls with play(), and expects the same rewards.',
  curl: 'The same requests, for a terminal. Keys and secrets are left for you to fill in.',
};

/** A branch as a file: to look at, to copy or to save. */
export function SaveDialog({ play, onClose }: { readonly play: string; readonly onClose: () => void }): ReactElement {
  const [as, setAs] = useState<PlayExportFormat>('game');
  const { data, error, isLoading, reload } = useAnswer('GET /api/plays/:play/export', {
    path: { play },
    query: { as },
  });
  return (
    <Dialog title="Save this branch" onClose={onClose}>
      <Tabs tabs={TABS} chosen={as} onChoose={setAs} label="Forms to save it in" />
      <p className="soft">{ABOUT[as]}</p>
      {error !== undefined && <Failed error={error} onRetry={reload} />}
      {data === undefined || isLoading ? <Loading lines={6} /> : <File file={data} />}
    </Dialog>
  );
}

function File({ file }: { readonly file: PlayExport }): ReactElement {
  const save = () => {
    const url = URL.createObjectURL(new Blob([file.text], { type: file.mimeType }));
    Object.assign(document.createElement('a'), { href: url, download: file.name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return (
    <>
      <Scroller className="file" label={file.name}>
        <LongText text={file.text} />
      </Scroller>
      <div className="bar">
        <button type="button" className="primary" onClick={save}>
          Save {file.name}
        </button>
        <CopyButton text={file.text} />
      </div>
    </>
  );
}
