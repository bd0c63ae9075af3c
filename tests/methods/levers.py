"""A puppet game and a scripted player: what happens in a trial is written down in the test, word for word.

Actions: `go PLACE` (shows it), `earn N` (score +N), `lose N`, `say WORDS` (the game answers with these words), `stop`
(ends the episode); anything else is refused.
"""

import re
from collections import defaultdict

from evoplay.envs.base import Env, EnvSpec, Observation, Reference, check_episode, check_seed
from evoplay.evaluation.history import read_history
from tests.evaluation.trials import make_trial
from tests.scripted import ScriptedBackbone, fields


class Levers(Env):
    spec = EnvSpec(
        id="test/levers",
        title="Levers",
        suite="test",
        kind="fixed",
        challenge=False,
        episodes=5,
        max_steps=20,
        seed=1,
        summary="Do as you are told.",
    )

    def __init__(self, seed=None, openings=None):
        self.seed = check_seed(seed, self.spec.seed)
        self.openings = openings or {}

    def reset(self, episode=1):
        self.episode, self.score, self.over = check_episode(episode), 0, False
        return self.look(self.openings.get(episode, "A hall with levers."))

    def look(self, text, accepted=True):
        return Observation(
            text=text,
            valid_actions=() if self.over else ("go hall", "earn 1", "stop"),
            accepted=accepted,
            score=self.score,
            visible_score=self.score,
            done=self.over,
        )

    def step(self, action):
        verb, _, rest = action.partition(" ")
        if verb == "go":
            return self.look(f"You are in the {rest}.")
        if verb in ("earn", "lose"):
            self.score += int(rest) * (1 if verb == "earn" else -1)
            return self.look(f"A lever moves ({action}).")
        if verb == "say":
            return self.look(rest)
        if verb == "stop":
            self.over = True
            return self.look(rest or "The end.")
        return self.look("Nothing happens.", False)

    def finish(self):
        self.over = True
        return self.look("You leave.")

    def reference(self, episode=1):
        return Reference(10, "exact", "as told")


class Player:
    """Plays the plan of each episode and answers structured calls from lists, by purpose; keeps all it was asked.

    plans : actions by episode, or by (episode, rollout). answers : replies by purpose, in order, exceptions too.
    """

    def __init__(self, plans, **answers):
        self.plans = plans
        self.answers = {purpose: iter(replies) for purpose, replies in answers.items()}
        self.rollouts = defaultdict(int)
        self.backbone = ScriptedBackbone(self.reply)

    def reply(self, messages, purpose):
        if purpose != "act":
            reply = next(self.answers.get(purpose, iter(())), None)
            assert reply is not None, f"no answer is left to a call with the purpose '{purpose}'"
            return reply
        step, episode = re.findall(r"This is step (\d+) of episode (\d+)\.", messages[-1].content)[-1]
        if step == "1":
            self.rollouts[int(episode)] += 1
        plan = self.plans.get((int(episode), self.rollouts[int(episode)]), self.plans.get(int(episode), ["stop"]))
        action = plan[int(step) - 1]
        if isinstance(action, Exception):
            raise action
        return f"As planned.\nAction: {action}"

    def calls(self, purpose):
        """The calls made for a purpose."""
        return [call for call in self.backbone.calls if call.purpose == purpose]

    def prompt(self, episode, step=1, nth=-1):
        """What the player was shown before a step (`nth` of several rollouts)."""
        asked = f"This is step {step} of episode {episode}."
        return [c.messages[-1].content for c in self.calls("act") if asked in c.messages[-1].content][nth]


class Trialled:
    """A trial played to its end, or on from a log."""

    def __init__(self, method, player, episodes, *, events=(), env=None, past=True, **settings):
        from evoplay.evaluation.loop import run_trial

        self.method, self.player = method, player
        self.events = list(events)
        trial = make_trial(env or Levers(), method, player.backbone, self.events, episodes, **settings)
        self.services = trial.services
        history = read_history(events) if events else None
        if history is not None:
            from evoplay.evaluation.stores import known_steps

            self.store.restore(history.claims, known_steps(history))
        self.records = run_trial(trial, history.past if history is not None else None)

    @property
    def store(self):
        return self.services.store

    def texts(self, kind, status="active"):
        return [claim.text for claim in self.store.claims(kind, status=status)]

    def errors(self):
        return [(event["what"], event["kind"]) for event in self.events if event["type"] == "error"]


def asked(call):
    """The input fields of a structured call."""
    text = call.messages[1].content
    found = re.findall(r"\[\[ ## (\w+) ## \]\]\n(.*?)(?=\n\n\[\[ ## |\n\nRespond with)", text, re.DOTALL)
    return {name: value.rstrip() for name, value in found}


def said(**values):
    """A reply to a structured call."""
    return fields(**values)
