"""Runs of scenes, by their path from scenes/papers/, as the figures need them."""

import csv
import json
import pathlib
import subprocess
import sys

from svg import number, scientific

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SCENES = ROOT / "scenes" / "papers"


class Run:
    """One recorded run: its summary, its states by column, its steps and contacts by row."""

    def __init__(self, pawl, scene, step, folder, *overrides):
        record = folder / f"{pathlib.Path(scene).name}-{step}.h5"
        settings = [word for each in overrides for word in ("--set", each)]
        summary = call([pawl, "run", str(SCENES / f"{scene}.yaml"), "--step", step, "-o", str(record), "--json", *settings],
                       accepted=(0, 1))     # 1: a step is not certified; the caption says so
        self.summary = json.loads(summary)
        self.step = float(step)
        rows = self.table(pawl, record, "states")
        self.columns = {name: [float(row[name]) for row in rows] for name in rows[0]}
        self.steps = self.table(pawl, record, "steps")
        self.contacts = self.table(pawl, record, "contacts")

    @staticmethod
    def table(pawl, record, table):
        path = record.with_suffix(f".{table}.csv")
        call([pawl, "export", str(record), "--csv", str(path), "--table", table])
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def __getitem__(self, column):
        return self.columns[column]

    def index(self, time):
        """Of the state nearest to this time."""
        return min(range(len(self["time"])), key=lambda i: abs(self["time"][i] - time))


def call(command, accepted=(0,)):
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except OSError as error:
        sys.exit(f"can't run {command[0]}: {error.strerror}")
    if done.returncode not in accepted:
        sys.exit(f"{' '.join(command)}\nfailed with code {done.returncode}:\n{done.stderr}{done.stdout}")
    return done.stdout


def certificate(run):
    """What held over the run, in two lines."""
    s = run.summary
    certified = "every one certified" if s["certified"] == s["steps"] else f"{s['certified']} certified"
    overlap = s["worst_gap_violation"]["value"]
    return (f"h = {number(run.step * 1000)} ms, {s['steps']} steps, {certified};",
            f"worst residual {scientific(s['worst_natural_map']['value'])}, "
            f"deepest overlap {scientific(overlap)}{' m' if overlap else ''}.")
