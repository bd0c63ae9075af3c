"""The Dungeon itself: the run's state and what each action does to it."""

from __future__ import annotations

from collections.abc import Mapping

from evoplay.envs.base import EnvSpec
from evoplay.envs.learn2play.dungeon import texts
from evoplay.envs.learn2play.dungeon.rules import (
    BOOTS,
    CHARM,
    DEATH_PENALTY,
    EXIT_BONUS,
    HEALTH,
    KEY,
    MAX_TURNS,
    OIL,
    OIL_GAIN,
    POTION,
    POTION_GAIN,
    TORCH,
    draw_labyrinth,
)
from evoplay.envs.learn2play.dungeon.solver import best_run
from evoplay.envs.learn2play.game import Game, Reply
from evoplay.envs.solutions import Solution

LISTED_IN_REFUSALS = 8


class Dungeon(Game):
    """Actions: `go_<room>`, `take`, `use_<item>`, `search`, `exit`, `retreat`, `status` (see the valid list)."""

    spec = EnvSpec(
        id="learn2play/dungeon",
        title="Dungeon",
        suite="learn2play",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=93,
        seed=2,
        summary="Walk a labyrinth by torchlight and bring out what it hides.",
        about=(
            "A labyrinth of rooms below the ground, a torch, and ways that only a search brings to light. Every "
            "descent starts anew at the same ladder and finds the same rooms with the same contents, so what one "
            "descent has seen, the next can plan with."
        ),
    )
    shared = ("labyrinth",)

    def build(self) -> None:
        self.labyrinth = draw_labyrinth(self.seed)

    def start(self, episode: int) -> str:
        self.room = 0
        self.torch, self.health, self.gold, self.turns = TORCH, HEALTH, 0, 0
        self.bag: list[str] = []
        self.active: list[str] = []
        self.visited: set[int] = set()
        self.emptied: set[int] = set()
        self.searched: set[int] = set()
        self.taken: set[int] = set()
        self.sprung: set[int] = set()
        self.ended = False
        self.told = False
        return f"{texts.OPENING}\n\n{self._enter()}"

    def play(self, action: str) -> Reply:
        if self.ended:
            return Reply(texts.GAME_OVER, False)
        act = action.strip().lower()
        if act == "status":
            return Reply(self._status())
        valid = self.valid()
        if act not in valid:
            offered = [name for name in valid if name != "status"][:LISTED_IN_REFUSALS]
            return Reply(texts.refusal_text(act, offered), False)
        if act.startswith("go_"):
            room = int(act.removeprefix("go_"))
            if room in self.labyrinth.treasures and KEY not in self.bag:
                return Reply(texts.locked_text(self.room))
            self.turns += 1
            return self._settled(self._go(room))
        if act == f"use_{KEY}":
            self.bag.remove(KEY)
            self.bag.append(KEY)
            return Reply(f"{texts.KEY_IDLE}\n{self._status()}")
        self.turns += 1
        if act in ("exit", "retreat"):
            return Reply(self._leave(act))
        if act == "take":
            return self._settled(self._take())
        if act == "search":
            self.searched.add(self.room)
            return self._settled(texts.search_text(self.labyrinth.hidden[self.room]))
        return self._settled(self._use(act.removeprefix("use_")))

    def valid(self) -> list[str]:
        if self.ended:
            return []
        listed = ["status", "retreat", *(f"go_{room}" for room in sorted(self._exits()))]
        if self.room in self.labyrinth.items and self.room not in self.taken:
            listed.append("take")
        listed += [f"use_{item}" for item in self.bag]
        if self.room == self.labyrinth.exit:
            listed.append("exit")
        if self.labyrinth.hidden[self.room] and self.room not in self.searched:
            listed.append("search")
        return listed

    def points(self) -> int:
        return self.gold

    def shown_points(self) -> int | None:
        # Gold is on show all the time, but that it is the score is told only by the end of a run.
        return self.gold if self.ended or self.told else None

    def over(self) -> bool:
        return self.ended

    def settle(self) -> str:
        self.told = True
        return texts.LEFT.format(gold=self.gold)

    def solve(self, episode: int) -> Solution:
        plan = best_run(self.labyrinth)
        how = "best-first search over walks with a proof of the bound"
        return Solution(plan.value, "exact" if plan.proven else "partial", how, tuple(plan.actions))

    # --- inner ------------------------------------------------------------------------------------------------

    def _exits(self) -> frozenset[int]:
        visible = self.labyrinth.visible[self.room]
        return visible | self.labyrinth.hidden[self.room] if self.room in self.searched else visible

    def _enter(self) -> str:
        """Describe the present room, which then counts as visited."""
        text = texts.room_text(self.room, self.room in self.visited, self._exits(), self._hints())
        self.visited.add(self.room)
        return text

    def _hints(self) -> list[str]:
        labyrinth, room, hints = self.labyrinth, self.room, list[str]()
        if room in labyrinth.treasures:
            hints.append(texts.treasure_hint(room in self.emptied))
        elif any(other in labyrinth.treasures and other not in self.emptied for other in self._exits()):
            hints.append(texts.GLOW_HINT)
        if room in labyrinth.items and room not in self.taken:
            hints.append(texts.item_hint(labyrinth.items[room]))
        if room == labyrinth.exit:
            hints.append(texts.EXIT_HINT)
        return hints

    def _go(self, room: int) -> str:
        self.torch -= 1
        self.room = room
        lines = [self._enter()]
        if room in self.labyrinth.treasures:
            self.bag.remove(KEY)
            lines.append(texts.KEY_USED)
        found = self.labyrinth.gold[room]
        if found and room not in self.emptied:
            self.emptied.add(room)
            self.gold += found
            lines.append(texts.gold_text(found, self.gold))
        lines += self._met(self.labyrinth.traps, BOOTS) + self._met(self.labyrinth.monsters, CHARM)
        return "\n".join(lines)

    def _met(self, dangers: Mapping[int, int], guard: str) -> list[str]:
        """What a danger of this room does on the first entry of the run, unless the object against it is active."""
        damage = dangers.get(self.room)
        if damage is None or self.room in self.sprung:
            return []
        self.sprung.add(self.room)
        if guard in self.active:
            self.active.remove(guard)
            return [texts.TRAP_HELD if guard == BOOTS else texts.MONSTER_HELD]
        self.health -= damage
        return [(texts.trap_text if guard == BOOTS else texts.monster_text)(damage, self.health)]

    def _take(self) -> str:
        item = self.labyrinth.items[self.room]
        self.taken.add(self.room)
        self.bag.append(item)
        return texts.take_text(item)

    def _use(self, item: str) -> str:
        self.bag.remove(item)
        if item == OIL:
            gain = min(OIL_GAIN, TORCH - self.torch)
            self.torch += gain
            return texts.oil_text(gain, self.torch)
        if item == POTION:
            gain = min(POTION_GAIN, HEALTH - self.health)
            self.health += gain
            return texts.potion_text(gain, self.health)
        self.active.append(item)
        return texts.BOOTS_USED if item == BOOTS else texts.CHARM_USED

    def _leave(self, act: str) -> str:
        self.ended = True
        if act == "retreat":
            return texts.retreat_text(self.gold)
        text = texts.exit_text(self.gold)
        self.gold += EXIT_BONUS
        return text

    def _settled(self, text: str) -> Reply:
        """End the run where torch, strength or time have run out, in this order; else show the state."""
        if self.torch <= 0:
            closing = texts.dark_text(self.gold)
        elif self.health <= 0:
            self.gold = max(0, self.gold - DEATH_PENALTY)
            closing = texts.death_text(self.gold)
        elif self.turns >= MAX_TURNS:
            closing = texts.late_text(self.gold)
        else:
            return Reply(f"{text}\n{self._status()}")
        self.ended = True
        return Reply(f"{text}\n{closing}")

    def _status(self) -> str:
        active = [item for item in (BOOTS, CHARM) if item in self.active]
        return texts.status_text(self.room, self.health, self.torch, self.gold, self.bag, active, self.turns)
