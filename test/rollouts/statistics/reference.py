"""Writes reference.json: the statistics of runs as scipy and statsmodels compute them.

    pip install numpy scipy statsmodels
    python test/rollouts/statistics/reference.py > test/rollouts/statistics/reference.json
"""

import hashlib
import json
import math
import struct

import numpy as np
import statsmodels.api as sm
from scipy import stats
from scipy.special import comb
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint


def chance(seed, name):
    """The generator of the project, written a second time."""
    a, b, c, counter = struct.unpack("<4i", hashlib.sha256(f"{seed} {name}".encode()).digest()[:16])
    mask = 0xFFFFFFFF
    a, b, c, counter = (value & mask for value in (a, b, c, counter))
    while True:
        words = []
        for _ in range(2):
            total = (a + b + counter) & mask
            counter = (counter + 1) & mask
            a = b ^ (b >> 9)
            b = (c + (c << 3)) & mask
            c = (((c << 21) | (c >> 11)) + total) & mask
            words.append(total)
        yield ((words[0] >> 5) * 2**26 + (words[1] >> 6)) / 2**53


def bootstrap(values, seed, resamples=10_000):
    draws = chance(seed, "bootstrap")
    means = []
    for _ in range(resamples):
        total = 0.0
        for _ in values:
            total += values[math.floor(next(draws) * len(values))]
        means.append(total / len(values))
    return [float(np.quantile(means, share)) for share in (0.025, 0.975)]


def t_interval(values):
    mean, error = float(np.mean(values)), float(stats.sem(values))
    low, high = stats.t.interval(0.95, len(values) - 1, loc=mean, scale=error)
    return {"mean": mean, "error": error, "low": float(low), "high": float(high)}


def clustered(values, clusters):
    groups = np.unique(clusters, return_inverse=True)[1]
    fit = sm.OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds={"groups": groups}, use_t=True)
    low, high = fit.conf_int(0.05)[0]
    return {"mean": float(fit.params[0]), "error": float(fit.bse[0]), "low": float(low), "high": float(high)}


def passes(tasks, k):
    enough = [(n, c) for n, c in tasks if n >= k]
    at = float(np.mean([1 - comb(n - c, k, exact=True) / comb(n, k, exact=True) for n, c in enough]))
    every = float(np.mean([comb(c, k, exact=True) / comb(n, k, exact=True) for n, c in enough]))
    return {"k": k, "at": at, "all": every, "leftOut": len(tasks) - len(enough)}


def main():
    random = np.random.default_rng(7)
    many = [round(float(value), 4) for value in random.normal(0.4, 0.3, 57)]
    few = [round(float(value), 4) for value in random.exponential(1, 11)]
    clusters = [f"topic {int(value)}" for value in random.integers(0, 9, 57)]
    other = [round(value + float(random.normal(0.05, 0.2)), 4) for value in many]
    tasks = [(int(n), int(random.integers(0, n + 1))) for n in random.integers(1, 12, 25)]
    differences = np.array(other) - np.array(many)
    print(
        json.dumps(
            {
                "t": {"values": many, **t_interval(many)},
                "clustered": {"values": many, "clusters": clusters, **clustered(many, clusters)},
                "bootstrap": [{"seed": seed, "values": few, "interval": bootstrap(few, seed)} for seed in (0, 3)],
                "wilson": [
                    {"passed": passed, "count": count, "interval": list(map(float, proportion_confint(passed, count, method="wilson")))}
                    for passed, count in ((0, 20), (13, 20), (20, 20), (1, 3), (480, 1319))
                ],
                "quantiles": [
                    {"probability": p, "degrees": d, "value": float(stats.t.ppf(p, d))}
                    for p in (0.6, 0.9, 0.975, 0.995, 0.9999)
                    for d in (1, 2, 3, 10, 29, 100, 1318, 100_000)
                ],
                "passes": {"tasks": tasks, "rates": [passes(tasks, k) for k in (1, 2, 4, 8, 11)]},
                "paired": {
                    "first": many,
                    "second": other,
                    "wins": int((differences > 0).sum()),
                    "losses": int((differences < 0).sum()),
                    "ties": int((differences == 0).sum()),
                    **t_interval(differences),
                },
                "mcnemar": [
                    {"wins": wins, "losses": losses, "p": float(mcnemar([[5, wins], [losses, 7]], exact=True).pvalue)}
                    for wins, losses in ((0, 5), (3, 9), (10, 10), (1, 0), (120, 87), (700, 640))
                ],
            },
            indent=1,
        )
    )


main()
