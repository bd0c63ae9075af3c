"""Ecosphere itself: stocking, sealing, reporting."""

from __future__ import annotations

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.ecosphere import texts
from evoplay.envs.learn2play.ecosphere.rules import (
    BUDGET,
    COSTS,
    MAX_TURNS,
    PLANT_LIMIT,
    PRODUCERS,
    SPECIES,
    draw_ecology,
    simulate,
)
from evoplay.envs.learn2play.ecosphere.solver import best_stocking
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution


class Ecosphere(Game):
    """Actions: `add_<species>`, `remove_<species>`, `seal`, `inspect`, `status` (see the valid list)."""

    spec = EnvSpec(
        id="learn2play/ecosphere",
        title="Ecosphere",
        suite="learn2play",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=105,
        seed=1,
        summary="Stock a jar with plants and animals, seal it and see who lives.",
        about=(
            "Eight species are on offer, and a budget to stock a jar with. Once sealed, the jar lives thirty days by "
            "itself, and a report tells how each species fared. The hidden ecology is the same in every episode, so "
            "each report is an experiment for the next jar."
        ),
    )
    shared = ("ecology",)

    def build(self) -> None:
        self.ecology = draw_ecology(self.seed)

    def start(self, episode: int) -> str:
        self.stock = dict.fromkeys(SPECIES, 0)
        self.spent = self.turns = self.score = 0
        self.sealed = False
        return texts.OPENING

    def play(self, action: str) -> Reply:
        act = action.strip().lower()
        if self.sealed:
            return Reply(texts.over_text(self.score), True) if act == "status" else Reply(texts.GAME_OVER, False)
        if act in ("status", "inspect"):
            return Reply(texts.jar_text(self.stock, self.spent))
        if act == "seal":
            return Reply(self._seal())
        word, _, species = act.partition("_")
        if word not in ("add", "remove") or "_" not in act:
            return Reply(texts.invalid_text(act), False)
        refusal = self._refusal(word, species)
        if refusal:
            return Reply(refusal, False)
        return Reply(self._add(species) if word == "add" else self._remove(species))

    def valid(self) -> list[str]:
        if self.sealed:
            return []
        listed: list[str] = []
        left = BUDGET - self.spent
        for species, count in self.stock.items():
            if COSTS[species] <= left and not (species in PRODUCERS and count >= PLANT_LIMIT):
                listed.append(f"add_{species}")
            if count:
                listed.append(f"remove_{species}")
        return [*listed, "seal", "inspect", "status"]

    def points(self) -> int:
        return self.score

    def shown_points(self) -> int | None:
        return self.score if self.sealed else None

    def over(self) -> bool:
        return self.sealed

    def solve(self, episode: int) -> Solution:
        best = best_stocking(self.ecology)
        adding = [f"add_{species}" for species, count in best.stock.items() for _ in range(count)]
        # The fortieth unit seals the jar by itself.
        line = adding if len(adding) >= MAX_TURNS else [*adding, "seal"]
        how = "simulation of every stocking the budget and the steps allow"
        return Solution(best.score, "exact", how, tuple(line))

    # --- inner ------------------------------------------------------------------------------------------------

    def _refusal(self, word: str, species: str) -> str | None:
        if species not in COSTS:
            return texts.unknown_text(species)
        count = self.stock[species]
        if word == "remove":
            return None if count else texts.none_text(species)
        if self.spent + COSTS[species] > BUDGET:
            return texts.too_dear_text(species, BUDGET - self.spent)
        if species in PRODUCERS and count >= PLANT_LIMIT:
            return texts.full_text(species)
        return None

    def _add(self, species: str) -> str:
        self.stock[species] += 1
        self.spent += COSTS[species]
        return self._counted(texts.added_text(species, self.stock[species], BUDGET - self.spent))

    def _remove(self, species: str) -> str:
        self.stock[species] -= 1
        self.spent -= COSTS[species]
        return self._counted(texts.removed_text(species, self.stock[species], BUDGET - self.spent))

    def _counted(self, text: str) -> str:
        """Count a step; the last one seals the jar."""
        self.turns += 1
        if self.turns < MAX_TURNS:
            return text
        return f"{text}\n{texts.STEPS_USED_UP}\n{self._seal()}"

    def _seal(self) -> str:
        outcome = simulate(self.ecology, self.stock)
        self.sealed, self.score = True, outcome.score
        return texts.report_text(self.stock, outcome)
