"""The clients of OXP behind one face: sync and async alike are awaited, so that a flow is written once."""

from clients import Awaited


class Oxp:
    """The official client, which was generated from the OpenAPI of OXP."""

    def __init__(self, mode, url, token="none", headers=None):
        from oxp import AsyncOxp, Oxp

        self.client = (Oxp if mode == "sync" else AsyncOxp)(base_url=url, bearer_token=token, default_headers=headers)
        self._tools = Awaited(self.client.tools)

    async def health(self):
        return await Awaited(self.client.health).check()

    async def tools(self):
        return (await self._tools.list()).to_dict()

    async def call(self, tool_id, input=None, **request):
        request |= {"tool_id": tool_id} | ({} if input is None else {"input": input})
        return (await self._tools.call(request=request)).to_dict()


class LangChain:
    """The client of LangChain's tool server, which speaks a dialect of OXP."""

    def __init__(self, mode, url, headers=None):
        from langchain_tool_client import get_client

        self.client = get_client(url, mcp=False, headers=headers)

    async def health(self):
        return await self.client.health()

    async def tools(self):
        return await self.client.tools.list()

    async def call(self, tool_id, input=None, **more):
        return await self.client.tools.call(tool_id, input, **more)


CLIENTS = {"oxp": Oxp, "langchain": LangChain}
