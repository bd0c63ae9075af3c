"""What Lost and Found's texts reveal, fact by fact, and what they keep to themselves."""

import dataclasses
import re

import pytest

from evoplay.envs import make
from evoplay.envs.learn2play.lost_and_found.data import ASSOCIATE, CLAIMANTS, FINDER, MIMIC, OWNER, ROLES
from evoplay.envs.learn2play.lost_and_found.rules import draw_cases
from evoplay.envs.learn2play.lost_and_found.texts import STATEMENTS, trust_label

ENV = "learn2play/lost_and_found"


def ask(who, topic, mode="publicly"):
    return f"interview {who} about {topic} {mode}"


def play(env, *actions):
    for action in actions:
        obs = env.step(action)
        assert obs.accepted, obs.text
    return obs


@pytest.fixture
def env():
    made = make(ENV)
    made.reset(1)
    return made


@pytest.fixture
def who(env):
    return {role: env.shift.case.claimant(role) for role in ROLES}


def resources(text):
    found = re.search(
        r"^Turn (\d+)/24 \| Privacy tokens (\d) \| Isolation tokens (\d) \| Record checks (\d) \| Trust (\w+) \| "
        r"Isolated: (.*)$",
        text,
        re.MULTILINE,
    )
    turn, privacy, isolation, checks, trust, isolated = found.groups()
    return int(turn), int(privacy), int(isolation), int(checks), trust, isolated


def expected_resources(env):
    shift, case = env.shift, env.shift.case
    isolated = f"{case.names[shift.desk.isolated]} ({shift.desk.isolated})" if shift.desk.isolated else "none"
    return shift.turn, shift.privacy, shift.isolation, shift.checks, trust_label(shift.trust), isolated


def case_facts(text):
    """Number, item, surface, people and speaking order of a case as it comes to the counter."""
    number, item, surface = re.search(r"^Case (\d) of 3: a (.+), from outside known by (.+)\.$", text, re.M).groups()
    people = re.findall(r"^- (\w+) \((claimant_[a-d])\), who (.+)$", text, re.M)
    speaking = re.findall(r'^- (\w+): "(.+)"$', text, re.M)
    return int(number), item, surface, people, speaking


def expected_case(case, number):
    people = [(case.names[one], one, case.biographies[one]) for one in CLAIMANTS]
    speaking = [
        (
            case.names[one],
            STATEMENTS[case.roles[one]][case.openings[one]].strip('"').format(scene=case.facts["recovery"]),
        )
        for one in case.speaking
    ]
    return number, case.item, case.surface, people, speaking


def test_the_opening_tells_the_goal_and_the_first_case(env):
    text = env.reset(1).text
    for fact in ("lost-property desk", "one shift", "Three items", "saw the thing lying", "second hand", "said aloud",
                 "look at the item", "questions", "a few records", "hand the item over", "wrong person is bad",
                 "keep everything", "24 turns", "closing report"):  # fmt: skip
        assert fact in text
    assert case_facts(text) == expected_case(env.shift.case, 1)
    assert resources(text) == (0, 8, 3, 3, "steady", "none")


def test_openings_hide_owner_records_and_facts():
    for episode in range(1, 20):
        env = make(ENV)
        text = env.reset(episode).text
        case = env.shift.case
        for fact in ("concealed", "relationship", "timeline", "shallow", "associate_context"):
            assert case.facts[fact] not in text
        assert case.relevant[0] not in text
        assert not re.search("owner|finder|associate|mimic|decoy|relevant|points", text)


def test_every_step_and_refusal_shows_the_resources(env, who):
    for action in ("inspect item privately", ask(who[OWNER], "relationship"), "isolate claimant_b", "nonsense",
                   "open item publicly", "check nothing", "release isolated claimant", "store item"):  # fmt: skip
        assert resources(env.step(action).text) == expected_resources(env)


def test_the_private_inspection_tells_alteration_and_content_apart(env):
    facts = env.shift.case.facts
    text = play(env, "inspect item privately").text
    assert f"an alteration somebody has made: {facts['concealed']}." in text
    assert f"An ordinary thing lies inside: {facts['shallow']}." in text


def test_opening_names_item_contents_in_order_and_listeners(env):
    case = env.shift.case
    play(env, "isolate claimant_b")
    text = play(env, "open item publicly").text
    assert case.item in text
    assert text.index(case.facts["shallow"]) < text.index(case.facts["concealed"])
    listening = re.search(r"Listening: (.*)\.", text).group(1).split(", ")
    assert listening == [case.names[one] for one in CLAIMANTS if one != "claimant_b"]


def test_the_tag_shows_the_scene(env):
    assert env.shift.case.facts["recovery"] in play(env, "inspect recovery_tag").text


def test_isolation_and_release_tell_who_moved(env):
    names = env.shift.case.names
    first = play(env, "isolate claimant_a").text
    assert f"{names['claimant_a']} (claimant_a) goes" in first
    assert "missed" in first
    assert "not told again" in first
    second = play(env, "isolate claimant_b").text
    assert f"{names['claimant_a']} (claimant_a) comes back" in second
    assert f"{names['claimant_b']} (claimant_b) goes" in second
    assert f"{names['claimant_b']} (claimant_b) comes back" in play(env, "release isolated claimant").text


def test_records(env):
    case = env.shift.case
    text = play(env, f"check {case.relevant[0]}").text
    assert f"{case.relevant[1]} This supports a sequence of events but identifies nobody." in text
    text = play(env, f"check {case.decoy[0]}").text
    assert text.startswith(case.decoy[1] + "\n")
    assert "supports" not in text


def sign(text):
    """The kind of an answer and its fact, as a reader tells them."""
    line = text.split("\n")[0]
    asked = re.match(r"You ask (\w+) \((claimant_.)\) (aside|in public).* about (\w+)\. (.*)$", line)
    name, claimant, mode, topic, said = asked.groups()
    forms = {
        "detail": r"does not look at the counter and describes it straight away: (.*)\.$",
        "cause": r"explains how it came about: (.*)\.$",
        "recalled": r'recalls it in the first person: "I remember: (.*)\."$',
        "echo": r"pauses, and only then says: (.*)\. It sounds like what was just said in public\.$",
        "heard": r"pauses, and only then says: (.*?)\.$",
        "scene": r"is precise about the place of the find: (.*)\. Nothing personal",
        "context": r"has it at second hand: (.*); the physical particulars are missing\.$",
        "shaky": rf"puts together a shaky order of events: (.*)\. {name} is not sure",
        "unsure": r"speaks in generalities and admits to not knowing()\.$",
        "again": r"says the same again: (.*)\.$",
        "no more": r"says that there is nothing more()\.$",
    }
    for kind, form in forms.items():
        found = re.search(f"^{name} {form}", said)
        if found:
            return claimant, mode, topic, kind, found.group(1)
    raise AssertionError(text)


def test_answers_of_the_owner(env, who):
    owner, facts = who[OWNER], env.shift.case.facts
    expected = {
        "concealed_detail": ("detail", facts["concealed"]),
        "relationship": ("cause", facts["relationship"]),
        "loss_timeline": ("recalled", facts["timeline"]),
        "last_use": ("recalled", facts["last_use"]),
        "recovery_scene": ("unsure", ""),
    }
    for topic, (kind, fact) in expected.items():
        assert sign(play(env, ask(owner, topic, "privately")).text) == (owner, "aside", topic, kind, fact)
    assert sign(play(env, ask(owner, "relationship", "privately")).text)[3:] == ("again", facts["relationship"])
    assert sign(play(env, ask(owner, "recovery_scene", "privately")).text)[3:] == ("no more", "")
    assert sign(play(env, ask(owner, "relationship")).text)[3:] == ("cause", facts["relationship"])


def test_answers_of_finder_and_associate(env, who):
    facts = env.shift.case.facts
    for role, topic, kind, fact in (
        (FINDER, "recovery_scene", "scene", facts["recovery"]),
        (FINDER, "loss_timeline", "shaky", facts["finder_timeline"]),
        (FINDER, "relationship", "unsure", ""),
        (ASSOCIATE, "relationship", "context", facts["associate_context"]),
        (ASSOCIATE, "last_use", "context", facts["last_use"]),
        (ASSOCIATE, "loss_timeline", "shaky", facts["associate_timeline"]),
        (ASSOCIATE, "concealed_detail", "unsure", ""),
    ):
        assert sign(play(env, ask(who[role], topic)).text) == (who[role], "in public", topic, kind, fact)


def test_the_finder_of_an_open_item_sounds_like_the_owner():
    env = make(ENV)
    for episode in range(1, 20):
        env.reset(episode)
        case = env.shift.case
        if case.was_open:
            finder, owner = case.claimant(FINDER), case.claimant(OWNER)
            kinds = [sign(play(env, ask(one, "concealed_detail")).text)[3] for one in (finder, owner)]
            assert kinds == ["detail", "detail"]
            return
    raise AssertionError("no item was open")


def test_the_mimic_pauses_and_sounds_like_the_counter_on_its_topic_only(env, who):
    mimic, case = who[MIMIC], env.shift.case
    assert sign(play(env, ask(mimic, "relationship")).text)[3] == "unsure"
    topics = {"concealed_detail": "concealed", "relationship": "relationship", "loss_timeline": "timeline"}
    for topic, fact in topics.items():
        play(env, ask(who[OWNER], topic))
        kind = "echo" if topic == case.echo_topic else "heard"
        assert sign(play(env, ask(mimic, topic, "privately")).text)[3:] == (kind, case.facts[fact])
    assert sign(play(env, ask(mimic, "concealed_detail", "privately")).text)[3:] == ("again", case.facts["concealed"])
    play(env, "open item publicly")
    play(env, ask(who[ASSOCIATE], "relationship"))
    again = sign(play(env, ask(mimic, "relationship", "privately")).text)[3:]
    assert again == ("again", case.facts["associate_context"])


def test_returns_do_not_tell_whether_they_were_right():
    texts = []
    for role in (OWNER, FINDER):
        env = make(ENV)
        env.reset(1)
        case = env.shift.case
        claimant = case.claimant(role)
        obs = play(env, f"return item to {claimant}")
        assert (obs.score, obs.visible_score) == (0, None)
        assert case_facts(obs.text) == expected_case(env.shift.case, 2)
        texts.append(obs.text.split("\n")[0].replace(f"{case.names[claimant]} ({claimant})", "X"))
    assert texts[0] == texts[1]
    assert "signs for" in texts[0]
    assert "later review" in texts[0]


def test_storing_is_for_a_later_appointment(env):
    item = env.shift.case.item
    line = play(env, "store item").text.split("\n")[0]
    assert item in line
    assert "later appointment" in line


@pytest.mark.parametrize(
    ("action", "reason"),
    [
        ("nonsense", "list of actions"),
        ("inspect item privately", "not available now"),
        ("open item publicly", "already"),
        ("inspect recovery_tag", "already"),
        ("release isolated claimant", "Nobody is isolated"),
        ("check somewhere", "present case"),
    ],
)
def test_refusals_name_the_reason(env, action, reason):
    play(env, "inspect item privately", "open item publicly", "inspect recovery_tag")
    obs = env.step(action)
    assert not obs.accepted
    assert reason in obs.text
    assert resources(obs.text)[0] == 3


def test_refusals_for_want_of_tokens(env):
    play(env, f"check {env.shift.case.relevant[0]}")
    assert "already in this case" in env.step(f"check {env.shift.case.relevant[0]}").text
    env.shift.checks = env.shift.privacy = env.shift.isolation = 0
    assert "No record checks" in env.step(f"check {env.shift.case.decoy[0]}").text
    assert "No record checks" in env.step("check somewhere").text
    assert "No privacy" in env.step(ask("claimant_a", "relationship", "privately")).text
    assert "No isolation" in env.step("isolate claimant_a").text
    assert "not available now" in env.step("inspect item privately").text


def listed(text, title):
    block = re.search(rf"^{title}:( none|(?:\n- .*)+)", text, re.M).group(1)
    return [] if block == " none" else [line.removeprefix("- ") for line in block.strip().split("\n")]


def test_status_shows_budgets_and_four_lists(env, who):
    case = env.shift.case
    text = env.step("status").text
    titles = ("Details exposed in public", "Noted at the private inspection", "Records checked", "Last interviews")
    assert [listed(text, title) for title in titles] == [[], [], [], []]
    play(env, "inspect item privately", "open item publicly", f"check {case.decoy[0]}", f"check {case.relevant[0]}")
    for number in range(10):
        play(env, ask(CLAIMANTS[number % 4], "relationship"))
    text = env.step("status").text
    facts = case.facts
    exposed = {facts[fact] for fact in ("concealed", "shallow", "relationship", "associate_context")}
    assert set(listed(text, titles[0])) == exposed
    assert listed(text, titles[0]).index(facts["concealed"]) < listed(text, titles[0]).index(facts["shallow"])
    assert listed(text, titles[1]) == [facts["concealed"], facts["shallow"]]
    assert listed(text, titles[2]) == [f"{case.relevant[0]}: {case.relevant[1]}", f"{case.decoy[0]}: {case.decoy[1]}"]
    talks = listed(text, titles[3])
    assert len(talks) == 8
    assert talks[0].startswith(f"turn 7, {case.names['claimant_c']}, relationship, publicly: ")
    assert resources(text) == expected_resources(env)
    assert f"Case 1 of 3: a {case.item} | Cases completed 0" in text
    assert "supports" not in text


def report(text):
    cases = re.findall(r"^- Case (\d), (.+): (no dispute|disputed|stored|stored at closing)$", text, re.M)
    counts = re.search(r"Correct returns (\d) \| Disputed returns (\d) \| Items stored (\d)", text).groups()
    trust, privacy = re.search(r"^Trust (\w+) \| Privacy tokens (\d)$", text, re.M).groups()
    score = re.search(r"^Final score: (\d+)$", text, re.M).group(1)
    return cases, tuple(map(int, counts)), trust, int(privacy), int(score)


def test_the_report(env, who):
    items = [case.item for case in env.shift.cases]
    play(env, f"return item to {who[OWNER]}", f"return item to {env.shift.cases[1].claimant(MIMIC)}")
    obs = play(env, "close_office")
    cases, counts, trust, privacy, score = report(obs.text)
    assert obs.text.startswith("Closing report")
    assert cases == [("1", items[0], "no dispute"), ("2", items[1], "disputed"), ("3", items[2], "stored at closing")]
    assert (counts, trust, privacy, score) == ((1, 1, 1), "watchful", 8, obs.score)
    assert obs.visible_score == obs.score
    assert obs.valid_actions == ("status",)
    again = env.step("store item")
    assert (again.text, again.accepted) == (obs.text, False)
    assert env.step("status").text == obs.text


def test_the_last_decision_is_followed_by_the_report(env):
    obs = play(env, "store item", "store item", "store item")
    first, rest = obs.text.split("\n", 1)
    assert "later appointment" in first
    assert report(rest)[1] == (0, 0, 3)
    assert "Turn " not in obs.text


def test_closing_time(env):
    play(env, *[ask("claimant_a", "relationship")] * 23)
    obs = play(env, "store item")
    assert obs.done
    message, case, closing = (
        obs.text.index("later appointment"), obs.text.index("Case 2 of 3"), obs.text.index("closing time")
    )  # fmt: skip
    assert message < case < closing < obs.text.index("Closing report")
    assert [result for _, _, result in report(obs.text)[0]] == ["stored", "stored at closing", "stored at closing"]


def test_hidden_facts_do_not_show():
    """Two shifts that differ only in what is hidden (who the owner is, too) read the same."""
    one, other = make(ENV), make(ENV)
    for env in (one, other):
        env.reset(1)
    case = draw_cases(1, 1)[0]
    roles = dict(case.roles)
    owner, associate = case.claimant(OWNER), case.claimant(ASSOCIATE)
    roles[owner], roles[associate] = ASSOCIATE, OWNER
    topic = next(topic for topic in ("relationship", "loss_timeline") if topic != case.echo_topic)
    changed = dataclasses.replace(case, roles=roles, echo_topic=topic, was_open=not case.was_open)
    other.shift.cases = (changed, *other.shift.cases[1:])
    other.shift.trust -= 1
    mimic, finder = case.claimant(MIMIC), case.claimant(FINDER)
    for action in ("status", "inspect item privately", ask(mimic, "relationship"), ask(finder, "loss_timeline"),
                   f"check {case.relevant[0]}", "inspect recovery_tag", "isolate claimant_a", "status",
                   "nonsense"):  # fmt: skip
        assert one.step(action) == other.step(action)
    texts = [env.step(f"return item to {owner}").text for env in (one, other)]
    assert texts[0].split("\n")[0] == texts[1].split("\n")[0]
