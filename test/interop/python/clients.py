"""The official clients behind one face: sync and async alike are awaited, so that a flow is written once."""

import asyncio
import inspect
import os
from concurrent.futures import ThreadPoolExecutor


class Awaited:
    """Methods of something official; what is not awaitable is given as it is."""

    def __init__(self, target):
        self._target = target

    def __getattr__(self, name):
        attribute = getattr(self._target, name)
        if not callable(attribute):
            return attribute

        async def call(*args, **kwargs):
            value = attribute(*args, **kwargs)
            return await value if inspect.isawaitable(value) else value

        return call


class Session(Awaited):
    async def __aenter__(self):
        if hasattr(self._target, "__aenter__"):
            await self._target.__aenter__()
        else:
            self._target.__enter__()
        return self

    async def __aexit__(self, *raised):
        if hasattr(self._target, "__aexit__"):
            return await self._target.__aexit__(*raised)
        return self._target.__exit__(*raised)


class Environment(Awaited):
    def session(self, *args, **kwargs):
        return Session(self._target.session(*args, **kwargs))


class Ors:
    def __init__(self, mode, url, api_key=None):
        from ors.client import ORS, AsyncORS

        self.mode, self.url, self.api_key = mode, url, api_key
        self._client = (ORS if mode == "sync" else AsyncORS)(base_url=url, api_key=api_key)

    def environment(self, name):
        return Environment(self._client.environment(name))

    def secrets(self, secrets):
        return secrets

    def for_thread(self):
        """The sync client has one event loop, which only one thread may run."""
        return Ors(self.mode, self.url, self.api_key)


class OpenReward:
    def __init__(self, mode, url, api_key=None, variant=None, address="argument"):
        from openreward import AsyncOpenReward, OpenReward

        self.mode, self.url, self.variant = mode, url, variant
        # The base_url of the client itself would lead to the host sessions.<base_url>.
        self._base_url = url if address == "argument" else None
        if address == "variable":
            os.environ["OPENREWARD_SESSION_URL"] = url
            os.environ["OPENREWARD_API_URL"] = url
        self._client = (OpenReward if mode == "sync" else AsyncOpenReward)(api_key=api_key)

    def environment(self, name):
        return Environment(self._client.environments.get(name, variant=self.variant, base_url=self._base_url))

    def secrets(self, secrets):
        return {name: (value, ["example.com"]) for name, value in secrets.items()}

    def for_thread(self):
        return self


CLIENTS = {"ors": Ors, "openreward": OpenReward}


def run(mode, flow):
    """Runs a flow to its end: an async one in a loop of its own, a sync one without any."""
    if mode == "async":
        return asyncio.run(flow)
    try:
        flow.send(None)
    except StopIteration as end:
        return end.value
    raise RuntimeError("a sync flow has nothing to wait for")


async def side_by_side(client, flow, count):
    """Runs a flow many times at once: in one loop, or in threads."""
    if client.mode == "async":
        return await asyncio.gather(*(flow(client) for _ in range(count)))
    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(lambda _: run("sync", flow(client.for_thread())), range(count)))
