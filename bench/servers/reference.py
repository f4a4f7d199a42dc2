"""The official reference server with the same tools; logging at WARNING. Prints its port, ends when its input does."""

import logging
import os
import socket
import sys
from threading import Thread

os.environ["LOG_LEVEL"] = "WARNING"

import ors
import uvicorn
from pydantic import BaseModel

port_to, sys.stdout = sys.stdout, sys.stderr


class Add(BaseModel):
    amount: float
    note: str


class Large(BaseModel):
    piece: str
    count: int


class Counter(ors.Environment):
    async def setup(self):
        self.total = self.task_spec["start"]

    def get_prompt(self):
        return [ors.TextBlock(text="Count.")]

    @classmethod
    def list_splits(cls):
        return ["train"]

    @classmethod
    def list_tasks(cls, split):
        return [{"start": 10}]

    @ors.tool
    async def add(self, params: Add) -> ors.ToolOutput:
        """Adds."""
        self.total += params.amount
        return ors.ToolOutput(blocks=[ors.TextBlock(text=f"{params.amount:g}")], reward=0.5)

    @ors.tool
    async def large(self, params: Large) -> ors.ToolOutput:
        """Returns a piece of text many times."""
        return ors.ToolOutput(blocks=[ors.TextBlock(text=params.piece * params.count)])


def end_with_input():
    sys.stdin.read()
    os._exit(0)


logging.disable(logging.INFO)
Thread(target=end_with_input, daemon=True).start()
# With the protocol named, as uvicorn's own listener has it: asyncio sends small packets at once only then.
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listener.bind(("127.0.0.1", 0))
# Before the port is told: who connects at once waits until uvicorn is there, instead of being refused.
listener.listen(2048)
print(listener.getsockname()[1], file=port_to, flush=True)
app = ors.Server([Counter]).app
uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, timeout_keep_alive=60)).run(sockets=[listener])
