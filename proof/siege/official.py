"""Plays episodes with both official clients, side by side, and prints a line of JSON for each: its reward, or what went wrong."""

import asyncio
import json
import sys


async def play(environment):
    async with environment.session(split="train", index=0) as session:
        await session.get_prompt()
        output = await session.call_tool("submit", {"answer": 42})
        return output.reward


async def main(url, api_key, episodes, at_a_time):
    from openreward import AsyncOpenReward
    from ors.client import AsyncORS

    # Kept in variables: a client that nobody holds closes its connections.
    ors, openreward = AsyncORS(base_url=url, api_key=api_key), AsyncOpenReward(api_key=api_key)
    environments = [ors.environment("sums"), openreward.environments.get("sums", base_url=url)]
    places = asyncio.Semaphore(at_a_time)

    async def one(number):
        async with places:
            try:
                told = {"reward": await play(environments[number % 2])}
            except Exception as error:
                told = {"failure": f"{type(error).__name__}: {error}"}
            print(json.dumps(told), flush=True)

    await asyncio.gather(*(one(number) for number in range(episodes)))


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
