"""A small environment that masks and asks: three rounds of guessing a digit, with a question before the last round.

Each round shows a case ("the card says 4"); guessing closes it, and later prompts show only what it paid.
"""

from evoplay.envs.base import Aside, Env, EnvSpec, Observation, Reference, check_episode, check_seed


class Cards(Env):
    spec = EnvSpec(
        id="test/cards",
        title="Cards",
        suite="test",
        kind="reshuffled",
        challenge=False,
        episodes=3,
        max_steps=12,
        seed=3,
        summary="Guess what is on the card.",
    )

    def __init__(self, seed=None):
        self.seed = check_seed(seed, self.spec.seed)
        self.answers = []

    def reset(self, episode=1):
        self.episode, self.round, self.score = check_episode(episode), 1, 0
        self.over = False
        return self.look("Three cards, one after the other.", True)

    def card(self):
        return (self.seed + 3 * self.episode + 7 * self.round) % 10

    def look(self, before, accepted):
        asides = (Aside("colour", "Which colour do the cards have?"),) if self.round == 3 and not self.over else ()
        text = f"{before} The card says {self.card()}." if not self.over else f"{before} No more cards."
        return Observation(
            text=text,
            valid_actions=() if self.over else ("peek", *(f"say {digit}" for digit in range(10))),
            accepted=accepted,
            score=self.score,
            visible_score=self.score,
            done=self.over,
            retained=None if self.over else f"{before} (card {self.round} withheld)",
            asides=asides,
        )

    def step(self, action):
        if self.over:
            return self.look("It is over.", False)
        if action == "peek":
            return self.look("You look again.", True)
        if not action.startswith("say "):
            return self.look("That is not how it is played.", False)
        paid = int(action == f"say {self.card()}")
        self.score += paid
        self.round += 1
        self.over = self.round > 3
        return self.look(f"That paid {paid}.", True)

    def finish(self):
        self.over = True
        return self.look("You leave.", True)

    def answer(self, aside, reply):
        self.answers.append((self.episode, aside, reply))

    def reference(self, episode=1):
        return Reference(3, "exact", "every card named")

    def solution(self, episode=1):
        return [f"say {(self.seed + 3 * episode + 7 * number) % 10}" for number in (1, 2, 3)]
