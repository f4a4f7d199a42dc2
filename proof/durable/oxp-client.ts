import { setTimeout as pause } from 'node:timers/promises';
import { connectOxp } from 'tiltyard/client';
import { toScoredText } from '../chaos/answers.ts';
import type { Answer } from '../chaos/events.ts';
import { toPost, transmit } from '../chaos/wire.ts';
import { toDurableOxpAnswer, toDurableThrown } from './answers.ts';
import type { Stage } from './episode.ts';
import { PATIENCE_MS, PAUSE_MS } from './raw-client.ts';

/** Calls tools of toolkits, by hand and with our client, until they are answered; and asks again for what it was told. */
export async function playOxp(stage: Stage, name: string): Promise<void> {
  const { random, history } = stage;
  const episode = `oxp-${name}`;
  const client = connectOxp(`http://127.0.0.1:${stage.cuttingPort}`, {
    apiKey: '',
    retry: { attempts: 3_000, pauseMs: 10, maxPauseMs: 200 },
  });
  const count = 1 + random.below(4);
  for (let number = 0; number < count; number += 1) {
    const token = `${episode}.${number}`;
    const tool = random.pick(['Put', 'Mail']);
    const toolId = `Durable.${tool}@1.0.0`;
    // Wrong now and then: its id is free again.
    const input = { episode, token, ms: random.chance(0.1) ? -1 : random.pick([0, 0, 20, 300]) };
    const byHand = () => history.call(episode, { token, tool }, () => callByHand(stage.port, { token, toolId, input }));
    if (random.chance(0.5)) await byHand();
    else
      await history.call(episode, { token, tool }, async () => {
        try {
          const { value } = await client.call(toolId, input, { callId: token, maxToolRetries: 0 });
          return toScoredText(value as string);
        } catch (error) {
          const answer = toDurableThrown(error);
          if (answer === undefined) history.tell(episode, { what: 'fault', why: `no ClientError: ${String(error)}` });
          return answer ?? { kind: 'unknown', why: 'a surprise' };
        }
      });
    if (random.chance(0.5)) await byHand();
  }
}

interface OxpCall {
  readonly token: string;
  readonly toolId: string;
  readonly input: object;
}

async function callByHand(port: number, { token, toolId, input }: OxpCall): Promise<Answer> {
  const request = { call_id: token, tool_id: toolId, input };
  const bytes = toPost('/tools/call', '', { $schema: 'urn:oxp:1.0', request });
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until; await pause(PAUSE_MS)) {
    const answer = toDurableOxpAnswer((await transmit(port, bytes))[0]);
    if (answer !== undefined) return answer;
  }
  return { kind: 'unknown', why: 'nobody answered' };
}
