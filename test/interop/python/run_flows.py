"""Runs flows as they are asked for: a JSON line {id, sdk, client, flow, arguments} in, a line {id, result} out."""

import json
import os
import sys
import traceback
from importlib import import_module
from threading import Lock, Thread

# The SDKs log to the standard output, which is for results alone.
results, sys.stdout = sys.stdout, sys.stderr
writing = Lock()

from clients import run  # noqa: E402

# "oxp_" for OXP, nothing for ORS.
prefix = sys.argv[1] if len(sys.argv) > 1 else ""
flows = import_module(f"{prefix}flows")
CLIENTS = import_module(f"{prefix}clients").CLIENTS


async def play(request):
    # Made inside the flow: the async clients want a running loop.
    client = CLIENTS[request["sdk"]](**request["client"])
    return await getattr(flows, request["flow"])(client, **request["arguments"])


def answer(request):
    try:
        result = {"result": run(request["client"]["mode"], play(request))}
    except Exception:
        result = {"failure": traceback.format_exc()}
    with writing:
        print(json.dumps({"id": request["id"], **result}), file=results, flush=True)


for line in sys.stdin:
    Thread(target=answer, args=[json.loads(line)], daemon=True).start()

# At once: flows that the tests gave up on must not hold the process.
os._exit(0)
