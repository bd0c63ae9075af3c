"""`evoplay new-method`: what it writes runs, its test passes, nothing is overwritten."""

import subprocess
import sys

import pytest

from evoplay.evaluation.cli_new_method import class_of, write_skeleton


def evoplay(*arguments, cwd):
    command = [sys.executable, "-m", "evoplay.evaluation.cli", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300)


def test_what_it_writes_runs_and_its_test_passes(tmp_path):
    made = evoplay("new-method", "last-lesson", cwd=tmp_path)
    assert (made.returncode, made.stderr) == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["last_lesson.py", "test_last_lesson.py"]
    assert "last_lesson.py:LastLesson" in made.stdout
    tested = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_last_lesson.py"],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert tested.returncode == 0, tested.stdout
    assert "2 passed" in tested.stdout
    game = ["--env", "learn2play/gemforge", "--episodes", "2", "--trials", "1", "--out", "runs/mine"]
    run = evoplay("run", *game, "--method", "naive", "--method", "last_lesson.py:LastLesson:most=2", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "LastLesson" in run.stdout


def test_its_own_test_can_fail(tmp_path):
    method, test = write_skeleton("last-lesson", tmp_path)
    method.write_text(method.read_text().replace('state.get("moves", [])', "[]").replace("self.moves else", "0 else"))
    broken = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)],
        cwd=tmp_path, capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert broken.returncode == 1
    assert "2 failed" in broken.stdout or "1 failed" in broken.stdout


@pytest.mark.parametrize("name", ["", "Last", "last lesson", "../x", "1st", "class", "a--b", "x-", "é"])
def test_a_name_has_to_be_one(name, tmp_path):
    with pytest.raises(ValueError, match="cannot name a method"):
        write_skeleton(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["memory", "reflexion", "json", "method"])
def test_a_name_has_to_be_free(name, tmp_path):
    with pytest.raises(ValueError, match="already: choose another name"):
        write_skeleton(name, tmp_path)


def test_nothing_is_overwritten(tmp_path):
    write_skeleton("mine", tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with pytest.raises(ValueError, match="is there already"):
        write_skeleton("mine", tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    failed = evoplay("new-method", "mine", "--into", tmp_path / "nowhere", cwd=tmp_path)
    assert failed.returncode == 2
    assert failed.stderr.count("\n") == 1


def test_the_class_of_a_name():
    assert [class_of(name) for name in ("mine", "last-lesson", "a-2-b")] == ["Mine", "LastLesson", "A2B"]
