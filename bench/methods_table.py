#!/usr/bin/env python3
"""Runs every scene of scenes/ and scenes/papers/ with every method and prints a table for docs/methods.md.

    python3 bench/methods_table.py [PAWL] [SECONDS]

PAWL is the program (default: ./pawl), SECONDS the length of each run (default: 1).
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
METHODS = ("linearised", "stewart-trinkle", "stewart-trinkle-nonlinear", "anitescu-potra", "anitescu-hart", "tzitzouris-pang")
TIMEOUT = 120  # s of wall time


def run(pawl, scene, method, seconds, record):
    command = [pawl, "run", str(scene), "--method", method, "-o", record, "--json"]
    if seconds:
        command += ["--until", str(seconds)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        return None
    return json.loads(done.stdout) if done.stdout.startswith("{") else None


def until(pawl, scene):
    return json.loads(subprocess.run([pawl, "check", str(scene), "--json"], capture_output=True, text=True).stdout)["run"]["until"]


def cell(summary):
    if summary is None:
        return "–"
    bad = summary["steps"] - summary["certified"]
    held = "" if bad == 0 else f"**{bad} not certified**, " if summary["refused"] == 0 else "**refused**, "
    broken = max(summary["worst_gap_violation"]["value"], summary["worst_joint_violation"]["value"])
    e = summary["energy"]
    moved = abs(e["start"] - e["end"]) + abs(e["friction"]) + abs(e["normal"]) + abs(e["kinetic"])
    scale = moved + 1e-6 * (abs(e["start"]) + 1e-300)  # a scene at rest moves by rounding only
    own = 100 * (e["discretisation"] + e["joints"]) / scale  # joints do work only through discretisation
    return f"{held}{broken:.0e}, {own:+.2g} %, {1e6 * summary['wall_seconds'] / max(1, summary['steps']):.0f}"


def main():
    pawl = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "pawl")
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 1.0
    print("| scene | " + " | ".join(f"`{m}`" for m in METHODS) + " |")
    print("|---|" + "---|" * len(METHODS))
    with tempfile.TemporaryDirectory() as folder:
        for scene in sorted([*(ROOT / "scenes").glob("*.yaml"), *(ROOT / "scenes/papers").glob("*.yaml")]):
            end = min(seconds, until(pawl, scene))
            cells = [cell(run(pawl, scene, m, end, f"{folder}/run.h5")) for m in METHODS]
            print(f"| {scene.stem} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
