import { connectOxp } from 'tiltyard/client';
import { toOxpAnswer, toScoredText, toThrownAnswer } from './answers.ts';
import type { Stage } from './client-actor.ts';
import { toPost, transmit } from './wire.ts';

// Mostly quick ones: a deaf one takes as long as a hundred of them.
const TOOLS = ['Quick', 'Quick', 'Quick', 'Slow', 'Slow', 'Long', 'Long', 'Deaf', 'Broken', 'Unknown'] as const;

// Some are still at work when a server that stops will wait no longer.
const LONGEST_MS = 500;

/** Calls tools over OXP: with our client over connections that break, and raw, each id several times. */
export async function playOxp(stage: Stage, episode: string): Promise<void> {
  const { random, history, cuttingPort } = stage;
  const client = connectOxp(`http://127.0.0.1:${cuttingPort}`, {
    apiKey: '',
    retry: { attempts: 6, pauseMs: 5, maxPauseMs: 100 },
  });
  const count = 1 + random.below(5);
  for (let number = 0; number < count; number += 1) {
    const token = `${episode}.${number}`;
    const tool = random.pick(TOOLS);
    const input = { episode, token, ms: random.below(tool === 'Long' ? LONGEST_MS : 50) };
    if (random.chance(0.4)) {
      await Promise.all([1, 2].map(() => callRaw(stage, { token, tool, input })));
      continue;
    }
    await history.call(episode, { token, tool }, async () => {
      try {
        const { value } = await client.call(`Chaos.${tool}@1.0.0`, input, {
          callId: token,
          maxToolRetries: 0,
          timeoutMs: random.chance(0.1) ? 1 + random.below(30) : 5_000,
        });
        return toScoredText(value as string);
      } catch (error) {
        const answer = toThrownAnswer(error);
        if (answer === undefined) history.tell(episode, { what: 'fault', why: `no ClientError: ${String(error)}` });
        return answer ?? { kind: 'unknown', why: 'a surprise' };
      }
    });
  }
}

interface OxpCall {
  readonly token: string;
  readonly tool: string;
  readonly input: { readonly episode: string };
}

async function callRaw({ random, history, port, cuttingPort }: Stage, { token, tool, input }: OxpCall): Promise<void> {
  const request = { call_id: token, tool_id: `Chaos.${tool}@1.0.0`, input };
  const bytes = toPost('/tools/call', '', { $schema: 'urn:oxp:1.0', request });
  const leave = random.chance(0.3) ? { leaveAfterMs: random.below(30) } : {};
  await history.call(input.episode, { token, tool }, async () => {
    const [answer] = await transmit(random.chance(0.5) ? port : cuttingPort, bytes, leave);
    return toOxpAnswer(answer, 'repeat');
  });
}
