import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { connectOxp, type OxpClient } from 'tiltyard/client';
import { createServer, type Server } from 'tiltyard/server';
import { templateNameToolkit } from './toolkit.ts';

let server: Server;
let client: OxpClient<typeof templateNameToolkit>;

before(async () => {
  server = await createServer({ toolkits: [templateNameToolkit], logger: false });
  client = connectOxp<typeof templateNameToolkit>(await server.listen());
});

after(() => server.close());

test('water boils at 212 degrees Fahrenheit', async () => {
  const { value } = await client.call('TemplateName.Convert', { degrees: 100, from: 'celsius', to: 'fahrenheit' });
  assert.equal(value, 212);
});

test('a temperature that cannot be is refused with what the model should know', async () => {
  const call = client.call('TemplateName.Convert', { degrees: -500, from: 'fahrenheit', to: 'celsius' });
  await assert.rejects(call, /absolute zero is -273.15/);
});
