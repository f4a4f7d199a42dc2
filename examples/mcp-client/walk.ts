import { writeFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

// A client of MCP that walks through gridworld at random, and keeps the pictures that it sees:
//   tiltyard serve examples/gridworld/environment.ts --mcp
//   node --import tsx examples/mcp-client/walk.ts "http://localhost:8080/mcp/gridworld?split=test&index=0&episode=1"

/** What came of a walk. */
export interface Walk {
  readonly task: string;
  readonly steps: number;
  readonly pictures: readonly Uint8Array[];
  /** The text of the last result. */
  readonly end: string;
}

/** Walks until a result says that the episode has ended. */
export async function walk(url: string): Promise<Walk> {
  const client = new Client({ name: 'walker', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    const { messages } = await client.getPrompt({ name: 'task' });
    const task = messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n');
    const pictures: Uint8Array[] = [];
    for (let steps = 1; ; steps += 1) {
      const direction = ['up', 'down', 'left', 'right'][Math.floor(Math.random() * 4)];
      const { content } = await client.callTool({ name: 'move', arguments: { direction } });
      for (const block of content) if (block.type === 'image') pictures.push(Buffer.from(block.data, 'base64'));
      const end = content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
      if (end.includes('The episode has ended')) return { task, steps, pictures, end };
    }
  } finally {
    await client.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { steps, pictures, end } = await walk(process.argv[2] ?? '');
  for (const [at, picture] of pictures.entries()) await writeFile(`step-${at + 1}.png`, picture);
  console.log(`${end}\n${steps} steps, ${pictures.length} pictures`);
}
