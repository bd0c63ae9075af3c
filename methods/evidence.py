"""evidence carries over revisable rules: claims with counted evidence, and the steps behind them. Ours.

What it answers: full histories outgrow the context; compressed rules harden one failure into a ban; agents stop testing
once something works; rules are not told from details of an instance.

After an episode the model proposes or rewords claims, each with the steps that show it (call 1, `claim`). Every new
step is then counted for or against every live claim: without a model where the claim names an action, a condition and
an effect (`memory/checks.py`), by the model otherwise (call 2, `judge`, only if there are such claims). Counts decide
the status (`memory/belief.py`): hypothesis, established, reopened, retracted; only established claims are shown as
rules. Claims about an instance are set aside while another instance is played. Prompts hold rules, guesses with the
action that would test each, the steps behind both, the best episode in full and the latest in short.

Settings: `explore`, the share of an episode's steps at which the least known action is suggested, falling to 0 in the
last episode (0.2); `max_new`, claims taken from one reply (8); `early`, steps at the start of an episode within which
a contradicted instance claim is set aside at once (10); `share`, the part of the token budget that claims and the steps
behind them may take (0.4). Calls: 1 or 2 an episode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evoplay.memory.belief import status_of
from evoplay.memory.blocks import Block
from evoplay.memory.checks import Check, check_of, plain, verdicts
from evoplay.memory.claims import Claim, Statement
from evoplay.memory.evidence import EvidenceError
from evoplay.memory.records import Episode, Step, step_id
from evoplay.methods.base import Context, Method, Task, View
from evoplay.methods.evidence_prompt import Shown, claim_line, claims_block, details, exploration, past_blocks
from evoplay.methods.instances import instance_of
from evoplay.methods.options import real, whole
from evoplay.methods.render import one_line
from evoplay.methods.transcripts import transcript

if TYPE_CHECKING:
    from evoplay.methods.signatures.evidence import Proposal

KIND = "rule"
RETRACTED_SHOWN = 10


class Evidence(Method):
    """Claims with counted evidence and the steps behind them."""

    name = "evidence"
    carries = "claims with counted evidence and the steps behind them"
    paper = "ours"

    def __init__(self, explore: float = 0.2, max_new: int = 8, early: int = 10, share: float = 0.4) -> None:
        self.explore = real(self.name, "explore", explore, 0, 1)
        self.max_new = whole(self.name, "max_new", max_new)
        self.early = whole(self.name, "early", early, 0)
        self.share = real(self.name, "share", share, 0, 1)
        self.episode = 0
        self.past: list[Episode] = []
        self.instances: dict[int, str] = {}
        self.counted: set[int] = set()
        self._checks: dict[tuple[str, str, str], Check | None] = {}
        self._block: tuple[Any, Shown] | None = None
        self._shown: dict[str, None] | None = None
        self._begun: list[Step] = []
        self._here = ""
        self._past: Sequence[Block] = ()

    # --- hooks ------------------------------------------------------------------------------------------------

    def begin_episode(self, task: Task) -> None:
        self.episode = task.episode
        self._here = instance_of(task.opening)
        self._block, self._shown, self._begun = None, {}, []
        self._past = past_blocks(self.past, self.planned)
        if not self.frozen:
            self.instances[task.episode] = self._here
            self._set_aside_or_restore()

    def context(self, view: View) -> Context:
        live = self._in_force()
        key = tuple((claim.id, claim.text, claim.status, claim.counts) for claim in live)
        if self._block is None or self._block[0] != key:
            room = int(self.share * self.budget_tokens) if self.budget_tokens else None
            self._block = key, claims_block(live, self.services.store, room)
        shown = self._block[1]
        assert self._shown is not None
        self._shown |= dict.fromkeys(shown.rules)
        share = 0.0 if self.frozen else self._exploring()
        hint = exploration(view, self.past, [(claim, self._check(claim)) for claim in live], share)
        return Context(guidance=shown.blocks, history=self._past, hints=hint)

    def observe(self, step: Step) -> None:
        """A contradiction early in an episode may mean that another instance is played than it seemed."""
        if step.step > self.early:
            return
        for claim in self._in_force():
            check = self._check(claim) if claim.scope == "instance" else None
            if check is not None and check.verdict(step, self._begun) is False:
                self.services.store.mark(claim.id, "aside", f"contradicted early, by {step.id}")
        self._begun.append(step)

    def end_episode(self, episode: Episode) -> None:
        store = self.services.store
        store.add_steps(episode.steps)
        self.past.append(episode)
        self.instances.setdefault(episode.episode, instance_of(episode.opening))
        refused: list[str] = []
        # An episode whose calls failed has not been counted; the next one that succeeds makes up for it.
        new = [past for past in self.past if past.episode not in self.counted]
        with store.atomic():
            for claim in self._live():
                self._count(claim, new)
            self._settle()
            self._propose(episode, refused)
            self._judge(episode, refused)
            self._settle()
        self.counted |= {past.episode for past in new}
        for why in refused:
            self.services.emit({"type": "refused", "episode": episode.episode, "message": why})

    def state(self) -> Mapping[str, Any]:
        return {
            "instances": {str(episode): instance for episode, instance in self.instances.items()},
            "counted": sorted(self.counted),
        }

    def restore(self, state: Mapping[str, Any], episodes: Sequence[Episode]) -> None:
        self.instances = {int(episode): instance for episode, instance in state.get("instances", {}).items()}
        self.counted = set(state.get("counted", ()))
        self.past = list(episodes)
        self.episode = self.past[-1].episode if self.past else 0
        self._here = self.instances.get(self.episode, "")

    # --- for analysis -----------------------------------------------------------------------------------------

    def rules(self) -> Sequence[Claim]:
        return [claim for claim in self._in_force() if claim.status == "established"]

    def shown_rules(self) -> Sequence[Claim]:
        if self._shown is None:
            return self.rules()
        return [self.services.store.get(claim_id) for claim_id in self._shown]

    def plant(self, statement: Statement) -> Claim:
        store = self.services.store
        return store.claim(
            kind=KIND,
            text=statement.text,
            scope=statement.scope,
            status="established",
            condition=statement.condition,
            action=statement.action,
            effect=statement.effect,
            supports=store.latest(statement.action, 3),
            data={"instance": self._here} if statement.scope == "instance" else None,
        )

    # --- counting ---------------------------------------------------------------------------------------------

    def _count(self, claim: Claim, episodes: Iterable[Episode]) -> None:
        """Link the steps of some episodes to a claim that can be checked without a model."""
        check = self._check(claim)
        if check is None:
            return
        shown, against = self._verdicts(check, [episode for episode in episodes if self._belongs(claim, episode)])
        self._link(claim, shown, against)
        if claim.scope == "instance":
            away = [episode for episode in episodes if not self._belongs(claim, episode)]
            self._confirm_elsewhere(claim, *self._verdicts(check, away))

    def _confirm_elsewhere(self, claim: Claim, shown: Sequence[str], against: Sequence[str]) -> None:
        """An instance claim that another instance shows too, and nothing in it speaks against, may be a rule."""
        if not shown or against:
            return
        check = self._check(claim)
        if check is not None:
            shown, against = self._verdicts(check, self.past)
        else:
            shown, against = [*claim.supports, *shown], claim.contradicts
        self.services.store.revise(
            claim.id,
            scope="rule",
            status="hypothesis",
            supports=shown,
            contradicts=against,
            data={},
            why="confirmed in another instance",
        )

    def _settle(self) -> None:
        """Let the counts decide every claim's status."""
        store = self.services.store
        for claim in self._live():
            status = self._earned(claim)
            if status == claim.status or (claim.status == "aside" and status != "retracted"):
                continue
            store.mark(claim.id, status, f"{len(claim.supports)} for, {len(claim.contradicts)} against")

    def _earned(self, claim: Claim) -> str:
        """The status that the steps behind a claim give it, in the order they were made."""
        shown = set(claim.supports)
        return status_of(step.id in shown for step in self.services.store.trail(claim.id).steps)

    def _link(self, claim: Claim, shown: Sequence[str], against: Sequence[str]) -> None:
        if shown:
            self.services.store.support(claim.id, shown)
        if against:
            self.services.store.contradict(claim.id, against)

    def _verdicts(self, check: Check, episodes: Iterable[Episode]) -> tuple[list[str], list[str]]:
        shown: list[str] = []
        against: list[str] = []
        for episode in episodes:
            good, bad = verdicts(check, episode.steps)
            shown += good
            against += bad
        return shown, against

    # --- instances --------------------------------------------------------------------------------------------

    def _set_aside_or_restore(self) -> None:
        for claim in self._live():
            if claim.scope != "instance":
                continue
            home = claim.data.get("instance") == self._here
            if home and claim.status == "aside":
                self.services.store.mark(claim.id, self._earned(claim), "its instance is back")
            elif not home and claim.status != "aside":
                self.services.store.mark(claim.id, "aside", "another instance is played")

    def _belongs(self, claim: Claim, episode: Episode) -> bool:
        """Whether an episode counts for a claim: any for a rule, those of its instance for an instance claim."""
        return claim.scope == "rule" or self.instances.get(episode.episode) == claim.data.get("instance")

    def _live(self) -> list[Claim]:
        return [claim for claim in self.services.store.claims(KIND) if claim.status != "retracted"]

    def _in_force(self) -> list[Claim]:
        """The claims that hold in the instance now played."""
        live = self._live()
        if self.frozen:
            # Nothing is marked any more, so what is aside is told from the opening alone.
            here = [c for c in live if c.scope == "rule" or c.data.get("instance") == self._here]
            return [replace(c, status=self._earned(c)) if c.status == "aside" else c for c in here]
        return [claim for claim in live if claim.status != "aside"]

    # --- calls ------------------------------------------------------------------------------------------------

    def _propose(self, episode: Episode, refused: list[str]) -> None:
        """Call 1: new and reworded claims."""
        from evoplay.methods.signatures.evidence import ProposeClaims

        known = self.services.store.claims(KIND)
        gone = [claim for claim in known if claim.status == "retracted"][-RETRACTED_SHOWN:]
        listed = [claim for claim in known if claim.status != "retracted"] + gone
        reply = self.services.structured.ask(
            ProposeClaims,
            purpose="claim",
            known_claims=self._listing(listed) or "none yet",
            transcript=transcript([episode], self.planned, self.reading_tokens),
        )
        for proposal in reply.claims[: self.max_new]:
            try:
                self._take(proposal, episode)
            except EvidenceError as error:
                refused.append(str(error))
        if len(reply.claims) > self.max_new:
            refused.append(f"{len(reply.claims) - self.max_new} claims more than the {self.max_new} asked for")

    def _take(self, proposal: Proposal, episode: Episode) -> None:
        """Take a proposal in. Raises EvidenceError for one that its evidence does not carry."""
        store = self.services.store
        text = one_line(proposal.statement)
        cited = [self._step_id(said, episode) for said in proposal.steps]
        for one in cited:
            store.step(one)
        words = {"condition": proposal.condition, "action": proposal.action, "effect": proposal.effect}
        words = {name: one_line(value) for name, value in words.items()}
        old = self._reworded(proposal.rewords)
        twin = self._twin(Statement(text, scope=proposal.scope, **words))
        if twin is not None:
            if old is not None and twin.id != old.id:
                raise EvidenceError(f"{old.short_id} cannot be reworded to what {twin.short_id} says already")
            self._again(twin, cited, episode)
            return
        data = {"instance": self.instances[episode.episode]} if proposal.scope == "instance" else {}
        shown, against = cited, list[str]()
        check = check_of(Statement(text, **words))
        if check is not None:
            fits = Claim("", KIND, text, scope=proposal.scope, data=data)
            shown, against = self._verdicts(check, [past for past in self.past if self._belongs(fits, past)])
            if not shown:
                raise EvidenceError(f"no step of the record shows '{text}' as its condition and effect say it")
        if old is None:
            store.claim(
                kind=KIND,
                text=text,
                scope=proposal.scope,
                status="hypothesis",
                supports=shown,
                contradicts=against,
                data=data,
                **words,
            )
        else:
            store.revise(
                old.id, text=text, scope=proposal.scope, supports=shown, contradicts=against, data=data, **words
            )

    def _again(self, claim: Claim, cited: Sequence[str], episode: Episode) -> None:
        """A listed claim was proposed once more, word by word."""
        if claim.status == "retracted":
            raise EvidenceError(f"{claim.short_id} '{claim.text}' was retracted: it is not taken again")
        if self._check(claim) is not None or not cited:
            return
        if self._belongs(claim, episode):
            self.services.store.support(claim.id, cited)
        else:
            self._confirm_elsewhere(claim, cited, ())

    def _judge(self, episode: Episode, refused: list[str]) -> None:
        """Call 2: what the episode's steps say about claims that cannot be checked without a model."""
        open_ones = {claim.short_id: claim for claim in self._live() if self._check(claim) is None}
        if not open_ones:
            return
        from evoplay.methods.signatures.evidence import JudgeSteps

        reply = self.services.structured.ask(
            JudgeSteps,
            purpose="judge",
            known_claims=self._listing(list(open_ones.values())),
            transcript=transcript([episode], self.planned, self.reading_tokens),
        )
        here = {step.id for step in episode.steps}
        for mark in reply.marks:
            try:
                claim = open_ones.get(_claim_name(mark.claim))
                if claim is None:
                    raise EvidenceError(f"'{one_line(mark.claim)}' is none of the claims that were to be judged")
                shown = [self._step_id(said, episode) for said in mark.supports]
                against = [self._step_id(said, episode) for said in mark.contradicts]
                if strange := [one for one in (*shown, *against) if one not in here]:
                    raise EvidenceError(f"{strange[0]} is no step of the episode that {claim.short_id} was judged by")
                if both := set(shown) & set(against):
                    raise EvidenceError(f"{min(both)} was marked both for and against {claim.short_id}")
                if self._belongs(claim, episode):
                    self._link(claim, shown, against)
                else:
                    self._confirm_elsewhere(claim, shown, against)
            except EvidenceError as error:
                refused.append(str(error))

    def _listing(self, claims: Sequence[Claim]) -> str:
        """Claims as the calls after an episode show them."""
        lines = []
        for claim in claims:
            said = details(claim)
            lines.append(f"{claim.scope}, {claim.status}: {claim_line(claim)}{f' {said}' if said else ''}\n")
        return "".join(lines)

    def _reworded(self, said: str) -> Claim | None:
        """The claim that a proposal rewords; None for a new one. Raises EvidenceError for one that is not there."""
        name = _claim_name(said)
        if not re.fullmatch(r"c\d+", name):
            return None
        claim = self.services.store.get(name)
        if claim.kind != KIND or claim.status == "retracted":
            raise EvidenceError(f"{name} is no claim that could be reworded: name a live one, or none for a new claim")
        return claim

    def _twin(self, statement: Statement) -> Claim | None:
        """The claim that says the same: in the same words, or checked alike."""
        check = check_of(statement)
        for claim in self.services.store.claims(KIND):
            if check is not None and self._check(claim) == check:
                return claim
            if plain(claim.text) == plain(statement.text) and (check is None) == (self._check(claim) is None):
                return claim
        return None

    def _step_id(self, said: str, episode: Episode) -> str:
        """A step as a model names it, as an id: `17`, `step 17`, `s017`, `e02/s017` or a whole id."""
        found = _STEP.fullmatch(said.strip().strip("[]().:").casefold())
        if found is None:
            return said
        number = int(found["episode"]) if found["episode"] else episode.episode
        return step_id(self.services.cell, number, int(found["step"]))

    def _check(self, claim: Claim) -> Check | None:
        words = (claim.condition, claim.action, claim.effect)
        if words not in self._checks:
            self._checks[words] = check_of(claim)
        return self._checks[words]

    def _exploring(self) -> float:
        """The share of steps with a suggestion: falling to 0 in the last episode."""
        left, window = self.planned - self.episode, self.planned - 1
        return self.explore * left / window if window > 0 else 0.0


_STEP = re.compile(r"(?:e(?:pisode)?\s*0*(?P<episode>\d{1,4})\s*[/,]?\s*)?(?:s|step)?\s*0*(?P<step>\d{1,5})")


def _claim_name(said: str) -> str:
    """`c4`, `[c004]` or `cell/c004` as `c004`."""
    found = re.fullmatch(r"c0*(\d{1,6})", said.strip().strip("[]().:`").rpartition("/")[2].casefold())
    return f"c{int(found[1]):03d}" if found else ""
