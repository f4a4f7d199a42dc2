"""Serves an app on a free port, which it prints, until its input ends."""

import os
import socket
import sys
from threading import Thread

import uvicorn


def serve(app, port_to):
    Thread(target=end_with_input, daemon=True).start()
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], file=port_to, flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_keep_alive=60)).run(sockets=[listener])


def end_with_input():
    sys.stdin.read()
    os._exit(0)
