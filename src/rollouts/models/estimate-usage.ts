import type { TokenUsage } from '../../records/index.ts';
import type { ReadAnswer } from './wire.ts';

/** An answer with the tokens that it took: as its server counts them, and as an estimate where it does not, so that limits hold. */
export function withUsage(answer: ReadAnswer, sent: string): ReadAnswer {
  const { usage, messages, text, calls } = answer;
  const saysNothing = text === '' && calls.length === 0;
  if (usage.input > 0 && (usage.output > 0 || saysNothing)) return answer;
  const estimate: TokenUsage = {
    ...usage,
    input: usage.input || tokensIn(sent),
    output: usage.output || (saysNothing ? 0 : tokensIn(JSON.stringify(messages))),
    estimated: true,
  };
  return { ...answer, usage: estimate };
}

const CHARACTERS_OF_A_TOKEN = 4;

// A picture in base64 has far more characters than the tokens that it is read as: about a thousand.
const PICTURE = /[\w+/=-]{4000,}/g;
const CHARACTERS_OF_A_PICTURE = 1_000 * CHARACTERS_OF_A_TOKEN;

function tokensIn(json: string): number {
  const pictures = json.match(PICTURE) ?? [];
  const apart = pictures.reduce((sum, { length }) => sum + length - CHARACTERS_OF_A_PICTURE, 0);
  return Math.ceil((json.length - apart) / CHARACTERS_OF_A_TOKEN);
}
