"""Reading play out of a prompt by its structure alone: bars, action marks, brackets, list items, blank lines.

No wording of a heading is known here. Lines behind a bar are a game's own words, a line that begins with `>` is an
action that was played, a bracketed line under it holds the score, a list near the end holds the actions there are, and
a bar line under a line of plain text opens another stretch of play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evoplay.methods.backbones.sim.words import masked, numbers, signs

BULLETS = ("- ", "* ", "• ")


@dataclass(slots=True)
class Move:
    """An action that was played ("" where it is not shown) and what stood under it."""

    action: str
    outcome: list[str] = field(default_factory=list)
    brackets: list[str] = field(default_factory=list)
    label: str = ""
    """The plain line right above it."""

    @property
    def level(self) -> float | None:
        """The score after the move, as far as it is shown."""
        found = numbers(self.brackets[0]) if self.brackets else ()
        return found[0] if found else None

    @property
    def change(self) -> float:
        """The change of the score that is shown with it."""
        if not self.brackets:
            return 0.0
        found, signed = numbers(self.brackets[0]), signs(self.brackets[0])
        return found[1] if len(found) > 1 and signed[1] else 0.0


@dataclass(slots=True)
class Play:
    """A stretch of play: the line above it, the opening text, the moves."""

    heading: str
    opening: list[str] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    brackets: list[str] = field(default_factory=list)
    """Brackets under an opening that no move follows."""

    @property
    def final(self) -> float | None:
        """The final score, read from the last bracket of a stretch that is over; None where it shows none."""
        brackets = self.moves[-1].brackets if self.moves else self.brackets
        if not brackets:
            return None
        found, signed = numbers(brackets[-1]), signs(brackets[-1])
        if not found:
            return None
        alone = len(brackets) == 1
        return found[0] if alone and len(found) > 1 and signed[1] else found[-1]

    @property
    def level(self) -> float | None:
        """The score last shown in it."""
        for move in reversed(self.moves):
            if move.level is not None:
                return move.level
        return None


class Scanner:
    """Reads a growing prompt line by line; `feed` may be called with one whole-line piece after the other."""

    def __init__(self) -> None:
        self.plays: list[Play] = []
        self.loose: list[tuple[int, str]] = []
        """Plain lines with the number of plays that had begun before them."""
        self._labels: set[str] = set()
        """Plain lines that stood above actions, numbers masked."""
        self._last = "start"
        self._after_blank = True

    def feed(self, text: str) -> None:
        """Read more of the prompt (whole lines)."""
        for line in text.splitlines():
            self._line(line)

    def _line(self, line: str) -> None:
        if not line or line.isspace():
            self._after_blank = True
            return
        mark = line[0]
        if mark == "|":
            self._bar(line[2:] if line[1:2] == " " else line[1:])
            kind = "bar"
        elif mark == ">" and line[1:2] in ("", " "):
            if not self.plays or self._last == "start":
                self.plays.append(Play(""))
            label = self.loose[-1][1] if self._last == "text" and not self._after_blank else ""
            if label:
                self._labels.add(masked(label))
            self.plays[-1].moves.append(Move(line[2:].strip(), label=label))
            kind = "action"
        elif mark == "[" and line[1:2] != "[" and line.rstrip()[-1] == "]":
            # A bracket that stands by itself is a remark about the text, not the score of the move above it.
            if not self._after_blank and self.plays and self._last in ("bar", "bracket", "action"):
                play = self.plays[-1]
                (play.moves[-1] if play.moves else play).brackets.append(line)
                kind = "bracket"
            else:
                kind = "remark"
        else:
            self.loose.append((len(self.plays), line))
            kind = "text"
        self._last = kind
        self._after_blank = False

    def _bar(self, content: str) -> None:
        above = self.loose[-1][1] if self._last == "text" else ""
        if self.plays and above and masked(above) in self._labels:
            self.plays[-1].moves.append(Move("", [content], label=above))
            return
        if self._last in ("start", "text") or not self.plays:
            self.plays.append(Play(above, [content]))
            return
        play = self.plays[-1]
        if self._last == "remark" or (self._last in ("bar", "bracket") and self._after_blank):
            play.moves.append(Move("", [content]))
        elif play.moves:
            play.moves[-1].outcome.append(content)
        else:
            play.opening.append(content)


@dataclass(slots=True)
class Tail:
    """The end of a prompt: what stands before the list, the listed actions, the numbers under the list."""

    before: str
    actions: tuple[str, ...]
    numbers: tuple[float, ...]


def read_tail(text: str) -> Tail:
    """Find the last list of a prompt's end; plain lines may follow it."""
    lines = text.splitlines()
    end = len(lines)
    while end and not lines[end - 1].startswith(BULLETS):
        if lines[end - 1].startswith(("|", ">")):
            break
        end -= 1
    if not end or not lines[end - 1].startswith(BULLETS):
        plain = [line for line in lines if line.strip() and line[0] not in "|>["]
        return Tail(text, (), numbers(plain[-1]) if plain else ())
    start = end
    while start and lines[start - 1].startswith(BULLETS):
        start -= 1
    listed = tuple(_unglossed(line[2:].rstrip()) for line in lines[start:end])
    # The line right above a list is what introduces it.
    above = start - 1 if start and lines[start - 1].strip() and lines[start - 1][0] not in "|>[" else start
    return Tail("\n".join(lines[:above]), listed, numbers(" ".join(lines[end:])))


def _unglossed(item: str) -> str:
    """A list item without the meaning that stands behind it in parentheses."""
    action, gap, gloss = item.partition("  (")
    return action if gap and gloss.endswith(")") else item


def present_of(plays: Sequence[Play], asked: Sequence[float]) -> int:
    """Which stretch of play is the present one: the last whose heading names the episode that is asked about.

    `asked` are the numbers under the list of actions. Where headings have no such numbers it is simply the last.
    """
    for at in range(len(plays) - 1, -1, -1):
        named = numbers(plays[at].heading)
        if len(named) >= 2 and any(number in asked for number in named[:-1]):
            return at
    for at in range(len(plays) - 1, -1, -1):
        if any(number in asked for number in numbers(plays[at].heading)):
            return at
    return len(plays) - 1


def alike(one: Play, other: Play) -> bool:
    """Whether two stretches of play stand under headings that differ in numbers only."""
    return masked(one.heading) == masked(other.heading)
