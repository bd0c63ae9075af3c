"""What JSON data has to look like: fields with their types, and the words for what is wrong. Fast: logs are long."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

LARGEST = 1e100
"""Numbers beyond this (and those that are none) would make every figure they enter meaningless."""
LARGEST_WHOLE = 2**64


class Absent:
    """The type of a field that is not there."""


ABSENT = Absent()


class Shape(NamedTuple):
    """What a value has to be: one of some types, and further what `fits` says of one that is neither null nor absent.

    said : what was expected, in words.
    """

    said: str
    types: frozenset[type]
    fits: Callable[[Any], bool] | None = None

    def fault(self, value: Any) -> bool:
        """Whether the value is not as expected."""
        return value.__class__ not in self.types or (
            self.fits is not None and value is not None and value is not ABSENT and not self.fits(value)
        )


Fields = tuple[tuple[str, str, frozenset[type], Callable[[Any], bool] | None], ...]
"""Names with what each has to be, in the order of Shape. Fields that are not named may hold anything."""


def fields(*more: Fields, **shapes: Shape) -> Fields:
    """The fields of these names, and further ones."""
    return tuple((name, *shape) for name, shape in shapes.items()) + sum(more, ())


def or_null(shape: Shape) -> Shape:
    """The same, or null."""
    return Shape(f"{shape.said} or null", shape.types | {type(None)}, shape.fits)


def optional(shape: Shape) -> Shape:
    """The same, or no such field."""
    return Shape(shape.said, shape.types | {Absent}, shape.fits)


def whole(least: int, most: int | None = None) -> Shape:
    """A whole number of at least so much, and at most so much."""
    said = f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    limit = LARGEST_WHOLE if most is None else most
    return Shape(said, frozenset((int,)), lambda value: least <= value <= limit)


def one_of(*known: str) -> Shape:
    """One of some texts."""
    return Shape(f"one of {', '.join(known)}", frozenset((str,)), frozenset(known).__contains__)


def numbers(count: int) -> Shape:
    """A list of so many numbers."""
    return Shape(f"a list of {count} numbers", LISTS, lambda value: len(value) == count and not any(map(_no, value)))


def list_of(entry: Fields, said: str) -> Shape:
    """A list of objects with these fields."""
    return Shape(said, LISTS, lambda value: not any(fault_of(one, entry) for one in value))


def object_of(entry: Fields, said: str) -> Shape:
    """An object with these fields."""
    return Shape(said, frozenset((dict,)), lambda value: fault_of(value, entry) is None)


def each(entry: Shape, said: str) -> Shape:
    """An object every entry of which is such a value."""
    return Shape(said, frozenset((dict,)), lambda value: not any(map(entry.fault, value.values())))


def _all_texts(value: Iterable[Any]) -> bool:
    return all(one.__class__ is str for one in value)


# Before it is written, a list may be a tuple.
LISTS = frozenset((list, tuple))
ANY = Shape("a value", frozenset((bool, int, float, str, list, dict, type(None))))
TEXT = Shape("a text", frozenset((str,)))
TEXTS = Shape("a list of texts", LISTS, _all_texts)
FLAG = Shape("true or false", frozenset((bool,)))
NUMBER = Shape("a number", frozenset((int, float)), lambda value: -LARGEST < value < LARGEST)
WHOLE = Shape("a whole number", frozenset((int,)), lambda value: -LARGEST_WHOLE < value < LARGEST_WHOLE)
OBJECT = Shape("an object", frozenset((dict,)))
_no = NUMBER.fault


def fault_of(data: Any, expected: Fields) -> str | None:
    """What is wrong with an object that has to have these fields, in words; None if nothing is."""
    if data.__class__ is not dict:
        return f"is {shown(data)}, expected an object"
    get = data.get
    for name, said, types, fits in expected:
        value = get(name, ABSENT)
        # As `Shape.fault`, without a call for every field of every line.
        if value.__class__ in types and (fits is None or value is None or value is ABSENT or fits(value)):
            continue
        if value is ABSENT:
            return f"has no '{name}', expected {said}"
        return f"has {shown(value)} as '{name}', expected {said}"
    return None


def shown(value: Any) -> str:
    """A value in a few words, on one line."""
    words = " ".join(repr(value).split())
    return words if len(words) <= 40 else f"{words[:40]}…"
