import { expect, test } from 'vitest';
import { random } from '../../proof/random.ts';
import { proveSimulation } from '../../proof/simulate/prove.ts';
import { SABOTAGES } from '../../proof/simulate/sabotage.ts';
import { anySchedule, parseSchedule, type Schedule, toText } from '../../proof/simulate/schedule.ts';
import { Simulator } from '../../proof/simulate/simulate.ts';

// The long version is npm run simulate.
test('N2: whatever happens to the nodes of a cluster, what must hold does', { timeout: 120_000 }, async () => {
  const { failures, faults, episodes } = await proveSimulation({ seed: 7_000, schedules: 60 });
  expect(failures).toEqual([]);
  expect(episodes).toBeGreaterThan(100);
  expect(faults.get('crash')).toBeGreaterThan(5);
});

// Beginning with the first schedule that found it: those before take time.
test.for([
  ['fencing off', 26],
  ['announcing off', 24],
  ['a claim without reading', 11],
  ['told before it is written', 1],
  ['run before it is written down', 1],
] as const)('the simulator finds a planted bug: %s', { timeout: 120_000 }, async ([name, seed]) => {
  const sabotage = SABOTAGES[name];
  expect(sabotage).toBeDefined();
  const { failures } = await proveSimulation({ seed, schedules: 500, sabotage: sabotage ?? {}, stopsEarly: true });
  const [failure] = failures;
  expect(failure).toBeDefined();
  const { seed: its, schedule } = failure as { seed: number; schedule: Schedule };
  const nodes = new Simulator(sabotage);
  const replayed = parseSchedule(toText(schedule)) as Schedule;
  const rules = (await nodes.play(its, replayed)).violations.map(({ rule }) => rule);
  expect(rules).toEqual(failure?.violations.map(({ rule }) => rule));
  // It is the planted bug, and not one of the nodes.
  expect((await new Simulator().play(its, replayed)).violations).toEqual([]);
});

test('the same seed and schedule give the same history', async () => {
  const schedule = anySchedule(random(11));
  const simulator = new Simulator();
  const [one, other] = [await simulator.play(11, schedule), await simulator.play(11, schedule)];
  expect(other).toEqual(one);
  expect(one.events).toBeGreaterThan(100);
  const another = await simulator.play(12, schedule);
  expect(another.digest).not.toBe(one.digest);
});

test('a schedule can be read as it is printed, and what is none is refused', () => {
  for (let seed = 0; seed < 100; seed += 1) {
    const schedule = anySchedule(random(seed));
    expect(parseSchedule(toText(schedule))).toEqual(schedule);
  }
  for (const text of ['', 'nodes:0', 'nodes:3 crash:3@1+1', 'nodes:2 own/replay@1x1 own/none@1x1', 'nodes:2 nonsense'])
    expect(parseSchedule(text)).toBeUndefined();
});

// What the simulator has found: each of them failed once.
test.for([
  [
    'a session whose creation was acknowledged late is dropped',
    1463,
    'nodes:2 own/replay@3898x3 own/none@3552x1 cut-late:0@1033+1524 noise@4653+4487 pause:0@2786+4130 bus:0@2062+2464',
  ],
  [
    'a creation that is repeated while it is under way is refused',
    34,
    'nodes:2 own/replay@3192x1 official/replay@2066x1 own/replay@2968x1 own/replay@3450x1 crash:0@1412+7500 bus:1@687+5426',
  ],
  [
    'a session that was handed over to a draining node stays there',
    288,
    'nodes:3 official/replay@572x1 drain:0@3452+82 journal-late:0@480+4849 drain:1@1867+53',
  ],
  [
    'a session that could not be handed over is unknown',
    4942,
    'nodes:2 own/snapshot@707x1 own/snapshot@2811x1 drain:1@4259+64 noise@1195+5642 pause:0@719+1654',
  ],
  [
    'a claim whose receipt was lost is forgotten',
    5732,
    'nodes:3 official/replay@1980x1 own/replay@3904x2 official/replay@2814x5 own/replay@556x1 pause:0@4774+4477 noise@4146+5969 journal:2@965+2766',
  ],
  [
    'a durable session of a node that stops is gone',
    10830,
    'nodes:2 official/replay@2593x1 official/snapshot@2129x1 own/none@489x3 official/replay@4228x1 drain:1@3032+246 bus:1@938+4860 drain:0@5283+71',
  ],
  [
    'a record of an earlier time of an episode keeps all others of its node waiting',
    103177,
    'nodes:3 official/replay@2019x1 cut:1@2091+2998 bus:0@5002+3548',
  ],
  [
    'an episode that a draining node takes over for an open call is never torn down there',
    105984,
    'nodes:2 own/replay@2116x1 own/replay@2891x1 bus:0@2317+2799 drain:1@3448+78',
  ],
  [
    'a session that was lost is unknown to a node that was about to take it',
    321001,
    'nodes:3 own/replay@1131x5 own/replay@3882x1 own/none@1923x2 pause:1@6332+3415 noise@2106+5123 bus-late:0@3640+3814',
  ],
  [
    'a node that stops waits forever for the end of a session that another node has taken',
    314305,
    'nodes:2 official/replay@1497x5 bus-late:0@5626+30000 journal:1@2821+3910 pause:0@4448+92 drain:1@3519+72',
  ],
  [
    'an episode is lost because the journal cannot be reached while it is built again',
    3001419,
    'nodes:3 own/snapshot@662x2 official/snapshot@4289x3 own/snapshot@3785x3 noise@5105+2585 bus:2@5320+398 bus:2@5983+1316 pause:1@4475+4574',
  ],
  [
    'a creation whose receipt was lost is never answered',
    2017175,
    'nodes:3 official/snapshot@3938x1 own/snapshot@3457x4 journal-late:0@3084+2966 journal-late:0@2046+1217',
  ],
  [
    'a session that was ended begins once more at a node that hears late that it should begin',
    4000067,
    'nodes:3 official/snapshot@3348x1 official/snapshot@3251x1 own/replay@3004x1 own/snapshot@2089x2 bus-late:1@2073+30000 pause:2@1802+1846',
  ],
  [
    'an idempotent call that was lost with its node begins as attempt 1 again, at one whose journal has just come back',
    15,
    'nodes:2 own/replay@1227x2 own/replay@1199x2 leaderless@1500+2837 crash:1@1939+93',
  ],
  [
    'the same with a call that the journal heard of before it went away',
    38,
    'nodes:2 official/replay@1016x3 own/snapshot@1230x1 leaderless@1500+82 crash:0@3780+93',
  ],
  [
    'a record that failed late waits behind those that wait for it, and nothing of its node is written any more',
    43,
    'nodes:1 own/snapshot@626x2/paired own/snapshot@1072x1 official/snapshot@964x1/paired own/snapshot@590x1/paired noise@900+3000',
  ],
] as const)('no more: %s', async ([, seed, text]) => {
  const { violations } = await new Simulator().play(seed, parseSchedule(text) as Schedule);
  expect(violations).toEqual([]);
});
