import { catalog, silent, toLimits, toolkitCatalog } from '../../src/core/index.ts';
import { CallJournal, KeptTools, type ToolCallRecord } from '../../src/durable/index.ts';
import { MemoryJournal } from '../../src/journal/index.ts';
import {
  type CallKeeper,
  DEFAULT_SESSION_OPTIONS,
  type EpisodeRuntime,
  LocalHost,
  LocalRuntime,
  LocalToolRuntime,
  type SessionOptions,
  Toolbox,
  type ToolHost,
  type ToolRuntime,
  unobserved,
} from '../../src/sessions/index.ts';
import { acrossHost, acrossRuntime, acrossToolHost, acrossToolRuntime } from './across.ts';
import { describeHost, describeRuntime, describeToolHost } from './contract.ts';
import { environments } from './environments.ts';
import type { ToolHostOptions } from './tool-contract.ts';
import { toolkits } from './toolkits.ts';

function localRuntime(changes: Partial<SessionOptions>): LocalRuntime {
  return new LocalRuntime(catalog(environments), { ...DEFAULT_SESSION_OPTIONS, ...changes });
}

function localHost(changes: Partial<SessionOptions>, runtime: EpisodeRuntime = localRuntime(changes)): LocalHost {
  return new LocalHost(runtime, { ...DEFAULT_SESSION_OPTIONS, ...changes });
}

describeHost('a host in this process', (options) => localHost(options));
describeHost('a host that only copies reach', (options) => acrossHost(localHost(options)));
describeHost('a host whose runtime only copies reach', (options) =>
  localHost(options, acrossRuntime(localRuntime(options))),
);

describeRuntime('a runtime in this process', localRuntime);
describeRuntime('a runtime that only copies reach', (options) => acrossRuntime(localRuntime(options)));

function toolbox(
  { observer = unobserved, ...changes }: ToolHostOptions,
  wrap = (runtime: ToolRuntime): ToolRuntime => runtime,
  keep: (runtime: ToolRuntime) => CallKeeper | undefined = () => undefined,
): ToolHost {
  const limits = toLimits(changes);
  const catalogued = toolkitCatalog(toolkits, { lenient: false, limits });
  const runtime = new LocalToolRuntime(catalogued, { graceMs: limits.graceMs, log: silent, observer });
  return new Toolbox(wrap(runtime), { limits, log: silent, observer }, keep(runtime));
}

function keptTools(runtime: ToolRuntime): CallKeeper {
  // As long as nothing ends this process, there should be no difference.
  const limits = toLimits({ tombstoneMs: 0 });
  const journal = new MemoryJournal<ToolCallRecord>();
  return new KeptTools(runtime, new CallJournal(journal, { ...limits, log: silent, onFenced() {} }), limits);
}

describeToolHost('a toolbox in this process', (options) => toolbox(options));
describeToolHost('a toolbox that only copies reach', (options) => acrossToolHost(toolbox(options)));
describeToolHost('a toolbox whose runtime only copies reach', (options) => toolbox(options, acrossToolRuntime));
describeToolHost('a toolbox that keeps calls', (options) => toolbox(options, undefined, keptTools));
