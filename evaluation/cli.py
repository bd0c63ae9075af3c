"""The command line. Every command imports what it needs when it runs, so that `--help` is quick."""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evoplay.evaluation import adaexplore_cli, cli_memory, cli_new_method
from evoplay.evaluation.warned import as_lines

if TYPE_CHECKING:
    from evoplay.evaluation.config import RunConfig
    from evoplay.evaluation.runner import Outcome

# Providers' price lists and telemetry are never fetched.
os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")

app = typer.Typer(
    name="evoplay",
    help="Find out which memory makes an agent learn: methods compared on one backbone, episode after episode.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    # Plain help: the coloured one costs more time than all the rest of `--help`.
    rich_markup_mode=None,
)
Run = Annotated[Path, typer.Argument(metavar="RUN", help="a run's folder")]
AsJson = Annotated[bool, typer.Option("--json", help="machine-readable output")]
PLANT_HELP = "a false claim to plant after episode 2: a TOML file, or gemforge or hauntedinn, which come with evoplay"


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="show tracebacks of errors")] = False,
) -> None:
    if debug:
        os.environ["EVOPLAY_DEBUG"] = "1"


@app.command()
def run(
    file: Annotated[Path | None, typer.Argument(metavar="[FILE.toml]", help="a run file; flags override it")] = None,
    env: Annotated[list[str] | None, typer.Option(help="environment id or suite (repeatable)")] = None,
    method: Annotated[list[str] | None, typer.Option(help="method with options, or policy/NAME (repeatable)")] = None,
    backbone: Annotated[str | None, typer.Option(help="sim/learner, a litellm model, policy/NAME, replay/DIR")] = None,
    episodes: Annotated[int | None, typer.Option(help="episodes a trial (default: each game's own)")] = None,
    trials: Annotated[int | None, typer.Option(help="trials of each method on each game (default 3)")] = None,
    seed: Annotated[int | None, typer.Option(help="the run's seed (default 0)")] = None,
    env_seeds: Annotated[str | None, typer.Option(help="seeds of the games, 1..5 or 1,2,7")] = None,
    episode_mode: Annotated[str | None, typer.Option(help="reshuffled or control")] = None,
    setting: Annotated[str | None, typer.Option(help="setting of AdaExplore")] = None,
    stream: Annotated[str | None, typer.Option(help="stream of AdaExplore")] = None,
    out: Annotated[str | None, typer.Option(help="the run's folder (default runs/latest)")] = None,
    concurrency: Annotated[int | None, typer.Option(help="trials at the same time (default 4)")] = None,
    budget_tokens: Annotated[int | None, typer.Option(help="tokens a prompt may hold")] = None,
    freeze_after: Annotated[int | None, typer.Option(help="learn so many episodes, then only use them")] = None,
    hide_actions: Annotated[bool, typer.Option("--hide-actions", help="do not list the valid actions")] = False,
    use_tools: Annotated[bool, typer.Option("--use-tools", help="offer the environment's tools")] = False,
    max_steps: Annotated[int | None, typer.Option(help="cap of an episode's steps")] = None,
    temperature: Annotated[float | None, typer.Option()] = None,
    reasoning_effort: Annotated[str | None, typer.Option()] = None,
    reply_tokens: Annotated[int | None, typer.Option(help="longest reply, in tokens")] = None,
    embeddings: Annotated[str | None, typer.Option(help="hashing, minilm, or a litellm embedding model")] = None,
    plant: Annotated[str | None, typer.Option(help=PLANT_HELP)] = None,
    api_base: Annotated[str | None, typer.Option(help="address of an OpenAI-compatible server")] = None,
    timeout: Annotated[float | None, typer.Option(help="seconds a call may take")] = None,
    retries: Annotated[int | None, typer.Option(help="further tries of a failed call")] = None,
    max_usd: Annotated[float | None, typer.Option(help="stop cleanly when so much is spent")] = None,
    max_tokens: Annotated[int | None, typer.Option(help="stop cleanly when so many tokens are used")] = None,
    prices: Annotated[str | None, typer.Option(help="a price table of your own (JSON or TOML)")] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="only estimate calls, tokens and USD")] = False,
    price_for: Annotated[list[str] | None, typer.Option(help="models to estimate USD for")] = None,
    as_json: AsJson = False,
) -> None:
    """Run methods on environments; the same command goes on where it stopped."""
    given = {
        name: value
        for name, value in locals().items()
        if name not in ("file", "as_json", "setting", "stream", "estimate", "price_for")
        and not (value is None or value is False or value == [])
    }
    options = {name: value for name, value in (("setting", setting), ("stream", stream)) if value is not None}
    if options:
        given["env_options"] = options
    from evoplay.evaluation.config import make_config, read_toml

    if price_for and not estimate:
        raise ValueError("--price-for is about an estimate: add --estimate, or leave it out")
    config = make_config((read_toml(file) if file is not None else {}) | given)
    if estimate:
        from evoplay.evaluation.estimate import forecast
        from evoplay.evaluation.estimate_table import print_forecast

        found = forecast(config, price_for or ())
        if as_json:
            print(json.dumps(found.as_dict(), indent=1))
        else:
            print_forecast(found)
        raise typer.Exit(0)
    raise typer.Exit(execute(config, as_json=as_json))


def execute(config: RunConfig, *, as_json: bool = False) -> int:
    """Carry out a run with live progress and its table; the exit code."""
    from rich.console import Console

    from evoplay.evaluation.load import load
    from evoplay.evaluation.summary import as_dict, summarise
    from evoplay.evaluation.terminal import print_report

    outcome = carry_out(config)
    report = as_dict(summarise(load(config.out)))
    report["outcome"] = outcome.as_dict()
    if as_json:
        print(json.dumps(report, indent=1))
    else:
        print_report(Console(), report)
    say_outcome(config, outcome)
    return outcome.exit_code


def carry_out(config: RunConfig) -> Outcome:
    """Play what is missing of a run, with live progress."""
    from rich.console import Console

    from evoplay.evaluation.runner import Run as Runner
    from evoplay.evaluation.terminal import Live

    errors = Console(stderr=True)
    backbone = open_configured(config)
    runner = Runner(config, backbone)
    histories = runner.prepare()
    planned = sum(runner.planned(cell) for cell in runner.cells)
    kept = sum(len(history.past.episodes) for history in histories.values())
    with Live(errors, planned, kept) as live:
        runner.listener = live.hear
        outcome = runner.execute(histories)
    backbone.close()
    return outcome


def say_outcome(config: RunConfig, outcome: Outcome) -> None:
    """What failed, why it stopped, where it is: for people, on standard error."""
    from rich.console import Console

    errors = Console(stderr=True)
    for line in outcome.lines():
        errors.print(line, highlight=False, markup=False, soft_wrap=True)
    if not outcome.played and outcome.stopped is None and not outcome.broken:
        errors.print(f"nothing to do: {config.out} is finished ({outcome.kept} episodes)", soft_wrap=True)
    errors.print(f"written to {config.out}", highlight=False, soft_wrap=True)


def open_configured(config: RunConfig) -> Any:
    """The backbone of a configuration."""
    from evoplay.evaluation.recorded import recorded_calls
    from evoplay.methods.backbones.registry import open_backbone

    settings: dict[str, Any] = {
        "api_base": config.api_base,
        "temperature": config.temperature,
        "reasoning_effort": config.reasoning_effort,
        "max_tokens": config.reply_tokens,
        "timeout": config.timeout,
        "retries": config.retries,
        "max_usd": config.max_usd,
        "max_tokens_total": config.max_tokens,
        "prices": config.prices,
        **config.model_options,
    }
    kind = config.backbone.partition("/")[0]
    if kind in ("sim", "policy", "replay"):
        settings = {}
    return open_backbone(config.backbone, read_records=recorded_calls, **settings)


@app.command()
def report(
    runs: Annotated[list[Path], typer.Argument(metavar="RUN...", help="folders of runs; several are merged")],
    as_json: AsJson = False,
    baseline: Annotated[str | None, typer.Option(help="the method others are compared with (default naive)")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="where the page goes (default RUN/report.html)")] = None,
    no_html: Annotated[bool, typer.Option("--no-html", help="print the table only")] = False,
    published: Annotated[bool, typer.Option("--published", help="show published figures beside ours")] = False,
) -> None:
    """A run's table in the terminal, and report.html: a page that opens offline, with every table as CSV beside it.

    With --json the figures are printed and no page is written, unless --html names one. A control and a re-shuffled
    run together are compared (transfer).
    """
    from rich.console import Console

    from evoplay.evaluation.load import load
    from evoplay.evaluation.merging import merge
    from evoplay.evaluation.report import transfer_of, write_report
    from evoplay.evaluation.report.material import Material
    from evoplay.evaluation.summary import baseline_of
    from evoplay.evaluation.terminal import print_published, print_report
    from evoplay.evaluation.transfer import print_transfer

    if no_html and html is not None:
        raise ValueError(f"--html {html} and --no-html: leave one of them out")
    if published and as_json and html is None:
        raise ValueError("--published shows in the table and on the page: leave --json out, or name a page with --html")
    about, transfer = transfer_of([load(path) for path in runs])
    loaded = merge(*about) if len(about) > 1 else about[0]
    baseline_of(loaded, baseline)
    material = Material(loaded, baseline, transfer)
    if as_json:
        print(json.dumps(material.everything, indent=1))
    else:
        print_report(Console(), material.report)
        if transfer is not None and len(runs) > 1:
            print_transfer(transfer)
        if published:
            print_published(Console())
    if no_html or (as_json and html is None):
        return
    written = write_report(material, html, published=published)
    size = f"{written.size / 1e6:.1f} MB"
    print(f"{written.page} ({size}), {written.count} tables in {written.tables}", file=sys.stderr)


@app.command()
def power(
    run: Run,
    difference: Annotated[float, typer.Option(help="size of the true difference to find, in points of the metric")],
    metric: Annotated[str, typer.Option(help="max, mean, lg or ls")] = "ls",
    baseline: Annotated[str | None, typer.Option(help="the method others are compared with (default naive)")] = None,
    as_json: AsJson = False,
) -> None:
    """Trials per game that find a difference with 80 % power, at the variances of a run."""
    from evoplay.evaluation.load import load
    from evoplay.evaluation.summary import baseline_of, power_table, summarise, trials_of_both, warn_of_gaps

    loaded = load(run)
    summary = summarise(loaded)
    needed = power_table(summary, difference, metric, baseline)
    warn_of_gaps(loaded)
    if as_json:
        print(json.dumps(needed))
        return
    base = baseline_of(loaded, baseline)
    for contender, trials in needed.items():
        if trials is not None:
            print(f"{contender}: {trials} trials per game")
        elif trials_of_both(summary, contender, base, metric) < 2:
            print(f"{contender}: unknown (no game with 2 scored trials of it and of {base})")
        else:
            print(f"{contender}: more than 10,000,000 trials per game")


@app.command()
def transfer(
    method: Annotated[list[str], typer.Option(help="method with options, or policy/NAME (repeatable)")],
    backbone: Annotated[str, typer.Option(help="what plays, as in `evoplay run`")] = "sim/learner",
    env: Annotated[list[str] | None, typer.Option(help="re-shuffled games (default: all of them)")] = None,
    trials: Annotated[int, typer.Option(help="trials of each method on each game and condition")] = 3,
    episodes: Annotated[int, typer.Option(help="episodes a trial")] = 10,
    seed: Annotated[int, typer.Option(help="the run's seed")] = 0,
    env_seeds: Annotated[str | None, typer.Option(help="seeds of the games, 1..5 or 1,2,7")] = None,
    out: Annotated[str, typer.Option(help="folder of the two runs and the comparison")] = "runs/transfer",
    concurrency: Annotated[int, typer.Option(help="trials at the same time")] = 4,
    budget_tokens: Annotated[int | None, typer.Option(help="tokens a prompt may hold")] = None,
    api_base: Annotated[str | None, typer.Option(help="address of an OpenAI-compatible server")] = None,
    max_usd: Annotated[float | None, typer.Option(help="stop cleanly when so much is spent, in each condition")] = None,
    as_json: AsJson = False,
) -> None:
    """How much of what is learned is tied to the instance: LS with the same instance and with changing ones."""
    from evoplay.evaluation.load import load
    from evoplay.evaluation.transfer import compare, configurations, print_transfer, write_transfer

    names = ("method", "backbone", "env", "trials", "episodes", "seed", "env_seeds", "concurrency", "budget_tokens")
    given = {name: value for name, value in locals().items() if name in (*names, "api_base", "max_usd")}
    configs = configurations({name: value for name, value in given.items() if value is not None}, out)
    worst = 0
    for config in configs.values():
        outcome = carry_out(config)
        say_outcome(config, outcome)
        worst = max(worst, outcome.exit_code)
        if outcome.stopped is not None:
            raise typer.Exit(outcome.exit_code)
    data = compare(load(configs["control"].out), load(configs["reshuffled"].out))
    write_transfer(data, out)
    if as_json:
        print(json.dumps(data, indent=1))
    else:
        print_transfer(data)
    raise typer.Exit(worst)


@app.command()
def games(as_json: AsJson = False) -> None:
    """The environments: id, kind, challenge, reference, one line."""
    from evoplay.evaluation.listing import games_table, print_games

    rows = games_table()
    if as_json:
        print(json.dumps(rows, indent=1))
    else:
        print_games(rows)


@app.command()
def play(
    env: Annotated[str, typer.Argument(metavar="ENV", help="environment id")],
    episodes: Annotated[int, typer.Option(help="episodes to play")] = 1,
    seed: Annotated[int | None, typer.Option(help="seed of the game (default: the official one)")] = None,
    out: Annotated[str | None, typer.Option(help="folder of the record (default runs/play-<game>-<time>)")] = None,
) -> None:
    """Play a game yourself; it is recorded like any method. End of input (Ctrl-D) leaves the episode."""
    import time

    from evoplay.evaluation.config import make_config

    folder = out or f"runs/play-{env.rpartition('/')[2]}-{time.strftime('%Y%m%d-%H%M%S')}"
    config = make_config(
        {"env": env, "method": "policy/human", "backbone": "policy/human", "episodes": episodes, "trials": 1}
        | {"concurrency": 1, "out": folder}
        | ({} if seed is None else {"env_seeds": [seed]})
    )
    raise typer.Exit(execute(config))


@app.command()
def show(
    run: Run,
    cell: Annotated[str, typer.Option(help="the trial: its id or a part of its path")],
    episode: Annotated[int, typer.Option(help="number of the episode")] = 1,
    prompts: Annotated[bool, typer.Option("--prompts", help="with the prompt of every call")] = False,
) -> None:
    """The transcript of an episode, with score changes, replies and notes."""
    from evoplay.evaluation.listing import print_episode
    from evoplay.evaluation.load import load

    print_episode(load(run), cell, episode, prompts=prompts)


@app.command()
def doctor(
    backbone: Annotated[str, typer.Option(help="the backbone to check")] = "sim/learner",
    api_base: Annotated[str | None, typer.Option(help="address of an OpenAI-compatible server")] = None,
    out: Annotated[str, typer.Option(help="where runs would be written")] = "runs",
    as_json: AsJson = False,
) -> None:
    """Check a backbone before a run: key, endpoint, context window, price, one call; and the disk."""
    from evoplay.evaluation.doctor import examine

    findings = examine(backbone, api_base, Path(out))
    if as_json:
        print(json.dumps([finding._asdict() for finding in findings], indent=1))
    else:
        for finding in findings:
            print(f"{'ok  ' if finding.ok else 'BAD '} {finding.what}: {finding.detail}")
    raise typer.Exit(0 if all(finding.ok for finding in findings) else 1)


cli_memory.mount(app)
cli_new_method.mount(app)
app.add_typer(adaexplore_cli.app, name="adaexplore")


_BARE = (KeyError, IndexError, UnicodeDecodeError, UnicodeEncodeError, RecursionError, NotImplementedError)
"""Errors of Python's own, whose words were written for nobody; their subclasses with messages of ours are not meant."""


def main() -> None:
    """Entry point: an error is one line on standard error and exit code 2; `--debug` shows its traceback.

    One that nobody foresaw is one line too, with its place; its exit code is 1.
    """
    try:
        with as_lines():
            app(standalone_mode=True)
    except BrokenPipeError:
        sys.exit(0)
    except Exception as error:
        if os.environ.get("EVOPLAY_DEBUG"):
            raise
        written = isinstance(error, (ValueError, LookupError, RuntimeError, OSError)) and type(error) not in _BARE
        told = written and str(error) != ""
        print(f"evoplay: {_on_one_line(str(error)) if told else _unforeseen(error)}", file=sys.stderr)
        sys.exit(2 if told else 1)


def _unforeseen(error: Exception) -> str:
    """An error that no message was written for, in one line: what it was, where, and how to see more."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = _on_one_line(f"{type(error).__name__}: {error}")
    where = f"{Path(place.filename).name}, line {place.lineno}"
    return f"unforeseen {what} ({where}): `evoplay --debug ...` shows where it came from; please report it"


def _on_one_line(text: str) -> str:
    return " ".join(line.strip() for line in text.splitlines())


if __name__ == "__main__":
    main()
