"""What the tests do with the official clients; each function is one flow and returns what the caller saw."""

import asyncio
from contextlib import redirect_stdout
from dataclasses import asdict, replace
from hashlib import sha256
from io import StringIO
from urllib.request import Request, urlopen

from clients import side_by_side

FORMATS = ("openai", "anthropic", "google", "openrouter")


async def discovery(client):
    env = client.environment("math")
    tools = await env.list_tools()
    return {
        "splits": await env.list_splits(),
        "tasks": [task.task_spec for task in await env.list_tasks("test")],
        "count": await env.num_tasks("train"),
        "task": (await env.get_task("train", 3)).task_spec,
        "range": [task.task_spec["answer"] for task in await env.get_task_range("train", 2, 5)],
        "last": [task.task_spec["answer"] for task in await env.get_task_range("train", start=-2)],
        "whole": len(await env.get_task_range("train")),
        "tools": [asdict(tool) for tool in tools],
        "formats": {name: [named(tool) for tool in await env.list_tools(format=name)] for name in FORMATS},
    }


async def counting(client, sessions, calls, pause):
    """Sessions side by side, each of which counts as far as it is told; what each call of each session said."""

    async def count(index):
        async with client.environment("counter").session(split="train", index=index) as session:
            prompt = (await session.get_prompt())[0].text
            said = []
            for _ in range(calls):
                await asyncio.sleep(pause)
                output = await session.call_tool("add", {"n": 1})
                said.append([output.blocks[0].text, output.reward])
            return {"prompt": prompt, "said": said}

    return await asyncio.gather(*(count(index) for index in range(sessions)))


async def bad_requests(client):
    env = client.environment("math")
    return {
        "split": await failure(env.list_tasks("nope")),
        "index": await failure(env.get_task("train", 99)),
    }


async def episode_by_task(client):
    env = client.environment("math")
    task = await env.get_task("train", 3)
    async with env.session(task=task) as session:
        return await played(session)


async def episode_by_index(client):
    async with client.environment("math").session(split="train", index=3) as session:
        return await played(session)


async def second_environment(client, by):
    env = client.environment("code_env")
    source = {"task": await env.get_task("train", 1)} if by == "task" else {"split": "train", "index": 1}
    async with env.session(**source) as session:
        return {
            "prompt": [asdict(block) for block in await session.get_prompt()],
            "tools": [tool.name for tool in await session.list_tools()],
            "call": await outcome(session.call_tool("run")),
        }


async def task_tools(client):
    env = client.environment("math")
    async with env.session(task=await task_with(env)) as session:
        listed = [tool.name for tool in await session.list_tools()]
        formats = {name: [named(tool) for tool in await session.list_tools(format=name)] for name in FORMATS}
        called = await outcome(session.call_tool("hint"))
    async with env.session(task=await task_with(env, task_tools=[])) as session:
        hidden = [tool.name for tool in await session.list_tools()]
        refused = await outcome(session.call_tool("hint"))
    shared = [tool.name for tool in await env.list_tools()]
    return dict(shared=shared, listed=listed, formats=formats, called=called, hidden=hidden, refused=refused)


async def secrets(client, values):
    env = client.environment("math")
    async with env.session(task=await task_with(env), secrets=client.secrets(values)) as session:
        return await outcome(session.call_tool("secret"))


async def refusals(client):
    async with client.environment("math").session(split="train", index=0) as session:
        return {
            "unknown tool": await outcome(session.call_tool("nope", {"x": 1})),
            "bad input": await outcome(session.call_tool("submit", {"answer": ["not", "text"]})),
            "no object": await outcome(session.call_tool("submit", "42")),
            "tool error": await outcome(session.call_tool("fail")),
            "good call": await outcome(session.call_tool("submit", {"answer": "0"})),
            "after the end": await outcome(session.call_tool("submit", {"answer": "0"})),
        }


async def broken_tool(client):
    async with client.environment("math").session(split="train", index=0) as session:
        return {
            "broken": await outcome(session.call_tool("boom", {"message": "first line\nsecond line"})),
            "next": await outcome(session.call_tool("noargs")),
        }


async def failed_setup(client, reason):
    env = client.environment("math")
    async with env.session(task=await task_with(env, setup_fail=reason)) as session:
        return await outcome(session.get_prompt())


async def ended_elsewhere(client):
    async with client.environment("math").session(split="train", index=0) as session:
        await session.get_prompt()
        with urlopen(Request(f"{client.url}/delete", method="POST", headers={"X-Session-ID": session.sid})):
            pass
        return {
            "call": await outcome(session.call_tool("noargs")),
            "next": await outcome(session.call_tool("noargs")),
        }


async def texts(client, pieces):
    """The texts that arrive for pieces repeated, as length and hash: they are long."""
    async with client.environment("math").session(split="train", index=0) as session:
        outputs = [await session.call_tool("big", {"n": count, "ch": piece}) for piece, count in pieces]
    return [[len(output.blocks[0].text), hashed(output.blocks[0].text)] for output in outputs]


async def one_call(client, tool, input=None, **orders):
    """An episode of one call, with orders for the environment in its task."""
    env = client.environment("math")
    async with env.session(task=await task_with(env, **orders)) as session:
        return await outcome(session.call_tool(tool, input or {}))


async def many_sessions(client, count):
    async def episode(client):
        async with client.environment("math").session(split="train", index=3) as session:
            await session.get_prompt()
            output = await session.call_tool("submit", {"answer": "6"})
            return [session.sid, output.reward]

    return await side_by_side(client, episode, count)


async def denied(client):
    return await failure(client.environment("math").list_splits())


async def toolset_fallback(client):
    """As firehorse does: a server without the toolset says so, and the session is opened without it."""
    env = client.environment("math")
    try:
        async with env.session(split="train", index=3, toolset="codex") as session:
            return await played(session)
    except Exception as error:
        if error.status != 400 or "toolset" not in error.message:
            raise
    async with env.session(split="train", index=3) as session:
        return await played(session)


async def required_secrets(client, names):
    async def read(name):
        secrets = client.environment(name).list_required_secrets()
        try:
            return await secrets
        except Exception as error:
            return told(error)

    return {name: await read(name) for name in names}


async def platform_features(client):
    """What only newer servers have: the client has to find that out without harm."""
    from openreward.api.environments.types import Message, TextBlock

    env = client.environment("me/math")
    async with env.session(split="train", index=3, env_overrides={"A": "b"}) as session:
        candidate = [Message(role="assistant", blocks=[TextBlock(text="6")])]
        return {
            "version": await session.version(),
            "messages": [asdict(message) for message in await session.get_messages()],
            "openai": await session.get_messages(format="openai"),
            "terminal": await session.terminal_tool(),
            "final": await session.is_assistant_message_final(),
            "scores": await session.supports_score_group(),
            "score": await failure(session.score_group([candidate])),
            "call": await outcome(session.call_tool("noargs")),
        }


async def program(_client, source):
    """What a program prints."""
    with redirect_stdout(StringIO()) as printed:
        exec(source, {})
    return printed.getvalue()


async def played(session):
    prompt = [asdict(block) for block in await session.get_prompt()]
    details = await outcome(session.call_tool("details"))
    return {"prompt": prompt, "details": details, "submit": await outcome(session.call_tool("submit", {"answer": "6"}))}


async def task_with(env, **orders):
    task = await env.get_task("train", 0)
    return replace(task, task_spec={**task.task_spec, **orders})


async def outcome(call):
    """The output of a call, or how it failed."""
    try:
        output = await call
    except Exception as error:
        return told(error)
    return asdict(output) if hasattr(output, "blocks") else output


async def failure(call):
    try:
        return {"unexpected": repr(await call)}
    except Exception as error:
        return told(error)


def told(error):
    """What a caller can branch on."""
    facts = {"status": getattr(error, "status", None), "reason": getattr(error, "reason", None)}
    return {"error": type(error).__name__, "text": str(error)} | {k: v for k, v in facts.items() if v is not None}


def named(tool):
    return tool.get("name") or tool["function"]["name"]


def hashed(text):
    return sha256(text.encode()).hexdigest()
