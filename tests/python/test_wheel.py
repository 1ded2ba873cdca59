"""The wheel is made, installed in a fresh venv and used from another folder."""

import os
import pathlib
import subprocess
import sys

SOURCE, BUILD = pathlib.Path(os.environ["PAWL_SOURCE"]), pathlib.Path(os.environ["PAWL_BUILD"])


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def test_a_fresh_venv_imports_the_wheel(tmp_path):
    wheel = run(sys.executable, SOURCE / "python/make_wheel.py", BUILD / "python/pawl", tmp_path).strip()
    run(sys.executable, "-m", "venv", "--system-site-packages", tmp_path / "venv")
    python = tmp_path / "venv/bin/python"
    run(python, "-m", "pip", "install", "--no-index", "--no-deps", wheel)
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    scene = SOURCE / "scenes/papers/four_balls.yaml"
    told = run(python, "-c", f"import pawl; print(pawl.__file__); print(pawl.simulate({str(scene)!r}))", env=clean,
               cwd=tmp_path)
    assert str(tmp_path / "venv") in told and "200 certified" in told
