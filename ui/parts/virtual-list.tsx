import {
  type KeyboardEvent,
  type ReactElement,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { placeRows } from './place-rows.ts';

/** A list of which only the rows on the screen exist, so that a million of them cost what thirty do. */
export function VirtualList({
  count,
  rowHeight,
  render,
  label,
  onVisible,
  active,
  onActive,
  onOpen,
}: VirtualListProps): ReactElement {
  const box = useRef<HTMLDivElement>(null);
  const [scroll, setScroll] = useState({ top: 0, height: 600 });
  const layout = placeRows({ count, rowHeight, scrollTop: scroll.top, height: scroll.height });
  const { first, last, offset, total } = layout;

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = () => setScroll({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useEffect(() => onVisible?.(first, last), [first, last, onVisible]);

  const moveTo = (next: number) => {
    const row = Math.max(0, Math.min(count - 1, next));
    onActive?.(row);
    const element = box.current;
    if (element === null) return;
    const top = layout.topOf(row);
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight - element.clientHeight;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== box.current || onActive === undefined) return;
    const at = active ?? -1;
    const page = Math.floor(scroll.height / rowHeight);
    const next = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next !== undefined) moveTo(next);
    else if (event.key === 'Enter' && active !== undefined) onOpen?.(active);
    else return;
    event.preventDefault();
  };

  return (
    <div
      ref={box}
      className="virtual"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls must be reachable by keyboard.
      tabIndex={0}
      role="group"
      aria-label={label}
      onKeyDown={onKeyDown}
      onScroll={({ currentTarget }) => setScroll({ top: currentTarget.scrollTop, height: currentTarget.clientHeight })}
    >
      <div className="virtual-all" style={{ height: total }}>
        <div className="virtual-seen" style={{ transform: `translateY(${offset}px)` }}>
          {Array.from({ length: last - first }, (_, at) => render(first + at))}
        </div>
      </div>
    </div>
  );
}

interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  /** Makes a row; it must have a key, and be `rowHeight` high. */
  readonly render: (row: number) => ReactNode;
  readonly label: string;
  /** Hears which rows are on the screen, for those who load them. */
  readonly onVisible?: ((first: number, last: number) => void) | undefined;
  /** The row that the arrow keys are at. */
  readonly active?: number | undefined;
  readonly onActive?: (row: number) => void;
  readonly onOpen?: (row: number) => void;
}
