import type { WireBlock } from '../protocol/index.ts';
import type { CallEvent, EpisodeEvent, MessageEvent, NoteEvent, RecordEvent, ResultEvent } from './events.ts';
import { cleanText, type Storing, toStored, toStoredBytes, toStoredCommon, toStoredText } from './stored-values.ts';

/**
 * An event as it stands in a record. What clients, tools and models said may hold a secret or be large; what we said, such as types,
 * numbers and outcomes, stays as it is, also if somebody's secret is the word "call".
 */
export function toStoredEvent(event: RecordEvent, storing: Storing): object {
  switch (event.type) {
    case 'episode':
      return storeEpisode(event, storing);
    case 'prompt':
      return { ...event, blocks: storeBlocks(event.blocks, storing) };
    case 'message':
      return storeMessage(event, storing);
    case 'call':
      return storeCall(event, storing);
    case 'result':
      return storeResult(event, storing);
    case 'note':
      return storeNote(event, storing);
    case 'end':
      return event;
  }
}

// A long needle, and one that begins with a rare byte: both are found fast in a long hay.
const IMAGE = Buffer.from('"type":"image"');
const BLOB = Buffer.from('$blob"');

/** Whether nothing in this JSON is, whatever its size, kept in a file of its own. */
export function hasNoBlobs(json: Buffer): boolean {
  return !json.includes(IMAGE) && !json.includes(BLOB);
}

function storeEpisode(event: EpisodeEvent, storing: Storing): object {
  const { id, identity, agent, task, tools, tags } = event;
  const { secrets } = storing;
  return {
    ...event,
    ...(id === undefined ? {} : { id: cleanText(id, secrets) }),
    ...(identity === undefined ? {} : { identity: cleanText(identity, secrets) }),
    ...(agent === undefined ? {} : { agent: cleanText(agent, secrets) }),
    ...(task === undefined ? {} : { task: toStored(task, storing) }),
    ...(tags === undefined ? {} : { tags: toStored(tags, storing) }),
    // All episodes of an environment have the same.
    ...(tools === undefined ? {} : { tools: toStoredCommon(tools, storing) }),
  };
}

function storeMessage(event: MessageEvent, storing: Storing): object {
  const { body, model } = event;
  const parameters = model?.parameters === undefined ? {} : { parameters: toStored(model.parameters, storing) };
  return {
    ...event,
    body: toStored(body, storing),
    ...(model === undefined ? {} : { model: { ...model, ...parameters } }),
  };
}

function storeCall(event: CallEvent, storing: Storing): object {
  const { tool, id, input } = event;
  const { secrets } = storing;
  return {
    ...event,
    tool: cleanText(tool, secrets),
    ...(id === undefined ? {} : { id: cleanText(id, secrets) }),
    input: toStored(input, storing),
  };
}

function storeResult(event: ResultEvent, storing: Storing): object {
  if (event.outcome === 'returned') {
    const { blocks, metadata } = event;
    return { ...event, blocks: storeBlocks(blocks, storing), metadata: toStored(metadata, storing) };
  }
  const { failure } = event;
  return { ...event, failure: { ...failure, message: toStoredText(failure.message, storing) } };
}

function storeNote(event: NoteEvent, storing: Storing): object {
  const { text, data } = event;
  return {
    ...event,
    text: toStoredText(text, storing),
    ...(data === undefined ? {} : { data: toStored(data, storing) }),
  };
}

function storeBlocks(blocks: readonly WireBlock[], storing: Storing): object[] {
  return blocks.map((block) => {
    const detail = toStored(block.detail, storing);
    if (block.type === 'image') return { ...block, data: toStoredBytes(block.data, storing), detail };
    return { ...block, text: toStoredText(block.text, storing), detail };
  });
}
