import { type ReactElement, type ReactNode, useEffect, useRef } from 'react';
import { site } from '../data/site.ts';
import { Connection } from './connection.tsx';
import { Nav } from './nav.tsx';
import { usePlace } from './route.ts';

/** What stands around every page. */
export function Shell({ children }: { readonly children: ReactNode }): ReactElement {
  const { path } = usePlace();
  const main = useRef<HTMLElement>(null);
  const page = path.slice(0, 4).join('/');
  const shown = useRef(page);
  // Somebody who hears the page rather than sees it must notice that it is another one.
  useEffect(() => {
    if (shown.current === page) return;
    shown.current = page;
    main.current?.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }, [page]);
  return (
    <div className="app">
      <button type="button" className="skip" onClick={() => main.current?.focus()}>
        Skip to the page
      </button>
      <Nav />
      <div className="body">
        {site === undefined && <Connection />}
        <main ref={main} tabIndex={-1}>
          {children}
        </main>
      </div>
    </div>
  );
}
