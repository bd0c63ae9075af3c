"""The eight levels of Patch Reality: options, objects, audits, patches and what they cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

STABILITY, MEMORY, TIME, EXISTENCE, SUSPICION = (
    "reality_stability", "memory", "personal_time", "existence", "agent_suspicion",
)  # fmt: skip
START = {STABILITY: 95, MEMORY: 75, TIME: 45, EXISTENCE: 90, SUSPICION: 0}
RESOURCES = tuple(START)
AXES = ("source", "type", "strategy")
FOCUS = 10
INTEGRITY = 100
LAST_PATCH = "last_patch"
"""What a bare `audit` looks at."""
CORE, CORE_NEEDED = "core_identity", 70


class Patch(NamedTuple):
    """A change to an object: surface costs, class, evidence needed, the bill that comes later, what it brings about."""

    target: str
    change: str
    needs: frozenset[str]
    memory: int
    stability: int
    sets: str = ""
    rule: bool = False
    suspicion: int = 0
    medium: bool = False
    hidden: tuple[tuple[str, int], ...] = ()

    @property
    def name(self) -> str:
        return f"{self.target} {self.change}"

    @property
    def thing(self) -> str:
        return self.target.partition(".")[0]

    @property
    def founded(self) -> bool:
        """Whether it meets the cause: those patches, and only those, ask for evidence."""
        return bool(self.needs)


class Level(NamedTuple):
    """A level. `options` lists the values of each axis, `right` the fitting one; `things` maps objects to evidence."""

    id: str
    name: str
    phase: int
    turns: int
    fatal: int
    goals: tuple[str, ...]
    decisive: str
    """The flag that averts the fatal turn."""
    anchors: tuple[str, ...]
    options: Mapping[str, tuple[str, ...]]
    right: Mapping[str, str]
    things: Mapping[str, frozenset[str]]
    audits: Mapping[str, str]
    patches: Mapping[str, Patch]


def _level(
    number: int,
    name: str,
    goals: str,
    anchors: str,
    options: tuple[str, str, str],
    things: Mapping[str, str],
    audits: Mapping[str, str],
    patches: tuple[Patch, ...],
    decisive: str = "",
) -> Level:
    """A level from its tables; the right option of each axis is marked with a star."""
    late = number == 6
    marked = {axis: text.split() for axis, text in zip(AXES, options, strict=True)}
    return Level(
        id=f"hard_{number:02d}",
        name=name,
        phase=5 if number < 6 else 6,
        turns=9 if late else 8,
        fatal=9 if late else 8,
        goals=tuple(goals.split()),
        decisive=decisive or goals,
        anchors=tuple(anchors.split()),
        options={axis: tuple(value.strip("*") for value in values) for axis, values in marked.items()},
        right={axis: next(v.strip("*") for v in values if v.startswith("*")) for axis, values in marked.items()},
        things={thing: frozenset(tags.split()) for thing, tags in things.items()},
        audits=audits,
        patches={patch.name: patch for patch in patches},
    )


def _needs(tags: str) -> frozenset[str]:
    return frozenset(tags.split())


NOTHING = frozenset[str]()
PAVEMENT = Patch("pavement.friction", "+15%", _needs("surface_wet"), -1, -1, "coin_stops", True)
COIN = Patch(
    "coin.path", "+3cm", NOTHING, -3, -3, "coin_stops", suspicion=1, medium=True, hidden=(("black_notebook", -8),)
)
VARIED = (PAVEMENT, COIN)
"""The patches whose surface costs are drawn."""

LEVELS = (
    _level(
        1,
        "The Coin and the Storm Drain",
        "coin_stops",
        "black_notebook",
        (
            "object *environment perception",
            "*physics_conflict record_conflict identity_record_trap",
            "*environment_cover target_repair audit_first",
        ),
        {
            "coin": "low_speed trajectory_stable",
            "pavement": "surface_wet mild_slope",
            "drain": "deadline_short",
        },
        {},
        VARIED,
    ),
    _level(
        2,
        "The Vibrating Cup",
        "cup_stable",
        "room_anchor",
        (
            "environment *residual_patch object",
            "physics_conflict *residual_contamination record_conflict",
            "environment_cover *audit_first target_repair",
        ),
        {"cup": "resonance_periodic", "table": "table_inert", "residual_patch": "old_seam_visible"},
        {"residual_patch": "residual_patch_present"},
        (
            Patch("residual_patch.state", "expire", _needs("residual_patch_present"), -1, -1, "cup_stable", True),
            Patch("table.friction", "stabilize", NOTHING, -2, -2, hidden=(("room_anchor", -12),)),
        ),
    ),
    _level(
        3,
        "The Flickering Key",
        "key_stable",
        "true_name home_address",
        (
            "*object environment witness_memory",
            "*physics_conflict record_conflict identity_record_trap",
            "environment_cover *target_repair witness_management",
        ),
        {
            "key": "state_bistable spreading_risk",
            "lighting": "lighting_stable",
            "door_lock": "lock_coupled_to_key",
        },
        {},
        (
            Patch("key.state", "solidify", _needs("state_bistable lighting_stable"), -1, -2, "key_stable", True),
            Patch("lighting.angle", "soften", NOTHING, -1, -1, hidden=(("home_address", -12),)),
        ),
    ),
    _level(
        4,
        "The Mirror Hospital Ledger",
        "identity_restored",
        "true_name",
        (
            "hospital_ledger *wristband perception",
            "record_conflict *identity_record_trap physics_conflict",
            "source_record_repair *anchor_bind environment_cover",
        ),
        {"hospital_ledger": "ledger_says_dead ledger_recently_created", "wristband": "wristband_is_primary"},
        {"hospital_ledger": "mirror_ledger_signature"},
        (
            Patch(
                "wristband.identity", "bind", _needs("wristband_is_primary mirror_ledger_signature"), -1, -2,
                "identity_restored", True,
            ),
            Patch(
                "hospital_ledger.status", "alive", NOTHING, -2, -2, suspicion=2, medium=True,
                hidden=((EXISTENCE, -15), ("true_name", -10)),
            ),
        ),
    ),
    _level(
        5,
        "The Premature Echo",
        "echo_resolved",
        "sensory_baseline",
        (
            "perception *environment object witness_memory",
            "*time_order_conflict rendering_lag record_conflict physics_conflict",
            "target_repair *source_record_repair environment_cover witness_management",
        ),
        {
            "perception": "feels_internal",
            "stairwell": "echo_precedes_step",
            "acoustic_log": "log_is_authoritative",
        },
        {"acoustic_log": "log_runs_ahead"},
        (
            Patch("acoustic_log.timing", "align", _needs("log_runs_ahead"), -1, -1, "echo_resolved", True),
            Patch("perception.sync", "+0.5s", NOTHING, -2, -1, hidden=(("sensory_baseline", -14),)),
        ),
    ),
    _level(
        6,
        "The Ledger That Copies Itself",
        "ledger_clean archive_clean",
        "black_notebook",
        (
            "*ledger security_log archive_queue terminal",
            "*record_conflict time_order_conflict ledger_trap physics_conflict",
            "*source_record_repair environment_cover target_repair audit_first",
        ),
        {
            "ledger": "contradiction_visible",
            "archive_queue": "reindex_pending",
            "security_log": "security_shows_conflict",
            "terminal": "terminal_is_display",
        },
        {"security_log": "security_is_mirror"},
        (
            Patch("ledger.state", "reconcile", _needs("contradiction_visible"), -1, -1, "ledger_clean", True),
            Patch("archive_queue.reindex", "halt", _needs("reindex_pending"), -1, -1, "archive_clean"),
        ),
        decisive="archive_clean",
    ),
    _level(
        7,
        "The Square That Already Saw",
        "exposure_contained",
        "storm_memory",
        (
            "object *public_record witness_memory environment",
            "*public_exposure rendering_lag record_conflict physics_conflict",
            "environment_cover witness_management *source_record_repair target_repair",
        ),
        {
            "platform": "cover_available",
            "cameras": "camera_holds_frame",
            "crowd": "already_recorded",
            "broadcast": "stream_indicator_blinking",
        },
        {"broadcast": "upload_started"},
        (
            Patch(
                "cameras.record", "desync", _needs("camera_holds_frame upload_started"), -2, -1,
                "exposure_contained", True,
            ),
            Patch("platform.magnet", "activate", NOTHING, -1, -1, suspicion=1, hidden=(("storm_memory", -8),)),
        ),
    ),
    _level(
        8,
        "The Contract for Your Name",
        "identity_reclaimed",
        CORE,
        (
            "system_ledger *identity_anchor perception agent_contract object",
            "record_conflict *identity_pollution identity_record_trap public_exposure physics_conflict",
            "source_record_repair *anchor_reclaim contract_restriction environment_cover target_repair",
        ),
        {
            "name_record": "name_overwritten",
            "name_anchor": "anchor_recoverable",
            "agent_offer": "contract_present",
        },
        {"agent_offer": "contract_is_bait"},
        (
            Patch(
                "name_anchor.binding", "reclaim", _needs("contract_is_bait name_overwritten"), -2, -1,
                "identity_reclaimed", True,
            ),
            Patch("agent_offer.accept", "sign", NOTHING, -1, 0, hidden=((CORE, -50),)),
        ),
    ),
)  # fmt: skip
