"""A run's figures as pandas tables, for notebooks: `metrics`, `compare`, `curves`."""

from __future__ import annotations

import numpy as np
import pandas as pd

from evoplay.evaluation.load import LoadedRun
from evoplay.evaluation.metrics import METRICS, POINTS
from evoplay.evaluation.summary import costs, summarise


def metrics(run: LoadedRun) -> pd.DataFrame:
    """One row a contender and metric: mean, sd over trials, low and high of the 95 % interval (nan below 3 trials).

    Max, Mean, LG and LS in percent of the reference; `usd`, `tokens` and `calls` of the contender stand beside.
    """
    summary = summarise(run)
    rows = []
    for contender in run.contenders:
        spent = costs(run, contender)
        for metric in METRICS:
            found = summary.estimate(contender, metric)
            low, high = found.ci if found.ci is not None else (np.nan, np.nan)
            rows.append(
                {
                    "method": contender,
                    "metric": metric,
                    "mean": found.mean,
                    "sd": found.sd,
                    "low": low,
                    "high": high,
                    "calls": spent["calls"],
                    "tokens": spent["tokens"]["input"] + spent["tokens"]["output"],
                    "usd": spent["usd"],
                }
            )
    return pd.DataFrame(rows).set_index(["method", "metric"])


def compare(run: LoadedRun, ours: str, theirs: str) -> pd.DataFrame:
    """The differences of two contenders, one row a metric: mean, 95 % interval, p, games won, lost and tied.

    Raises KeyError for a contender that is not in the run.
    """
    for name in (ours, theirs):
        if name not in run.contenders:
            raise KeyError(f"'{name}' is not in {run.path}: use one of {', '.join(run.contenders)}")
    summary = summarise(run)
    rows = []
    for metric in METRICS:
        found, p = summary.difference(ours, theirs, metric)
        low, high = found.ci if found.ci is not None else (np.nan, np.nan)
        rows.append(
            {"metric": metric, "difference": found.mean, "low": low, "high": high, "p": p}
            | summary.wins(ours, theirs, metric)
        )
    return pd.DataFrame(rows).set_index("metric")


def curves(run: LoadedRun) -> pd.DataFrame:
    """Learning curves: a row for each of ten points of progress (0 to 1), a column a contender, mean z in percent."""
    summary = summarise(run)
    index = pd.Index(np.linspace(0, 1, POINTS), name="progress")
    return pd.DataFrame({contender: summary.curve(contender) for contender in run.contenders}, index=index)
