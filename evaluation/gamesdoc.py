"""Writing docs/games.md: `python -m evoplay.evaluation.gamesdoc`.

The page shows every game of Learn2Play as its own code describes and plays it, so it cannot fall behind the code.
"""

from __future__ import annotations

import random
from pathlib import Path

from evoplay.envs import make
from evoplay.envs.base import Env, EnvSpec, Observation
from evoplay.envs.learn2play import GAMES
from evoplay.envs.solutions import official_solution
from evoplay.evaluation.listing import reference_text

STEPS = 4
PLAYER_SEED = 1
PAGE = Path(__file__).parents[1] / "docs" / "games.md"
HEAD = f"""# The games

Learn2Play has {len(GAMES)} text games whose rules are hidden: what helps and what harms has to be found out by \
playing and remembered from one episode to the next. In a *fixed* game every episode is the same instance; in a \
*re-shuffled* one each episode is another instance of the same rules. A *challenge* game weighs three times in \
aggregates and is played for more episodes. The reference is the raw score that counts as 100; where a game takes \
more than its list of actions shows, a player can pass it.

Each sample is the opening and the first {STEPS} steps of a player who picks listed actions at random but does not \
end the game while there is another choice, with the official seed. This page is written by \
`python -m evoplay.evaluation.gamesdoc`.
"""


def document() -> str:
    """The whole page."""
    specs = [make(f"learn2play/{name}").spec for name in GAMES]
    return "\n".join([HEAD, contents(specs), *(section(spec) for spec in specs)])


def contents(specs: list[EnvSpec]) -> str:
    """The table of all games."""
    lines = ["| game | kind | class | what it is |", "|---|---|---|---|"]
    lines += [
        f"| [{spec.title}](#{spec.title.lower().replace(' ', '-')}) | {kind(spec)} | {rank(spec)} | {spec.summary} |"
        for spec in specs
    ]
    return "\n".join([*lines, ""])


def section(spec: EnvSpec) -> str:
    """A game: heading, facts, what it is about, a sample of play."""
    facts = [
        f"`{spec.id}`",
        kind(spec),
        rank(spec),
        f"official seed {spec.seed}",
        f"reference {reference_text(spec)}",
        f"{spec.episodes} episodes of at most {spec.max_steps} steps",
    ]
    return f"## {spec.title}\n\n{' · '.join(facts)}\n\n{spec.about}\n\n```text\n{sample(make(spec.id))}\n```\n"


def kind(spec: EnvSpec) -> str:
    return "re-shuffled" if spec.kind == "reshuffled" else spec.kind


def rank(spec: EnvSpec) -> str:
    return "challenge" if spec.challenge else "normal"


def sample(env: Env) -> str:
    """The opening and the first steps of a random player, as a transcript."""
    rng = random.Random(PLAYER_SEED)
    first = official_solution(env.spec)
    # An episode that cannot score is a prologue; the game proper starts after it.
    obs = env.reset(2 if first is not None and not first.value else 1)
    lines = [obs.text]
    for _ in range(STEPS):
        if obs.done or not obs.valid_actions:
            break
        action = _pick(env, obs, rng)
        lines += ["", _prompt(obs, action)]
        obs = env.step(action)
        lines.append(obs.text)
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n"))


def _pick(env: Env, obs: Observation, rng: random.Random) -> str:
    """A listed action at random, one that does not end the game where there is one."""
    order = rng.sample(obs.valid_actions, len(obs.valid_actions))
    return next((action for action in order if not env.clone().step(action).done), order[0])


def _prompt(obs: Observation, action: str) -> str:
    gloss = obs.glosses.get(action)
    return f"> {action}" + (f"   ({gloss})" if gloss else "")


def main() -> None:
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
