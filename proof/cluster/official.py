"""Plays with the official clients, unmodified, as it is told: a JSON line {id, episode, do, ...} in, a line {id, ...} out."""

import asyncio
import json
import sys

# The SDKs log to the standard output, which is for answers alone.
answers, sys.stdout = sys.stdout, sys.stderr


class Players:
    def __init__(self, url):
        from openreward import AsyncOpenReward
        from ors.client import AsyncORS

        # Kept: a client that nobody holds closes its connections.
        self._ors, self._openreward = AsyncORS(base_url=url), AsyncOpenReward(api_key="official")
        self._url = url
        self._sessions = {}

    async def begin(self, episode, sdk, environment, task):
        session = self._session(sdk, environment, task)
        self._sessions[episode] = await session.__aenter__()
        return {"sid": session.sid}

    async def prompt(self, episode):
        blocks = await self._sessions[episode].get_prompt()
        return {"text": blocks[0].text}

    async def call(self, episode, tool, input):
        output = await self._sessions[episode].call_tool(tool, input)
        return {"text": output.blocks[0].text, "reward": output.reward, "finished": output.finished}

    async def end(self, episode):
        await self._sessions.pop(episode).__aexit__(None, None, None)
        return {}

    def _session(self, sdk, environment, spec):
        if sdk == "ors":
            from ors.client import Task

            return self._ors.environment(environment).session(task=Task(environment, spec))
        from openreward.api.environments.types import Task

        server = self._openreward.environments.get(environment, base_url=self._url)
        return server.session(task=Task(environment, environment, spec, None))


async def main(url):
    players = Players(url)
    # Loading the packages takes long on a busy machine.
    print(json.dumps({"id": 0}), file=answers, flush=True)

    async def answer(id, do, **asked):
        try:
            told = await getattr(players, do)(**asked)
        except Exception as error:
            told = {"failure": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": id, **told}), file=answers, flush=True)

    lines = asyncio.StreamReader()
    protocol = asyncio.StreamReaderProtocol(lines)
    await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, sys.stdin)
    asking = set()
    while line := await lines.readline():
        task = asyncio.create_task(answer(**json.loads(line)))
        asking.add(task)
        task.add_done_callback(asking.discard)


asyncio.run(main(sys.argv[1]))
