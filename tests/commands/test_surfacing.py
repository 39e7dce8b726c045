"""`altmas surface`, and combinations in the report: what is printed, written and refused."""

import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from altmas.audits.audit import Audit
from altmas.core.pool import Pool
from altmas.reports.facts import gather
from altmas.reports.view import view
from altmas.reports.writing import escape, render
from altmas.surfaces.recipe import SurfaceRecipe
from altmas.surfaces.surface import surface_of
from worlds.commands import altmas, mode, refused, told
from worlds.reports import assert_self_contained

NAMES = ["cat", "dog"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two attributes, one of them with a hostile value; the model errs most where both are second."""
    home = tmp_path_factory.mktemp("surface") / "audit"
    rng = np.random.default_rng(0)
    region = rng.choice(["north", "<b>south"], 240)
    device = np.where(rng.random(240) < 0.03, "rare", rng.choice(["old", "new", "$x$"], 240))
    truth = rng.integers(2, size=240)
    bad = (region == "<b>south") & (device == "old")
    said = np.where(rng.random(240) < np.where(bad, 0.3, 0.95), truth, 1 - truth)
    groups = {"region": region, "device": device}
    pool = Pool.build({"ours": [NAMES[k] for k in said]}, classes=NAMES, groups=groups)
    with Audit.create(home, pool, metrics=["accuracy"], initial=40, batch=40) as audit:
        for _ in range(3):
            for query in audit.ask(40):
                audit.tell(query.id, NAMES[truth[query.position]])
            audit.refit()
    return home


def test_the_worst_arms_the_verdict_and_the_promise(folder, tmp_path):
    table, figure = tmp_path / "arms.csv", tmp_path / "map.svg"
    out = told(
        "surface", folder, "--by", "region,device", "--estimator", "beta-i", "-m", 3, "--to", table, "--figure", figure
    )
    assert "120 labels, level 0.95" in out
    assert "P(among 3 worst)" in out
    assert "worst for region=<b>south, device=old (right in" in out
    assert "The intervals promise: 95% credible under the surface's prior" in out
    written = pd.read_csv(table)
    assert written["support"].sum() == 240
    assert written["labels"].sum() == 120
    assert figure.read_text().count("<svg") == 1
    assert f"Written: {table}\nWritten: {figure} (region by device)\n" in out
    assert (mode(table), mode(figure)) == (0o600, 0o600)
    for few in (1, 2):  # of two combinations, both are among the two worst
        assert "P(among" not in told("surface", folder, "--by", "region", "--estimator", "beta-i", "-m", few)


def test_a_picture_of_names_in_any_script_is_written_without_a_word(tmp_path):
    pool = Pool.build(NAMES * 30, groups={"city": ["東京", "大阪"] * 30, "side": ["l", "l", "r"] * 20})
    with Audit.create(tmp_path / "audit", pool, metrics=["accuracy"]) as audit:
        for query in audit.ask(30):
            audit.tell(query.id, "cat")
    for by, words in (("city,side", "(city by side)"), ("city", "(city)")):
        figure = tmp_path / "map.svg"
        call = ("--by", by, "--estimator", "beta-i", "--figure", figure)
        assert f"Written: {figure} {words}\n" in told("surface", tmp_path / "audit", *call)
        assert "東京" in figure.read_text(encoding="utf-8")


def test_maps_of_one_report_share_a_scale(people):
    with Audit.open(people) as audit:
        facts = gather(audit, surface="sex,age,postcode", estimator="beta-i")
        one = gather(audit, surface="sex,age", estimator="beta-i")
    first, second = (picture["caption"] for picture in view(facts)["models"][0]["surface"])
    shade = re.compile(r"Stronger colour: less accurate, \d+% to \d+%; the same scale in all maps\.")
    assert shade.search(first)[0] == shade.search(second)[0]
    [picture] = view(one)["models"][0]["surface"]
    assert "the same scale" not in picture["caption"]
    assert "In brackets: no labels of its own, estimated from others." in picture["caption"]
    assert picture["caption"] in assert_self_contained(render(one, ".html")).text


def test_json_has_the_same(folder):
    call = ("surface", folder, "--by", "device,region", "--estimator", "beta-i", "--level", "0.8", "--json")
    found = altmas(*call, "--least", 8).json
    assert (found["level"], found["least"], found["model"]) == (0.8, 8, "ours")
    assert (
        found["combinations"]["judged"] < found["combinations"]["with_items"] <= found["combinations"]["possible"] == 8
    )
    assert found["combinations"]["labelled"] <= found["combinations"]["judged"]
    assert sum(arm["p_worst"] for arm in found["arms"]) == pytest.approx(1)
    assert found["arms"][0]["values"] == {"device": "old", "region": "<b>south"}
    assert [one["values"]["region"] for one in found["attributes"]["region"]] == ["<b>south", "north"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--by", "hat"], "by must be attributes of the pool: region, device, class; got 'hat'."),
        (["--by", ","], "by must name at least one attribute for a surface; got none. There are region, device."),
        (["--by", "region", "--estimator", "magic"], "estimator of a surface must be one of beta-i"),
        (
            ["--by", "region", "--estimator", "beta-i", "--model", "hers"],
            "model must be one of ours; got 'hers'.",
        ),
        (["--by", "region", "--to", "arms.xlsx"], "file must be named *.csv"),
        (["--by", "region", "--figure", "map.gif"], "file must be named *.svg, *.png, *.pdf; got 'map.gif'."),
        (
            ["--by", "region", "--figure", "nowhere/map.svg"],
            "file must be written into a folder that exists; got nowhere.",
        ),
    ],
)
def test_refusals(folder, options, sentence):
    assert sentence in refused("surface", folder, *options)


def test_report_has_a_section_where_it_is_asked_for(folder):
    with Audit.open(folder) as audit:
        facts = gather(audit, surface="region,device", estimator="beta-i")
        one = gather(audit, surface="device", estimator="beta-i")
    found = facts["models"][0]["surface"]
    assert found["by"] == ["region", "device"]
    assert found["arms"][0]["arm"] == "region=<b>south, device=old"
    assert [pair["attributes"] for pair in found["pairs"]] == [["region", "device"]]
    assert json.dumps(facts, allow_nan=False)
    parsed = assert_self_contained(render(facts, ".html"))
    assert "Accuracy by combination" in parsed.text
    assert found["verdict"] in parsed.text
    text = render(facts, ".md")
    assert "## Accuracy by combination\n" in text
    assert "region=\\<b\\>south, device=old" in text
    assert "credible under the surface's prior" in text
    assert "By device" in assert_self_contained(render(one, ".html")).text
    assert "| rare |" in render(one, ".md")


def first_screen(page):
    """What the answers above the first section say."""
    return page[page.index("Where is it worst?") : page.index("What next?")]


def test_the_first_screen_has_the_verdict_about_combinations(folder):
    with Audit.open(folder) as audit:
        plain = gather(audit)
        facts = gather(audit, surface="region,device", estimator="beta-i")
    verdict = facts["models"][0]["verdict"]["worst"]
    assert verdict == [*plain["models"][0]["verdict"]["worst"], facts["models"][0]["surface"]["verdict"]]
    assert verdict[-1] in first_screen(assert_self_contained(render(facts, ".html")).text)
    text = render(facts, ".md")
    assert escape(verdict[-1]) in text[: text.index("## Estimates")]


@pytest.fixture(scope="module")
def explored(people):
    """An audit by the method `surface`, from the same file; no metrics are named."""
    made = people.parent / "explored"
    call = ("--predictions", people.parent / "said.csv", "--group", "sex", "--group", "age", "--classes", "cat,dog")
    options = ("--option", "by=sex,age", "--option", "estimator=beta-i")
    assert "metrics: accuracy, at level" in told("init", made, *call, "--method", "surface", *options, "--initial", 30)
    return made


def test_a_report_without_labels_says_why_it_has_no_combinations(explored, tmp_path):
    for name in ("r.html", "r.md"):
        told("report", explored, "-o", tmp_path / name, "--surface", "sex,age")
        assert "Left out" not in told("report", explored, "-o", tmp_path / f"bare-{name}")
        assert "Left out" not in (tmp_path / f"bare-{name}").read_text()
    page = assert_self_contained((tmp_path / "r.html").read_text()).text
    assert "Accuracy by combination" in page
    assert "Left out, combinations: No item has a label yet." in page
    assert "- combinations: No item has a label yet." in (tmp_path / "r.md").read_text()


def test_a_report_of_the_method_surface_points_to_combinations(explored):
    with Audit.open(explored) as audit:
        for query in audit.ask(30):
            audit.tell(query.id, NAMES[query.position % 2])
        without, facts = gather(audit), gather(audit, surface="sex,age", estimator="beta-i")
    page, text = assert_self_contained(render(facts, ".html")).text, render(facts, ".md")
    verdict = facts["models"][0]["surface"]["verdict"]
    assert verdict in first_screen(page)
    assert "Not told" not in page
    assert escape(verdict) in text[: text.index("## Estimates")]
    why = "Method 'surface' tells of combinations: "
    for found, where in (
        (facts, "see Accuracy by combination."),
        (without, "altmas report --surface sex,age adds them."),
    ):
        parts = [one for one in found["models"][0]["left_out"] if why in one["why"]]
        assert parts == [{"part": "groups one by one", "why": f"{why}{where}"}]
        assert f"Left out, groups one by one: {why}{where}" in assert_self_contained(render(found, ".html")).text
        assert "Left out, sex" not in render(found, ".html")
    assert f"{why}altmas report --surface sex,age adds them." in first_screen(
        assert_self_contained(render(without, ".html")).text
    )


def test_a_report_refuses_unknown_attributes_and_loads_no_tensorflow(folder, tmp_path):
    assert "by must be attributes of the pool" in refused(
        "report", folder, "-o", tmp_path / "r.html", "--surface", "hat"
    )
    program = "import sys\nfrom altmas.cli import main\nmain()\nassert 'tensorflow' not in sys.modules"
    target = tmp_path / "r.html"
    done = subprocess.run(
        [sys.executable, "-c", program, "report", folder, "-o", target], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert target.is_file()


def test_report_by_the_command_line_and_its_default(folder, tmp_path):
    target = tmp_path / "r.json"
    told("report", folder, "-o", target, "--surface", "region,device")
    facts = json.loads(target.read_text())
    assert facts["models"][0]["surface"]["estimator"] == "betagp"
    assert facts["models"][0]["surface"]["arms"][0]["arm"] == "region=<b>south, device=old"


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """An audit from a file: a blank age, a blank sex, postcodes."""
    home = tmp_path_factory.mktemp("people")
    rng = np.random.default_rng(0)
    rows = pd.DataFrame({"id": range(200), "sex": rng.choice(["f", "m"], 200), "age": rng.integers(18, 80, 200)})
    rows = rows.astype({"sex": object, "age": object}).assign(postcode=94_100 + rng.integers(60, size=200))
    rows.loc[3, "age"], rows.loc[4, "sex"] = "", ""
    rows["prediction"] = rng.choice(NAMES, 200)
    rows.to_csv(home / "said.csv", index=False)
    groups = [part for name in ("sex", "age", "postcode") for part in ("--group", name)]
    told("init", home / "audit", "--predictions", home / "said.csv", *groups, "--classes", "cat,dog", "--initial", 30)
    with Audit.open(home / "audit") as audit:
        for query in audit.ask(30):
            audit.tell(query.id, rows["prediction"][query.position] if query.position % 5 else "cat")
    return home / "audit"


def test_a_file_with_a_blank_age_is_cut_all_the_same(people):
    found = altmas("surface", people, "--by", "sex,age", "--estimator", "beta-i", "--json").json
    assert len(found["attributes"]["age"]) == 6
    assert [one["values"]["sex"] for one in found["attributes"]["sex"]] == ["(missing)", "f", "m"]
    assert found["combinations"]["judged"] == 10
    out = told("surface", people, "--by", "postcode", "--estimator", "beta-i")
    assert "postcode is cut into 94100 to <941" in out
    assert "5 of 5 combinations with items are judged, 5 of them have labels" in " ".join(out.split())


def test_arms_that_cannot_be_judged_are_spoken_of(people):
    three = ("surface", people, "--by", "sex,age,postcode", "--estimator", "beta-i")
    advice = "Most combinations have fewer than 6 items: fewer attributes, or a smaller --least, judge more of them."
    assert advice in told(*three, "--least", 6)
    assert "No combination has 90 items: the largest are judged." in told(*three, "--least", 90)
    with Audit.open(people) as audit:
        facts = gather(audit, surface="sex,age,postcode", estimator=SurfaceRecipe("beta-i", least=90))
    text = render(facts, ".md")
    assert "No combination has 90 items: the largest are judged." in text
    assert "fewer than 90 items" not in text


def test_a_verdict_says_when_no_judged_combination_has_a_label(people):
    with Audit.open(people) as audit:
        answers = audit.findings().drawn.answers
    side = np.array([f"many{k % 2}" for k in range(200)], dtype=object)
    side[answers.items] = "few"
    made = Pool.build([0, 1] * 100, groups={"side": side})
    shown = surface_of(made, answers, "side", estimator=SurfaceRecipe("beta-i", least=40))
    assert shown.verdict == "Which combination is worst cannot be told: none of the 2 that are judged has a label."
