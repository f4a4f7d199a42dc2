"""Opens exports of runs with the programs that they are for; prints what those see, run by run."""

import json
import sys

import pandas
import pyarrow.parquet
from datasets import load_dataset
from harbor.utils.trajectory_validator import TrajectoryValidator
from inspect_ai.analysis import samples_df
from inspect_ai.log import read_eval_log
from openai.types.chat import ChatCompletionMessageParam
from pydantic import TypeAdapter

runs = json.loads(sys.argv[1])


def read_atif(files):
    validator = TrajectoryValidator()
    return [problem for file in files if not validator.validate(file) for problem in validator.errors]


def read_inspect(file):
    log = read_eval_log(file)
    frame = samples_df(file)
    return {
        "status": log.status,
        "mean": log.results.scores[0].metrics["mean"].value,
        "samples": [
            {
                "id": sample.id,
                "epoch": sample.epoch,
                "reward": sample.scores["reward"].value,
                "roles": [message.role for message in sample.messages],
                "calls": [
                    [call.function, call.arguments]
                    for message in sample.messages
                    if message.role == "assistant"
                    for call in message.tool_calls or []
                ],
            }
            for sample in log.samples
        ],
        "frame": frame["score_reward"].astype(float).tolist(),
    }


def read_parquet(file):
    rows = pyarrow.parquet.read_table(file).to_pylist()
    frame = pandas.read_parquet(file)
    return {
        "rows": [{**row, "messages": len(json.loads(row["messages"]))} for row in rows],
        "mean": float(frame["reward"].mean()),
    }


def read_huggingface(file):
    rows = load_dataset("json", data_files=file, split="train", cache_dir=f"{file}.cache")
    return {"columns": rows.column_names, "rewards": rows["reward"][:], "rows": rows.num_rows}


def read_openai(file):
    message = TypeAdapter(ChatCompletionMessageParam)
    with open(file) as lines:
        chats = [json.loads(line) for line in lines]
    for chat in chats:
        for each in chat["messages"]:
            exhaust(message.validate_python(each))
    return [[each["role"] for each in chat["messages"]] for chat in chats]


def exhaust(value):
    """Lists are looked at only when somebody reads them."""
    if isinstance(value, dict):
        for each in value.values():
            exhaust(each)
    elif not isinstance(value, str) and hasattr(value, "__iter__"):
        for each in value:
            exhaust(each)


READERS = {
    "atif": read_atif,
    "inspect": read_inspect,
    "parquet": read_parquet,
    "huggingface": read_huggingface,
    "openai": read_openai,
}
print(json.dumps([{name: READERS[name](path) for name, path in run.items()} for run in runs]))
