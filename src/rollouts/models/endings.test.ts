import { expect, test } from 'vitest';
import { anthropic } from './anthropic.ts';
import { google } from './google.ts';
import { openAIChat } from './openai-chat.ts';
import { openAIResponses } from './openai-responses.ts';

test.each(['constructor', '__proto__', 'toString', 'new_reason'])(
  "a model that stops for '%s' has answered as a whole",
  (stop) => {
    const answers = [
      anthropic.read({ content: [], stop_reason: stop }),
      google.read({ candidates: [{ finishReason: stop }] }),
      openAIChat.read({ choices: [{ message: {}, finish_reason: stop }] }),
      openAIResponses.read({ output: [], incomplete_details: { reason: stop } }),
    ];
    expect(answers.map(({ ending }) => ending)).toEqual(['whole', 'whole', 'whole', 'whole']);
  },
);
