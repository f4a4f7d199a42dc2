import { describe, expect, test } from 'vitest';
import { errorIn } from '../../src/checking/referee/mcp/messages.ts';

const refusal = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32000, message: 'no' } });

function streamOf(...data: readonly string[]) {
  const text = data.map((each) => `event: message\r\ndata: ${each}\r\n\r\n`).join('');
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, text };
}

describe('what an answer over MCP says is wrong', () => {
  test('is found in a body, and among the messages of a stream', () => {
    expect(errorIn({ status: 400, headers: { 'content-type': 'application/json' }, text: refusal })).toBe('no');
    expect(errorIn(streamOf('{"method":"ping"}', 'not JSON', refusal))).toBe('no');
    expect(errorIn(streamOf('{"id":1,"result":{}}'))).toBeUndefined();
  });

  // Looked at one by one, a million broken messages blocked the command, and Ctrl-C, for seven seconds.
  test('is not looked for in messages without end', () => {
    const broken = Array.from({ length: 1_000 }, () => 'x');
    expect(errorIn(streamOf(...broken.slice(1), refusal))).toBe('no');
    expect(errorIn(streamOf(...broken, refusal))).toBeUndefined();
  });
});
