"""Rollouts as TRL's GRPO trainer makes them, with its OpenReward environments; prints what the trainer would see."""

import json
import sys

from trl.experimental.openreward import OpenRewardSpec

target, options, games = json.loads(sys.argv[1])

spec = OpenRewardSpec(target, **options)
dataset = spec.train_dataset
make_environment = spec.environment_factory

seen = []
environments = []
for row, calls in zip(dataset, games, strict=True):
    # The trainer makes one for each rollout, resets it with the row, and calls its methods as the model asks for them.
    environment = make_environment()
    prompt = environment.reset(**row)
    outputs = [getattr(environment, tool)(**arguments) for tool, arguments in calls]
    seen.append({"prompt": prompt, "outputs": outputs, "finished": environment.finished, "steps": environment.rewards})
    environments.append(environment)
rewards = spec.reward_funcs(environments=environments)
for environment in environments:
    environment._close()

print(json.dumps({"columns": dataset.column_names, "rollouts": seen, "rewards": rewards}))
