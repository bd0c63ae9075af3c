"""Arithmetic for players: a small parser of our own, bounded in size, depth and time.

numbers, + - * / ** ( ), min, max, abs, sqrt, log, exp, mean; nothing else has a meaning. All values are floats, so no
power can grow without bound. ** binds tighter than a sign before it and groups to the right, as in Python.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

LONGEST = 1000
DEEPEST = 40
_TOKEN = re.compile(
    r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\*\*|[-+*/(),]))", re.ASCII
)


class CalculatorError(ValueError):
    """An expression that has no value; the message says what was expected."""


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


_FUNCTIONS: dict[str, tuple[int | None, Callable[[Sequence[float]], float]]] = {
    "min": (None, min),
    "max": (None, max),
    "mean": (None, _mean),
    "abs": (1, lambda values: abs(values[0])),
    "sqrt": (1, lambda values: math.sqrt(values[0])),
    "log": (1, lambda values: math.log(values[0])),
    "exp": (1, lambda values: math.exp(values[0])),
}
NAMES = tuple(_FUNCTIONS)


def calculate(expression: str) -> float:
    """The value of an expression, a finite float. Raises CalculatorError for everything else."""
    if len(expression) > LONGEST:
        raise CalculatorError(f"the expression has {len(expression)} characters; at most {LONGEST} are taken")
    parser = _Parser(_tokens(expression))
    value = parser.sum(0)
    parser.end()
    if not math.isfinite(value):
        raise CalculatorError("the result is too large; keep numbers below 1e308")
    return value


def _tokens(expression: str) -> list[str]:
    tokens, at = [], 0
    text = expression.rstrip()
    if not text:
        raise CalculatorError("there is no expression; expected something like (3 + 4) / 2")
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            odd = "".join(sign if sign.isprintable() else "?" for sign in text[at:].lstrip()[:10])
            raise CalculatorError(f"'{odd}' is not arithmetic; expected numbers and + - * / ** ( )")
        tokens.append(found.group(found.lastindex or 0))
        at = found.end()
    return tokens


class _Parser:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        if self.take() != token:
            raise CalculatorError(f"a '{token}' is missing")

    def end(self) -> None:
        if self.peek():
            raise CalculatorError(f"'{self.peek()[:20]}' does not belong there; expected an operator or the end")

    def sum(self, depth: int) -> float:
        if depth > DEEPEST:
            raise CalculatorError(f"the expression is nested too deeply; at most {DEEPEST} levels are taken")
        value = self.product(depth)
        while self.peek() in ("+", "-"):
            operator, right = self.take(), self.product(depth)
            value = value + right if operator == "+" else value - right
        return value

    def product(self, depth: int) -> float:
        value = self.signed(depth)
        while self.peek() in ("*", "/"):
            operator, right = self.take(), self.signed(depth)
            if operator == "*":
                value = value * right
            elif right == 0:
                raise CalculatorError("a division by zero has no value")
            else:
                value = value / right
        return value

    def signed(self, depth: int) -> float:
        sign = 1.0
        while self.peek() in ("+", "-"):
            sign = -sign if self.take() == "-" else sign
        return sign * self.power(depth)

    def power(self, depth: int) -> float:
        base = self.atom(depth)
        if self.peek() != "**":
            return base
        self.take()
        if depth > DEEPEST:
            raise CalculatorError(f"the expression is nested too deeply; at most {DEEPEST} levels are taken")
        exponent = self.signed(depth + 1)
        return _value(lambda: math.pow(base, exponent))

    def atom(self, depth: int) -> float:
        token = self.take()
        if token == "(":
            value = self.sum(depth + 1)
            self.expect(")")
            return value
        if token in _FUNCTIONS:
            return self.call(token, depth)
        if token[:1].isdigit() or token[:1] == ".":
            return float(token)
        if token[:1].isalpha() or token[:1] == "_":
            raise CalculatorError(f"'{token[:20]}' has no meaning here; the functions are {', '.join(NAMES)}")
        raise CalculatorError(f"a number is expected where {repr(token) if token else 'the expression ends'}")

    def call(self, name: str, depth: int) -> float:
        self.expect("(")
        values = [self.sum(depth + 1)]
        while self.peek() == ",":
            self.take()
            values.append(self.sum(depth + 1))
        self.expect(")")
        count, function = _FUNCTIONS[name]
        if count is not None and len(values) != count:
            raise CalculatorError(f"{name} takes {count} value, not {len(values)}")
        return _value(lambda: function(values))


def _value(compute: Callable[[], float]) -> float:
    try:
        return compute()
    except OverflowError:
        raise CalculatorError("the result is too large; keep numbers below 1e308") from None
    except (ValueError, ZeroDivisionError):
        raise CalculatorError(
            "this has no real value (root or logarithm of a negative number, 0 to a power below 0)"
        ) from None
