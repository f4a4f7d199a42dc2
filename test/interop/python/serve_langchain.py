"""LangChain's tool server with the tools of the folder beside. Prints its port, and ends when its input does."""

import sys
from pathlib import Path

# The server prints a picture, and the standard output is for the port alone.
port_to, sys.stdout = sys.stdout, sys.stderr

from langchain_tool_server import Server  # noqa: E402
from serving import serve  # noqa: E402

serve(Server.from_toolkit(str(Path(__file__).parent / "langchain_toolkit")).app, port_to)
