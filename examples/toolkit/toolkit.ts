import { ToolError, tool, toolkit } from 'tiltyard';
import { z } from 'zod';

const number = z.number();
const a = number.describe('one number');
const b = number.describe('the number to add to it');
const decimals = z.int().min(0).max(15).default(10).describe('to how many decimals the sum is rounded');

const addFloats = tool({
  description: 'Add two numbers.',
  version: '1.0.0',
  input: z.object({ a, b }),
  output: number,
  // It changes nothing: a call that a crash cut off may be run again.
  effects: 'idempotent',
  run: (input) => input.a + input.b,
});

/** The newer version; also a tool of the environment in `environment.ts`. */
export const add = tool({
  description: 'Add two numbers, as on paper: 0.1 + 0.2 is 0.3.',
  version: '2.0.0',
  input: z.object({ a, b, decimals }),
  output: number,
  effects: 'idempotent',
  run: (input) => Number((input.a + input.b).toFixed(input.decimals)),
});

/** Two versions of one tool: callers of the first keep what they rely on. */
export const calculator = toolkit({ name: 'Calculator', tools: { Add: [addFloats, add] } });

const DOORBELLS = ['doorbell42', 'doorbell84'];

const ring = tool({
  description: 'Ring a doorbell.',
  version: '0.1.0',
  input: z.object({ doorbell_id: z.string() }),
  output: z.null(),
  // Nobody likes a bell that rings twice. This is the default in toolkits.
  effects: 'external',
  run({ doorbell_id: id }) {
    if (DOORBELLS.includes(id)) return null;
    throw new ToolError('Doorbell ID not found', {
      developerMessage: `The doorbell with ID '${id}' does not exist.`,
      canRetry: true,
      promptContent: `ids: ${DOORBELLS.join(',')}`,
      retryAfterMs: 500,
    });
  },
});

/** A failure that tells the model how to do better. */
export const doorbell = toolkit({ name: 'Doorbell', tools: { Ring: ring } });

const sendText = tool({
  description: 'Send a text message to a phone.',
  input: z.object({ to: z.e164(), text: z.string().min(1) }),
  output: z.object({ segments: z.int() }),
  effects: 'external',
  requirements: { secrets: ['SMS_API_KEY'], userId: true },
  run({ text }, { secrets, userId, log }) {
    // A real tool would send the key to the provider; this one knows the only good key itself.
    if (secrets.SMS_API_KEY !== 'good-key') throw new ToolError('The SMS provider refused the API key');
    log.info(`a text for ${userId}`);
    return { segments: Math.ceil(text.length / 160) };
  },
});

const MAIL = new Map([['token-of-ada', ['Notes on the engine', 'Tea on Sunday?']]]);

const listMail = tool({
  description: "List the subjects of the user's mail.",
  output: z.array(z.string()),
  effects: 'idempotent',
  requirements: {
    authorization: [{ id: 'mail', url: 'https://mail.example.com/authorize', oauth2: { scopes: ['mail.read'] } }],
  },
  run({}, { authorization = {} }) {
    const subjects = MAIL.get(authorization.mail ?? '');
    if (subjects === undefined) throw new ToolError('The mail service does not know this token');
    return subjects;
  },
});

/** Tools that need something of their caller: secrets, a user, or what the user has granted. */
export const messages = toolkit({ name: 'Messages', tools: { SendText: sendText, ListMail: listMail } });
