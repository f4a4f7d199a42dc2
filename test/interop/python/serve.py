"""An official server of the SDK named on the command line. Prints its port, and ends when its input does."""

import asyncio
import json
import sys
from collections import Counter
from importlib import import_module

from pydantic import BaseModel
from serving import serve

# The SDKs log to the standard output, which is for the port alone.
port_to, sys.stdout = sys.stdout, sys.stderr

sdk = import_module({"ors": "ors", "openreward": "openreward.environments"}[sys.argv[1]])
ToolOutput = sdk.ToolOutput

# What happened, by the tag of the task: "cut:setup", "cut:slow".
counts = Counter()


class Submit(BaseModel):
    answer: str


class Slow(BaseModel):
    seconds: float


class Repeat(BaseModel):
    piece: str
    count: int


def output(text, **more):
    return ToolOutput(blocks=[sdk.TextBlock(text=text)], **more)


class Math(sdk.Environment):
    def __init__(self, task_spec={}, secrets={}):
        super().__init__(task_spec, secrets)
        self.secrets = secrets

    def count(self, event):
        counts[f"{self.task_spec.get('tag')}:{event}"] += 1

    async def setup(self):
        self.count("setup")
        await asyncio.sleep(self.task_spec.get("setup_seconds", 0))
        if "setup_fail" in self.task_spec:
            raise RuntimeError(self.task_spec["setup_fail"])

    async def teardown(self):
        self.count("teardown")

    def get_prompt(self):
        return [
            sdk.TextBlock(text=f"math: {self.task_spec.get('question')}"),
            sdk.ImageBlock(data="aGk=", mimeType="image/png"),
        ]

    @classmethod
    def list_splits(cls):
        return ["train", sdk.Split(name="exam", type="test"), "hard"]

    @classmethod
    def list_tasks(cls, split):
        return [{"question": f"What is {n}+{n}?", "answer": str(2 * n)} for n in range(10)]

    def list_task_tools(self):
        return sdk.ListToolsOutput(tools=[sdk.ToolSpec(name="hint", description="A hint.", input_schema=None)])

    @sdk.tool
    async def submit(self, params: Submit) -> ToolOutput:
        """Submit an answer."""
        self.count("submit")
        right = params.answer == self.task_spec["answer"]
        return output("Correct!" if right else "Incorrect.", reward=float(right), finished=True, metadata={"n": [1]})

    @sdk.tool
    async def slow(self, params: Slow) -> ToolOutput:
        """Waits."""
        self.count("slow")
        await asyncio.sleep(params.seconds)
        return output("waited")

    @sdk.tool
    async def repeat(self, params: Repeat) -> ToolOutput:
        """Returns a piece of text many times."""
        self.count("repeat")
        return output(params.piece * params.count)

    @sdk.tool
    async def boom(self) -> ToolOutput:
        """Throws."""
        self.count("boom")
        raise RuntimeError("first line\nsecond line")

    @sdk.tool
    async def secret(self) -> ToolOutput:
        """Returns the secrets of the episode."""
        return output(json.dumps(self.secrets))

    @sdk.tool
    async def counted(self) -> ToolOutput:
        """Returns what happened in all episodes."""
        return output(json.dumps(counts))

    @sdk.tool(shared=False)
    async def hint(self) -> ToolOutput:
        """A hint."""
        return output("think")


class Code_Env(sdk.Environment):
    def get_prompt(self):
        return [sdk.TextBlock(text=f"code: {self.task_spec['file']}")]

    @classmethod
    def list_splits(cls):
        return ["train"]

    @classmethod
    def list_tasks(cls, split):
        return [{"file": "a.py"}, {"file": "b.py"}]

    @sdk.tool
    async def run(self) -> ToolOutput:
        """Runs the file."""
        return output(f"ran {self.task_spec['file']}")


serve(sdk.Server([Math, Code_Env]).app, port_to)
