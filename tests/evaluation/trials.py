"""Playing trials in tests: the real loop, with events kept in a list."""

from evoplay.evaluation.loop import Trial, run_trial
from evoplay.evaluation.recorder import Recorder
from evoplay.evaluation.seeds import SeedOf
from evoplay.evaluation.trialcalls import LoggedBackbone
from evoplay.memory.evidence import EvidenceStore
from evoplay.methods.services import Services


def make_trial(env, method, backbone, events, episodes=3, cell="cell", **settings):
    """A trial whose events are appended to a list."""
    recorder = Recorder(events.extend)
    seed_of = SeedOf(1, cell)
    logged = LoggedBackbone(backbone, recorder, lambda: (services.episode, services.step))
    services = Services(
        cell, logged, recorder.note, seed_of, lambda: EvidenceStore(cell, recorder.note, now=lambda: services.episode)
    )
    return Trial(
        env=env,
        method=method,
        backbone=backbone,
        cell=cell,
        episodes=episodes,
        seed_of=seed_of,
        recorder=recorder,
        services=services,
        **settings,
    )


def play(env, method, backbone, episodes=3, past=None, **settings):
    """Records and events of a trial."""
    events = []
    records = run_trial(make_trial(env, method, backbone, events, episodes, **settings), past)
    return records, events
