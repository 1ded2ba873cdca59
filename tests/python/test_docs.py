"""The code of the documents runs: Python blocks of a page in order, in one program; its shell blocks in one shell."""

import os
import pathlib
import re
import shutil
import subprocess

import pytest

SOURCE, BUILD = pathlib.Path(os.environ["PAWL_SOURCE"]), pathlib.Path(os.environ["PAWL_BUILD"])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder like a fresh clone in which the program is built."""
    (tmp_path / "scenes").symlink_to(SOURCE / "scenes")
    for name in ("problems", "tutorial"):
        shutil.copytree(SOURCE / "docs" / name, tmp_path / "docs" / name)
    (tmp_path / "pawl").symlink_to(BUILD / "src/cli/pawl")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(BUILD / "src/cli"), prepend=os.pathsep)
    return tmp_path


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (SOURCE / page).read_text(), re.DOTALL)


def run_python(page):
    names = {}
    for number, block in enumerate(blocks(page, "python")):
        exec(compile(block, f"{page}, block {number + 1}", "exec"), names)


def run_shell(page):
    """Every command must succeed; comments may end a line."""
    for block in blocks(page, "sh"):
        told = subprocess.run(["bash", "-euo", "pipefail", "-c", block], capture_output=True, text=True, check=False)
        assert told.returncode == 0, block + told.stdout + told.stderr


def run_page(page):
    """All blocks of a page in order: a YAML block is the file that the text before it names last."""
    text, names = (SOURCE / page).read_text(), {}
    for number, found in enumerate(re.finditer(r"```(python|sh|yaml)\n(.*?)```", text, re.DOTALL)):
        language, block = found.groups()
        if language == "python":
            exec(compile(block, f"{page}, block {number + 1}", "exec"), names)
        elif language == "yaml":
            pathlib.Path(re.findall(r"`([\w-]+\.yaml)`", text[:found.start()])[-1]).write_text(block)
        else:
            told = subprocess.run(["bash", "-euo", "pipefail", "-c", block], capture_output=True, text=True, check=False)
            assert told.returncode == 0, block + told.stdout + told.stderr


TUTORIAL = sorted(str(p.relative_to(SOURCE)) for p in (SOURCE / "docs/tutorial").glob("*.md") if p.name != "README.md")
RECIPES = sorted(str(p.relative_to(SOURCE)) for p in (SOURCE / "docs/recipes").glob("*.md"))


@pytest.mark.parametrize("page", TUTORIAL + RECIPES)
def test_the_pages_of_the_tutorial_and_the_recipes_run(page, folder):
    run_page(page)


def test_the_index_of_the_tutorial_names_every_page():
    index = (SOURCE / "docs/tutorial/README.md").read_text()
    assert len(TUTORIAL) == 6 and all(f"({pathlib.Path(page).name})" in index for page in TUTORIAL)


def test_the_python_page_runs(folder):
    assert len(blocks("docs/python.md", "python")) >= 8
    run_python("docs/python.md")


@pytest.mark.skipif(shutil.which("man") is None, reason="man is not installed")
def test_the_page_of_the_command_line_runs(folder):
    run_shell("docs/command-line.md")


def test_the_commands_on_problem_files_run(folder):
    run_shell("docs/problem-files.md")


def test_the_first_screen_of_the_readme_has_the_commands_and_a_true_summary(folder):
    text = (SOURCE / "README.md").read_text()
    screen = "\n".join(text.splitlines()[:60])
    assert "./pawl run scenes/papers/four_balls.yaml" in screen and "./test" in screen
    shown = re.search(r"```\n(Four balls:.*?)```", text, re.DOTALL)[1]
    told = subprocess.run(["pawl", "run", "scenes/papers/four_balls.yaml"], check=True, capture_output=True,
                          text=True).stdout
    timeless = lambda lines: [line for line in lines.splitlines() if not line.startswith("  time ")]
    assert timeless(shown) == timeless(told)


def test_what_the_readme_says_of_its_picture_holds(folder):
    told = subprocess.run(["pawl", "run", "scenes/papers/grasp.yaml", "--set", "pairs.0.friction=0.8", "--no-record"],
                          check=True, capture_output=True, text=True).stdout
    steps = re.search(r"steps\s+(\d+), all certified", told)[1]
    assert f"All {int(steps):,} steps are certified" in (SOURCE / "README.md").read_text()


def test_the_program_side_by_side_runs_and_is_not_longer_than_the_others(folder):
    (folder / "arm.xml").write_text(blocks("docs/side-by-side.md", "xml")[0])
    mujoco, drake, ours = blocks("docs/side-by-side.md", "python")
    lines = [sum(1 for line in text.splitlines() if line.strip()) for text in (ours, mujoco, drake)]
    assert lines[0] == min(lines)
    names = {}
    exec(compile(ours, "docs/side-by-side.md", "exec"), names)
    assert abs(names["sim"].q - [0.5, -1.0]).max() < 1e-3
