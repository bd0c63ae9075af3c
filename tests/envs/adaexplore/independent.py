"""The conditions of acceptance, recomputed from an exported line by code of its own.

Nothing of the package is imported here (a test sees to that): rules, sampling and calibration are written anew.
"""

import json
import math

import numpy as np
from scipy.special import ndtr, ndtri

CENTRES = (-0.75, -0.25, 0.25, 0.75)


def draw(u, field):
    low, high = field["range"]
    kind, *rest = field["draw"]
    if kind == "uniform":
        x = low + (high - low) * u
    elif kind == "normal":
        mean, sd = rest
        a, b = ndtr((low - mean) / sd), ndtr((high - mean) / sd)
        x = mean + sd * ndtri(a + u * (b - a))
    elif kind == "triangular":
        (mode,) = rest
        x = np.where(
            u < (mode - low) / (high - low),
            low + np.sqrt(u * (high - low) * (mode - low)),
            high - np.sqrt((1 - u) * (high - low) * (high - mode)),
        )
    elif kind == "log_uniform":
        x = low * (high / low) ** u
    else:
        (step,) = rest
        x = low + step * np.floor(u * (round((high - low) / step) + 1))
    return np.clip(np.round(x, field["decimals"]), low, high)


def population(line):
    entropy, size = line["population"]["entropy"], line["population"]["size"]
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(entropy)))
    kept = []
    while sum(map(len, kept)) < size:
        u = rng.random((size, len(line["fields"])))
        cases = np.stack([draw(u[:, j], field) for j, field in enumerate(line["fields"])], axis=1)
        kept.append(cases[legal(line, cases)])
    return np.concatenate(kept)[:size]


def legal(line, cases):
    names = [field["name"] for field in line["fields"]]
    good = np.ones(len(cases), bool)
    for limit in line["constraints"]:
        good &= sum(c * cases[:, names.index(name)] for name, c in limit["terms"].items()) <= limit["at_most"] + 1e-9
    return good


def raw(line, rule, cases, leave_out=None):
    """Evidence case by case, in plain Python."""
    fields = {field["name"]: (j, *field["range"]) for j, field in enumerate(line["fields"])}
    factors = [factor for factor in rule["factors"] if factor["field"] != leave_out]
    out = []
    for case in cases:
        scaled, margins = [], []
        for factor in factors:
            j, low, high = fields[factor["field"]]
            x = 2 * (case[j] - low) / (high - low) - 1
            t = 2 * (factor["threshold"] - low) / (high - low) - 1
            scaled.append(factor["direction"] * factor["weight"] * x)
            margins.append(factor["direction"] * (x - t))
        if line["family"] == "additive":
            out.append(rule["bias"] + math.fsum(scaled))
        elif line["family"] == "conjunctive":
            out.append(min(margins))
        elif line["family"] == "disjunctive":
            out.append(max(margins))
        else:
            out.append(next((m for m in margins if abs(m) > rule["delta"]), margins[-1]))
    return np.array(out)


def utilities(line, e):
    q25, q50, q75 = line["calibration"]
    s = np.where(e <= q50, -0.5 + (e - q25) / (2 * (q50 - q25)), (e - q50) / (2 * (q75 - q50)))
    return 1 - np.abs(np.clip(s, -1, 1)[:, None] - np.array(CENTRES))


def best(u):
    return (u >= u.max(axis=1, keepdims=True) - 1e-12).argmax(axis=1)


def faults(text):
    """Everything an exported line breaks of what an accepted episode must keep (an empty list: nothing)."""
    line, out = json.loads(text), []

    def check(holds, what):
        if not holds:
            out.append(f"{line['split']} {line['index']}: {what}")

    cases, before, after = np.array(line["cases"]), line["before"], line["after"]
    names = [field["name"] for field in line["fields"]]
    count = line["batches"] * line["cases_per_batch"]
    check(line["schema"] == 1 and len(names) == len(set(names)) == 8, "schema or fields")
    check(cases.shape == (count, 8) and len(before["factors"]) == line["factors"] in (3, 4), "shape")
    check(5 <= line["drift"] <= 8 and line["batches"] == 12 and line["cases_per_batch"] == 5, "batches")
    low, high = np.array([field["range"] for field in line["fields"]]).T
    check(bool(legal(line, cases).all() and ((cases >= low) & (cases <= high)).all()), "an illegal case")

    old = {factor["field"]: factor for factor in before["factors"]}
    new = {factor["field"]: factor for factor in after["factors"]}
    change = line["change"]
    check(set(old) - set(new) == {change["removed"]} and set(new) - set(old) == {change["added"]}, "replacement")
    turned = {name for name in set(old) & set(new) if old[name]["direction"] != new[name]["direction"]}
    check(turned == {change["reversed"]}, "reversal")
    order = [
        change["added"] if factor["field"] == change["removed"] else factor["field"] for factor in before["factors"]
    ]
    check(order == [factor["field"] for factor in after["factors"]], "priority is taken over")
    check(old[change["removed"]]["weight"] == new[change["added"]]["weight"], "weight is taken over")
    for name in set(old) & set(new):
        check(all(old[name][key] == new[name][key] for key in ("weight", "threshold")), "the rest is kept")
    allowed = {field["name"]: field["directions"] for field in line["fields"]}
    check(
        all(factor["direction"] in allowed[factor["field"]] for factor in (*old.values(), *new.values())), "direction"
    )
    check(len(allowed[change["reversed"]]) == 2 and change["why_replaced"] and change["why_reversed"], "reasons")
    check((before["bias"], before["delta"]) == (after["bias"], after["delta"]) == (0.0, 0.5), "bias and band")

    people = population(line)
    if line["family"] == "additive":
        weights = [factor["weight"] for factor in before["factors"]]
        check(abs(sum(weights) - 1) < 1e-9 and max(weights) / min(weights) <= 3 + 1e-9, "weights")
    else:
        for factor in (*old.values(), *new.values()):
            column = people[:, names.index(factor["field"])]
            least, most = np.quantile(column, (0.4, 0.6))
            check(least - 1e-9 <= factor["threshold"] <= most + 1e-9, f"threshold of {factor['field']}")
    e = raw(line, before, people)
    quartiles = np.quantile(e, (0.25, 0.5, 0.75))
    check(np.allclose(quartiles, line["calibration"], atol=1e-9), "calibration")
    check(min(np.diff(quartiles)) >= 1e-3, "gaps between quartiles")

    u_old, u_new = (utilities(line, raw(line, rule, cases)) for rule in (before, after))
    for u, when in ((u_old, "before"), (u_new, "after")):
        shares = np.bincount(best(u), minlength=4) / count
        check(shares.min() >= 0.10 and shares.max() <= 0.45, f"actions {when}: {shares}")
    check(0.30 <= (best(u_old) != best(u_new)).mean() <= 0.80, "changed cases")
    rows = np.arange(count)
    loss = (u_new[rows, best(u_new)] - u_new[rows, best(u_old)]).reshape(line["batches"], -1).max(axis=1)
    check(loss[line["drift"] - 1 :].min() >= 0.25, "a harmless batch")
    for rule, when in ((before, "before"), (after, "after")):
        whole = best(utilities(line, raw(line, rule, people)))
        for factor in rule["factors"]:
            without = best(utilities(line, raw(line, rule, people, factor["field"])))
            check((without != whole).mean() >= 0.04, f"{factor['field']} matters too little {when}")
    return out
