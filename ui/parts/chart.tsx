import { type ReactElement, useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { useTheme } from './theme.ts';

/** How a chart looks, given the colours of the theme. */
export type ChartOptions = (colours: Colours) => Omit<uPlot.Options, 'width' | 'height'>;

/** The colours of the theme that charts use. */
export interface Colours {
  readonly accent: string;
  readonly faint: string;
  readonly line: string;
  readonly soft: string;
  readonly good: string;
  readonly bad: string;
}

/** A chart as wide as its place; its label says in words what it shows. */
export function Chart({ options, data, height, label }: ChartProps): ReactElement {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const latest = useRef(data);
  latest.current = data;
  const plot = useRef<uPlot | undefined>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours.
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const size = () => ({ width: Math.max(120, element.clientWidth), height });
    const made = new uPlot({ ...options(readColours(element)), ...size() }, latest.current, element);
    plot.current = made;
    const observer = new ResizeObserver(() => made.setSize(size()));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
      plot.current = undefined;
    };
  }, [options, height, theme]);

  useEffect(() => plot.current?.setData(data), [data]);

  return <div ref={place} className="chart" role="img" aria-label={label} />;
}

interface ChartProps {
  /** Must stay the same function while the chart looks the same. */
  readonly options: ChartOptions;
  readonly data: uPlot.AlignedData;
  readonly height: number;
  readonly label: string;
}

function readColours(element: HTMLElement): Colours {
  // A canvas needs colours as they are after light-dark() has chosen.
  const probe = document.createElement('span');
  element.append(probe);
  const read = (name: string) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    accent: read('accent'),
    faint: read('faint'),
    line: read('line'),
    soft: read('soft'),
    good: read('good'),
    bad: read('bad'),
  };
  probe.remove();
  return colours;
}
