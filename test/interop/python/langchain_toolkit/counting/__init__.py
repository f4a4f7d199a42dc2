"""Tools for a server of LangChain, in the form that it wants."""

from collections import Counter

from langchain_tool_server import Auth, Context, tool

auth = Auth()

# How often each key was counted.
counts = Counter()


@auth.authenticate
async def authenticate(authorization: str) -> dict:
    """Everybody is known but one."""
    if authorization == "Bearer wrong":
        raise Auth.exceptions.HTTPException(status_code=401, detail="who are you?")
    return {"identity": "somebody", "permissions": []}


@tool
def add(a: float, b: float) -> float:
    """Add two numbers."""
    return a + b


@tool
def count(key: str) -> int:
    """Count a key."""
    counts[key] += 1
    return counts[key]


@tool
def boom() -> str:
    """Throws."""
    raise RuntimeError("it broke")


@tool(inject_context=True)
def headers(context: Context) -> dict:
    """The credentials that came with the call."""
    given = context.request.headers
    return {name: given[name] for name in ("authorization", "oxp-api-key") if name in given}


TOOLS = [add, count, boom, headers]
