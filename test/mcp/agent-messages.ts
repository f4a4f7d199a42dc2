import { type Era, type Message, toMessage } from './rpc.ts';

const CONNECTING: Readonly<Record<Era, readonly [method: string, params: object]>> = {
  legacy: [
    'initialize',
    { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
  ],
  modern: ['server/discover', {}],
};

/** All that an agent may try at the environment `quiz`, in an order in which the episode is finished near the end. */
export function agentMessages(era: Era): Message[] {
  const submit = (answer: unknown) => ['tools/call', { name: 'submit', arguments: { answer } }] as const;
  const call = (name: string, _meta = {}) => ['tools/call', { name, arguments: {}, _meta }] as const;
  const messages = [
    CONNECTING[era],
    ['ping', {}],
    ['tools/list', {}],
    ['prompts/list', {}],
    ['resources/list', {}],
    ['logging/setLevel', { level: 'debug' }],
    call('look', { progressToken: 1, 'tiltyard/call_id': 'once' }),
    call('look', { 'tiltyard/call_id': 'once' }),
    submit('again'),
    submit(5),
    call('fail'),
    call('crash'),
    call('hang'),
    call('nope'),
    submit('42'),
    submit('late'),
    call('look'),
  ] as const;
  return messages.map(([method, params], id) => toMessage(era, { id, method, params }));
}

/** What no agent may read: the reward of `quiz`, the word, and all keys of our metadata. */
export const OF_REWARDS = /618033|reward|tiltyard\//i;
