"""An evaluation in Inspect, with a model that says what it is told to; prints what stands in its log."""

import json
import sys
from tempfile import TemporaryDirectory

from inspect_ai import Task, eval
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_openreward import openreward_dataset, openreward_scorer, openreward_solver
from openreward import OpenReward

name, split, games = json.loads(sys.argv[1])
MODEL = "mockllm/model"

outputs = []
for calls in games:
    for tool, arguments in calls:
        outputs.append(ModelOutput.for_tool_call(MODEL, tool_name=tool, tool_arguments=arguments))
    # The solver asks until the model calls nothing, also after the end of an episode.
    outputs.append(ModelOutput.from_content(MODEL, "Done."))
for output in outputs:
    # Without it, Inspect counts tokens itself, and downloads a table for that.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)

environment = OpenReward().environments.get(name)
task = Task(
    dataset=openreward_dataset(environment, split, limit=len(games)),
    solver=openreward_solver(environment),
    scorer=openreward_scorer(),
)
with TemporaryDirectory() as folder:
    # One sample after the other: the model's answers stand in one row.
    logs = eval(task, model=get_model(MODEL, custom_outputs=outputs), log_dir=folder, max_samples=1, display="none")
    log = read_eval_log(logs[0].location)
if log.status != "success":
    sys.exit(f"the evaluation failed: {log.error}")

print(
    json.dumps(
        {
            "mean": log.results.scores[0].metrics["mean"].value,
            "samples": [
                {
                    "prompt": sample.messages[0].text,
                    "outputs": [message.text for message in sample.messages if message.role == "tool"],
                    "score": sample.scores["openreward_scorer"].value,
                    "finished": sample.scores["openreward_scorer"].metadata["finished"],
                }
                for sample in log.samples
            ],
        }
    )
)
