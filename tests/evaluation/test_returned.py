"""What a hook returns is checked where it comes in: a wrong value is one error that says what to return."""

import numpy as np
import pytest

from evoplay.evaluation.history import read_history
from evoplay.evaluation.loop import MethodBroke
from evoplay.memory.blocks import Block
from evoplay.memory.claims import Claim
from evoplay.methods.base import Context, Method
from tests.scripted import ScriptedBackbone

from .trials import play
from .windows import Cards


def method_with(**hooks):
    """A method whose hooks return what is given."""

    class Mine(Method):
        name = "mine"
        rollouts = 2 if "choose" in hooks else 1

    for hook, value in hooks.items():
        setattr(Mine, hook, lambda self, *arguments, value=value: value)
    return Mine()


def play_with(**hooks):
    answer = ScriptedBackbone(lambda messages, purpose: "Action: say 4")
    return play(Cards(), method_with(**hooks), answer, episodes=2)


LOOPED = {}
LOOPED["it"] = LOOPED


@pytest.mark.parametrize(
    ("hook", "value", "said"),
    [
        ("context", "Try `say 4`.", "context returned the str 'Try `say 4`.': return a Context of blocks"),
        ("context", "", "context returned the str '': return a Context"),
        ("context", [Block("a\n")], "context returned the list .*: return a Context"),
        ("context", Context("Try it."), "context returned a Context whose guidance is the str 'Try it.': give a list"),
        ("context", Context(hints=Block("a\n")), "a Context whose hints is the Block .*: give a list of Block"),
        ("context", Context(history=["a"]), "a Context with the str 'a' in its history: wrap each text as Block"),
        ("context", Context([Block(4)]), "a Context with a Block of the int 4 in its guidance: give it a text"),
        ("state", None, "state returned None: return a dict of JSON data"),
        ("state", [1, 2], r"state returned the list \[1, 2\]: return a dict"),
        ("state", {"seen": Block("a")}, r"state returned what is no JSON data \(Block cannot be written"),
        ("state", {(1, 2): 3}, "state returned what is no JSON data .keys must be"),
        ("state", LOOPED, "state returned what is no JSON data .Circular"),
        ("choose", 2, "choose returned the int 2: return the place of one of the 2 rollouts, 0 to 1"),
        ("choose", None, "choose returned None: return the place"),
        ("rules", ["4 is best"], "rules returned the list .*: return a list of claims"),
        ("rules", [Claim("cell/c001", "rule", "4 is best.")], "returned the claim .*c001., which is not in the evid"),
        ("shown_rules", None, "shown_rules returned None: return a list of claims"),
    ],
)  # fmt: skip
def test_a_wrong_value_is_told_with_what_to_return(hook, value, said):
    with pytest.raises(MethodBroke, match=f"^method 'mine': .*{said}") as broke:
        play_with(**{hook: value})
    assert "\n" not in str(broke.value)


def test_right_values_are_taken():
    hooks = {"context": None, "state": {"n": np.int64(3), "seen": {"b", "a"}}, "rules": None, "choose": 1}
    _, events = play_with(**hooks)
    assert read_history(events).past.state == hooks["state"]
    records, _ = play_with(context=Context((Block("a\n"),), [Block("b\n")]), rules=())
    assert [record.error for record in records] == [None, None]
