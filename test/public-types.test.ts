import type {
  CallResult,
  EnvironmentClient,
  ErrorContext,
  HttpError,
  InputArguments,
  OxpServerError,
  OxpServerErrorDetails,
  OxpToolError,
  OxpToolErrorDetails,
  ProviderCall,
  Session,
  Split,
  ToolDefinition,
  ToolSpec,
  ToolsOptions,
  WireBlock,
  WireRequirements,
} from 'tiltyard/client';
import * as client from 'tiltyard/client';
import type { HostEvent, Observer, OrsOptions, SessionRules, SetupEnded, SetupResult } from 'tiltyard/server';
import type { Finding, LintOptions, Log, PlayedEpisode, PlayOptions, Requirement, RewardRange } from 'tiltyard/testing';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { Declarations } from './support/declarations.ts';

const ENTRIES = ['index', 'checking/index', 'client/index', 'records/index', 'server/index', 'testing/index'];

// Computed types: an editor shows what they come to, and nobody writes their names.
const COMPUTED = [
  ...['Awaitable', 'Complete', 'Given', 'InputOf', 'OutputOf', 'TaskInput', 'TaskOutput'],
  // What OxpInput, OxpValue and ProviderTools are made with.
  ...['InputOfTool', 'ValueOfTool', 'VersionsOf', 'Tools'],
  // What NewEvent is made with.
  'New',
];

// As `npm run build` has written them, and `npm test` does first.
const declarations = new Declarations();
afterAll(() => declarations[Symbol.dispose]());
const authors = declarations.exportsOf('index');

test.each(ENTRIES)('whatever %s names in its types can be imported from it, or from tiltyard', (entry) => {
  const exported = declarations.exportsOf(entry);
  expect(exported.length).toBeGreaterThan(20);
  const importable = new Set([...exported, ...authors].map(({ symbol }) => symbol.id));
  const missing = exported.flatMap((each) =>
    declarations
      .namedBy(each)
      .filter(({ id, name }) => !importable.has(id) && !COMPUTED.includes(name))
      .map(({ name }) => `${name} in ${each.name}`),
  );
  expect([...new Set(missing)]).toEqual([]);
});

test.each(ENTRIES)('every export of %s has a comment that says what it is for', (entry) => {
  const silent = declarations.exportsOf(entry).filter((each) => !declarations.isDocumented(each));
  expect(silent.map(({ name }) => name)).toEqual([]);
});

test('what the client gives and takes has a name', () => {
  expectTypeOf<EnvironmentClient['splits']>().returns.resolves.toEqualTypeOf<Split[]>();
  expectTypeOf<Session['prompt']>().returns.resolves.toEqualTypeOf<WireBlock[]>();
  expectTypeOf<CallResult['blocks']>().toEqualTypeOf<readonly WireBlock[]>();
  expectTypeOf<Session['tools']>().toBeCallableWith({} satisfies Partial<ToolsOptions<undefined>>);
  expectTypeOf(client.toProviderTools<'google'>)
    .parameter(0)
    .toEqualTypeOf<readonly ToolSpec[]>();
  expectTypeOf(client.fromProviderCall).returns.toEqualTypeOf<ProviderCall>();
  expectTypeOf<ToolDefinition['requirements']>().toEqualTypeOf<WireRequirements | undefined>();
  expectTypeOf<InputArguments<{ a?: number }>>().toEqualTypeOf<[input?: { a?: number }]>();
  expectTypeOf<ErrorContext>().toExtend<ConstructorParameters<typeof client.HttpError>[2]>();
  expectTypeOf<OxpServerErrorDetails['developerMessage']>().toEqualTypeOf<OxpServerError['developerMessage']>();
  expectTypeOf<OxpToolErrorDetails['retryAfterMs']>().toEqualTypeOf<OxpToolError['retryAfterMs']>();
  expectTypeOf<HttpError>().toExtend<client.ClientError>();
});

test('what servers and tests are told has a name', () => {
  expectTypeOf<Observer['on']>().parameter(0).toEqualTypeOf<HostEvent>();
  expectTypeOf<SetupEnded['result']>().toEqualTypeOf<SetupResult>();
  expectTypeOf<Partial<SessionRules>>().toExtend<OrsOptions['sessions']>();
  expectTypeOf<PlayOptions['log']>().toEqualTypeOf<Log | undefined>();
  expectTypeOf<PlayedEpisode<{}>['tools']>().returns.resolves.toEqualTypeOf<readonly ToolSpec[]>();
  expectTypeOf<Finding>().toExtend<Requirement>();
  expectTypeOf<LintOptions['rewardRange']>().toEqualTypeOf<RewardRange | undefined>();
});

test('sessions and environments of a client are made by it alone', () => {
  expect(client).not.toHaveProperty('Session');
  expect(client).not.toHaveProperty('EnvironmentClient');
});
