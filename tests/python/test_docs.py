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
