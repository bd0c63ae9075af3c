"""A run's figures as pandas tables, for notebooks: `metrics`, `compare`, `curves`.

An undefined number is nan in all of them. Each raises TypeError for what is no run, and warns (RunWarning), once a
run, where planned episodes have not been played yet.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from evoplay.evaluation.load import LoadedRun, run_of
from evoplay.evaluation.metrics import METRICS, POINTS
from evoplay.evaluation.summary import costs, counts, records_of, summarise, warn_of_gaps


def metrics(run: LoadedRun) -> pd.DataFrame:
    """One row a contender and metric: mean, sd over trials, low and high of the 95 % interval (nan below 3 trials).

    Max, Mean, LG and LS in percent of the reference; of the contender stand beside: `episodes` scored, `missing` (those
    that failed), `calls`, `tokens` and `usd` (nan where a call has no known price).
    """
    warn_of_gaps(run_of(run, "metrics"))
    summary = summarise(run)
    rows = []
    for contender in run.contenders:
        spent = costs(run, contender)
        played = counts(records_of(run, contender))
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
                    **played,
                    "calls": spent["calls"],
                    "tokens": spent["tokens"]["input"] + spent["tokens"]["output"],
                    "usd": spent["usd"],
                }
            )
    return _floats(pd.DataFrame(rows).set_index(["method", "metric"]), "mean", "sd", "low", "high", "usd")


def compare(run: LoadedRun, ours: str, theirs: str) -> pd.DataFrame:
    """The differences of two contenders, one row a metric: mean, 95 % interval, p, games won, lost and tied.

    `difference`, `low` and `high` in percent of the reference. Raises KeyError for a contender that is not in the run.
    """
    warn_of_gaps(run_of(run, "compare"))
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
    return _floats(pd.DataFrame(rows).set_index("metric"), "difference", "low", "high", "p")


def curves(run: LoadedRun) -> pd.DataFrame:
    """Learning curves: a row for each of ten points of progress (0 to 1), a column a contender, mean z in percent."""
    warn_of_gaps(run_of(run, "curves"))
    summary = summarise(run)
    index = pd.Index(np.linspace(0, 1, POINTS), name="progress")
    return pd.DataFrame({contender: summary.curve(contender) for contender in run.contenders}, index=index)


def _floats(table: pd.DataFrame, *columns: str) -> pd.DataFrame:
    return table.astype(dict.fromkeys(columns, "float64"))
