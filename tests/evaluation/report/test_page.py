"""The page in a browser: what it shows is what the tables say, everything works, and nothing leaves."""

import re

import pytest

from tests.evaluation.report.hostile import ACTION, NASTY

NUMBER = re.compile(r"^[+−]?[\d,]+(\.\d+)?$")


def matches(shown, said):
    """Whether a text of the page is a value of a CSV file: the same words, or the number rounded as shown."""
    if said == "":
        return shown == "n/a"
    if shown.startswith("< "):
        return float(said) < float(shown[2:])
    if not NUMBER.match(shown) or shown == said:
        return shown == said
    decimals = len(shown.partition(".")[2])
    return abs(float(shown.replace(",", "").replace("−", "-")) - float(said)) <= 0.5 * 10**-decimals * (1 + 1e-9)


def test_every_number_shown_is_that_of_the_csv(whole, tables):
    seen = whole.page.evaluate("""[...document.querySelectorAll('table[data-table]')].map((table) => [
        table.dataset.table,
        [...table.tBodies[0].rows].map((row) =>
            [...row.querySelectorAll('[data-column]')].map((cell) => [cell.dataset.column, cell.textContent]))])""")
    assert len(seen) >= 25
    wrong = []
    for name, rows in seen:
        assert len(rows) == len(tables[name]), name
        for at, row in enumerate(rows):
            wrong += [
                (name, at, column, text, tables[name][at][column])
                for column, text in row
                if not matches(text, tables[name][at][column])
            ]
    assert wrong == []
    inline = whole.page.evaluate("""[...document.querySelectorAll('[data-table][data-row]')].map((one) =>
        [one.dataset.table, +one.dataset.row, one.dataset.column, one.textContent])""")
    assert len(inline) > 50
    assert [one for one in inline if not matches(one[3], tables[one[0]][one[1]][one[2]])] == []
    # No table is written that the page does not show, and no cell shows what no table has.
    assert {name for name, _ in seen} | {name for name, *_ in inline} == set(tables)
    cells = "[...document.querySelectorAll('tbody td, tbody th')]"
    assert whole.page.evaluate(f"{cells}.every((c) => c.dataset.column || c.querySelector('[data-column]'))")


def test_every_chart_shows_the_rows_of_its_table(whole, tables):
    plots = whole.page.evaluate("""[...document.querySelectorAll('.plot')].map((plot) => [
        plot.dataset.figure, plot.closest('figure').querySelector('h3, h4').textContent,
        plot.data.map(({ meta, x, y, z, visible }) => ({ meta, x, y, z, visible }))])""")
    names = {name for name, *_ in plots}
    assert names >= {
        *("curves", "game_curves_0", "methods_max", "methods_ls", "differences_ls", "heat_max", "heat_ls"),
        *("frontier_tokens", "frontier_usd", "equal_spend_tokens", "tokens", "cache", "behaviour_similarity"),
        *("behaviour_recovery", "rules_methods", "memory_quality", "published_curves", "published_costs"),
    }
    home = {"heat": "games", "methods": "methods", "differences": "differences", "frontier": "frontier"}
    home |= {"behaviour": "behaviour", "game": "game_curves"}
    for name, title, traces in plots:
        table = tables.get(name) or tables[home[name.split("_")[0]]]
        assert title
        assert traces, name
        for trace in traces:
            meta = trace["meta"]
            if meta["kind"] == "band":
                continue
            if meta["kind"] == "heat":
                for rows, values in zip(meta["rows"], trace["z"], strict=True):
                    for row, value in zip(rows, values, strict=True):
                        assert (value is None) == (row is None)
                        assert row is None or float(table[row][meta["z"]]) == value
                continue
            for side in ("x", "y"):
                if side not in meta or trace[side][:1] == ["no known price"]:
                    continue
                said = [float(table[row][meta[side]]) for row in meta["rows"]]
                assert said == trace[side], (name, side)


def test_charts_are_drawn_with_all_their_marks(whole):
    drawn = whole.page.evaluate("""[...document.querySelectorAll('.plot')].map((plot) => {
        const count = (selector) => plot.querySelectorAll(selector).length;
        const shown = plot.data.filter((trace) => trace.visible !== false);
        const marks = shown.filter((t) => t.type === 'scatter' && t.mode.includes('markers'));
        const bars = shown.filter((trace) => trace.type === 'bar').flatMap((trace) => trace.x.filter((x) => x > 0));
        return {
            name: plot.dataset.figure, svg: count('.main-svg'), box: plot.getBoundingClientRect().width,
            points: [count('.scatterlayer .point'), marks.reduce((sum, trace) => sum + trace.x.length, 0)],
            lines: [count('.scatterlayer .js-line'),
                shown.filter((t) => t.type === 'scatter' && t.mode.includes('lines') && t.line.width !== 0).length],
            bars: [count('.barlayer .point path'), bars.length],
            heat: [count('.heatmaplayer .hm'), shown.filter((trace) => trace.type === 'heatmap').length],
            titles: count('.xtitle') + count('.ytitle'),
        };
    })""")
    assert len(drawn) >= 20
    for chart in drawn:
        name = chart["name"]
        assert chart["svg"] >= 1, name
        assert chart["box"] > 200, name
        assert chart["points"][0] == chart["points"][1], name
        assert chart["lines"][0] >= chart["lines"][1], name
        assert chart["bars"][0] >= chart["bars"][1], name
        assert chart["heat"][0] == chart["heat"][1], name
        assert chart["titles"] >= 1 or name.startswith("heat"), name
    assert sum(chart["points"][0] + chart["bars"][0] for chart in drawn) > 300


def test_the_unpriced_are_marked(whole, tables):
    unpriced = {row["method"] for row in tables["frontier"] if row["frontier_usd"] == "unpriced"}
    assert unpriced == {"evidence"}
    shown = whole.page.evaluate("""document.querySelector('[data-figure=frontier_usd]').data
        .filter((trace) => trace.xaxis === 'x2').map((trace) => [trace.x, trace.text])""")
    assert shown == [[["no known price"], [" evidence "]]]


def test_links_land(whole):
    lost = whole.page.evaluate("""[...document.querySelectorAll('a[href^="#"]')].map((a) => a.hash.slice(1))
        .filter((id) => !document.getElementById(decodeURIComponent(id)))""")
    assert lost == []
    claims = whole.page.evaluate("document.querySelectorAll('.claim .links a').length")
    back = whole.page.evaluate("document.querySelectorAll('.step .links a').length")
    assert claims > 10
    assert back > 10


def in_sight(page, place):
    """Whether an element stands in the window, marked and with the focus."""
    return page.wait_for_function(
        """(id) => {
        const one = document.getElementById(id);
        if (!one || !one.offsetParent) return false;
        const box = one.getBoundingClientRect();
        const there = box.top >= -1 && box.top < innerHeight;
        return there && document.activeElement === one && one.classList.contains('here');
    }""",
        arg=place,
    )


def test_from_a_claim_to_its_step_and_back(look, tables):
    page = look().page
    claim = next(row["claim"] for row in tables["claims"] if row["method"] == "evidence")
    cell = claim.partition("/")[0]
    assert page.evaluate("(id) => document.getElementById(id)", claim) is None
    page.evaluate("document.querySelector('[data-load=table-claims], .fold:has([data-table=claims])').open = true")
    page.locator(f"table[data-table=claims] a[href='#{claim}']").first.click()
    in_sight(page, claim)
    link = page.locator(".claim.here .links a").first
    step = link.get_attribute("href")[1:]
    assert step.startswith(f"{cell}/e")
    link.click()
    in_sight(page, step)
    page.locator(".step.here .links a", has_text=claim.partition("/")[2]).first.click()
    in_sight(page, claim)
    page.go_back()
    in_sight(page, step)


def test_an_address_of_a_step_opens_it(browser, written, run, look):
    cell = next(cell for cell in run.cells if run.episodes_of(cell)[1].steps)
    place = f"{cell.id}/e02/s001"
    found = look()
    found.page.goto("about:blank")
    found.page.goto(f"{written.page.as_uri()}#{place}")
    in_sight(found.page, place)


def test_transcripts_are_unpacked_when_opened_and_tell_what_is_logged(look, run):
    page = look().page
    cell = next(c for c in run.cells if c.contender == "memory:keep=best" and "gemforge" in c.env_id)
    trial = page.locator(f"[id='{cell.id}']")
    assert trial.locator(".episode").count() == 0
    page.evaluate("document.querySelectorAll('.game').forEach((one) => { one.open = true })")
    trial.locator("> summary").click()
    page.wait_for_selector(f"[id='{cell.id}'][data-loaded] .episode")
    records = run.episodes_of(cell)
    assert trial.locator(".episode").count() == len(records)
    shown = page.evaluate(
        """(id) => [...document.getElementById(id).querySelectorAll('.episode')].map((episode) => [
        episode.querySelector('[data-n=score]')?.textContent,
        [...episode.querySelectorAll('.step')].map((step) => [
            step.id, step.querySelector('code').textContent, step.querySelector('[data-n=after]').textContent,
            step.querySelector('[data-n=change]')?.textContent ?? '',
            step.querySelector(':scope > pre').textContent])])""",
        cell.id,
    )
    for record, (score, steps) in zip(records, shown, strict=True):
        assert (score is None) == (record.score is None)
        assert score is None or number(score) == record.score
        for step, (place, action, after, change, text) in zip(record.steps, steps, strict=True):
            assert place == f"{cell.id}/{step.id.partition('/')[2]}"
            assert (action, text) == (step.action, step.outcome)
            assert number(after) == step.score_after
            assert (number(change) if change else 0) == pytest.approx(step.score_after - step.score_before)


def number(text):
    return float(text.replace("−", "-").replace(",", ""))


def test_what_a_game_says_is_text(whole, run):
    page = whole.page
    assert page.evaluate("window.hacked") is None
    cell = next(cell for cell in run.cells if "Hostile" in cell.env_id and cell.contender == "naive")
    found = page.evaluate(
        """(id) => { const one = document.getElementById(id); return {
        opening: one.querySelector('.episode > pre').textContent, claim: one.querySelector('.claim pre').textContent,
        foreign: one.querySelectorAll('script, img, i, [onerror], [onmouseover]').length }; }""",
        cell.id,
    )
    assert found["opening"] == f"{NASTY}\nPoints: 0"
    assert found["claim"] == NASTY
    assert found["foreign"] == 0
    random = next(cell for cell in run.cells if "Hostile" in cell.env_id and cell.contender == "policy/random")
    actions = page.evaluate(
        "(id) => [...document.getElementById(id).querySelectorAll('.step code')].map((one) => one.textContent)",
        random.id,
    )
    assert actions == [step.action for record in run.episodes_of(random) for step in record.steps]
    assert ACTION in actions
    row = page.locator("table[data-table=claims] tr", has_text="three spaces").locator("[data-column=text]")
    assert row.evaluate("(cell) => cell.textContent") == NASTY
    assert page.locator("table[data-table=failures]", has_text="no <b>answer</b>").count() == 1


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_and_is_quiet(look, width, scheme):
    found = look(width, scheme)
    found.open_everything()
    found.page.wait_for_timeout(200)
    size = found.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert size[0] <= size[1] == width
    # Nothing sticks out of its frame without a way to scroll to it.
    out = found.page.evaluate("""[...document.querySelectorAll('main *')].filter((one) => {
        if (!one.offsetParent || one.closest('.scroll, .frame, svg')) return false;
        return one.getBoundingClientRect().right > innerWidth + 1;
    }).map((one) => one.outerHTML.slice(0, 90))""")
    assert out == []
    ink, paper = found.page.evaluate("""[
        getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]""")
    assert (bright(paper) > 128) == (scheme == "light")
    assert abs(bright(ink) - bright(paper)) > 150
    drawn = found.page.evaluate("document.querySelector('[data-figure=curves] .xtick text').style.fill")
    assert bright(drawn) == pytest.approx(bright(ink), abs=3)
    assert found.said == []
    assert {url.partition(":")[0] for url in found.requests} <= {"file", "data", "blob"}
    assert sum(url.startswith("file") for url in found.requests) == 1


def bright(colour):
    """Mean of the channels of `rgb(...)`, 0 to 255."""
    return sum(map(float, re.findall(r"[\d.]+", colour)[:3])) / 3


def test_charts_follow_the_theme(look):
    page = look(1440, "light").page
    fill = "document.querySelector('[data-figure=curves] .xtick text').style.fill"
    before = bright(page.evaluate(fill))
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{fill} !== 'rgb(28, 35, 41)'")
    assert before < 60 < 200 < bright(page.evaluate(fill))


def test_it_prints(look):
    found = look(1440, "dark")
    page = found.page
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    widths = page.evaluate("[...document.querySelectorAll('.plot')].map((plot) => plot.layout.width)")
    assert max(widths) <= 700
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert len(page.pdf(format="A4")) > 100_000
    page.emulate_media(media="print", color_scheme="dark")
    assert page.locator("nav").is_hidden()
    assert bright(page.evaluate("getComputedStyle(document.body).backgroundColor")) > 250
    assert found.said == []


def test_the_keyboard_reaches_everything(look):
    page = look().page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#content"
    # What can be pressed can be reached.
    bad = page.evaluate("""[...document.querySelectorAll('button, a, summary, input, .scroll')]
        .filter((one) => one.tabIndex < 0).length""")
    assert bad == 0
    key = page.locator("#chart-curves .key").first
    key.focus()
    page.keyboard.press("Space")
    assert key.get_attribute("aria-pressed") == "false"
    series = key.get_attribute("data-series")
    visible = """(name) => document.querySelector('[data-figure=curves]').data
        .filter((trace) => trace.meta.series === name).map((trace) => trace.visible)"""
    assert set(page.evaluate(visible, series)) == {False}
    page.keyboard.press("Space")
    assert set(page.evaluate(visible, series)) == {True}
    trial = page.locator(".trial > summary").first
    trial.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".trial[data-loaded] .episode")


def test_ceilings_are_drawn_when_asked_for(look, tables):
    page = look().page
    key = page.locator("#chart-curves .key[data-series='policy/solver']")
    assert key.get_attribute("aria-pressed") == "false"
    top = "document.querySelector('[data-figure=curves]').layout.yaxis.range[1]"
    before = page.evaluate(top)
    key.click()
    page.wait_for_function(f"{top} > 99")
    assert before < 99


def test_a_table_is_saved_as_its_csv(look, written):
    page = look().page
    with page.expect_download() as caught:
        page.locator("[data-csv=methods]").first.click()
    assert caught.value.suggested_filename == "methods.csv"
    saved = open(caught.value.path(), encoding="utf-8", newline="").read()  # noqa: SIM115
    assert saved.encode() == (written.tables / "methods.csv").read_bytes()


def test_trials_are_found_by_words(look, run):
    page = look().page
    page.locator("#filter").fill("evidence poisoner")
    assert page.locator("#shown").inner_text() == f"3 of {len(run.cells)}"
    assert page.locator(".trial:visible").count() == 3


def test_the_backbone_is_called_simulated(whole):
    text = whole.page.locator("header").inner_text()
    assert "Simulated backbone" in text
    assert "sim/learner (simulated backbone)" in text


def test_published_rows_stand_apart_with_their_backbones(whole):
    shown = whole.page.evaluate("""[...document.querySelectorAll('#published table')].map((table) => [
        table.dataset.table, [...table.querySelectorAll('[data-column=method]')].map((one) => one.textContent),
        [...table.querySelectorAll('[data-column=backbone]')].map((one) => one.textContent)])""")
    ours = [methods for name, methods, _ in shown if name == "methods"]
    theirs = [(methods, backbones) for name, methods, backbones in shown if name == "published_methods"]
    assert len(ours) == 1
    assert "policy/solver" in ours[0]
    assert all(len(methods) == len(backbones) > 0 for methods, backbones in theirs)
    assert "policy/solver" not in theirs[0][0]
