import type { ModelToolCall, ToolReply } from '../models/wire.ts';
import type { Agent, AgentEpisode } from '../play/agent.ts';

/** The usual loop: the model calls tools and reads their answers, until the episode is finished or it calls none. */
export const modelAgent: Agent = async (episode) => {
  if (episode.model === undefined) throw new Error('this agent needs a model');
  const conversation = episode.model.start();
  let { calls } = await conversation.next();
  while (calls.length > 0) {
    const replies = await callAll(episode, calls);
    if (replies === undefined) return;
    ({ calls } = await conversation.next(replies));
  }
};

/** Makes the calls of one answer in their order; undefined once the episode is finished, and the rest are not sent. */
async function callAll(episode: AgentEpisode, calls: readonly ModelToolCall[]): Promise<ToolReply[] | undefined> {
  const replies: ToolReply[] = [];
  for (const call of calls) {
    const { name, problem } = call;
    if (problem !== undefined) {
      replies.push({ call, blocks: [{ type: 'text', text: problem, detail: null }], isError: true });
      continue;
    }
    const { blocks, finished, isError } = await episode.call(name, call.input);
    if (finished) return undefined;
    replies.push({ call, blocks, isError });
  }
  return replies;
}
