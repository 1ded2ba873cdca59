"""Checks a recorded run against its scene. Reads the scene and the trajectory file, and shares no code with Pawl."""

import collections

import h5py
import numpy as np

import constraints
import energy
import friction
import gaps
import momentum
import tunnels
from kinematics import Model

EPS = np.finfo(float).eps


class Run:
    """The datasets of a trajectory file that the checks read."""

    def __init__(self, path):
        with h5py.File(path) as f:
            self.method, self.step = f.attrs["method"], float(f.attrs["step"])
            self.finished = bool(f["finished"][()])
            self.bodies = list(f.attrs["bodies"])
            self.time = f["time"][:]
            n = len(self.time)
            self.q = dict(zip(f["q"].attrs["columns"], f["q"][:n].T))
            self.v = dict(zip(f["v"].attrs["columns"], f["v"][:n].T))
            self.energy = {k: d[:n] for k, d in f["energy"].items()}
            offset = f["contacts/offset"][:n + 1]
            self.contacts = {k: d[:offset[-1]] for k, d in f["contacts"].items() if k != "offset"}
            self.contacts["at"] = np.repeat(np.arange(n), np.diff(offset))
            self.steps = {k: d[:n - 1] for k, d in f["steps"].items() if d.dtype.kind in "if"}
            values = list(f["steps/status"].attrs["values"])
            self.status = [values[s] for s in f["steps/status"][:]]
            self.reason = list(f["steps/reason"].asstr()[:]) if len(self.status) else []
        # Whether the step that ends in state i is certified; the start is.
        certified = [True] + [s == "certified" for s in self.status[:n - 1]]
        self.certified = np.array(certified + [False] * (n - len(certified)))


class Result:
    """Violations in certified steps, the worst of each check, and the steps that are not certified, by reason."""

    def __init__(self):
        self.violations = {}
        self.uncertified = collections.Counter()
        self.steps = self.refused = 0

    def add(self, check, step, value, limit, what=""):
        ratio = value / limit if limit > 0 and np.isfinite(value) else np.inf
        if check not in self.violations or ratio > self.violations[check]["ratio"]:
            self.violations[check] = {"check": check, "step": int(step), "value": float(value),
                                      "limit": float(limit), "ratio": float(ratio), "what": what}


def check(scene, path, exit_code=None):
    """The result of all checks of the run at `path` of `scene`, a dictionary."""
    run, result = Run(path), Result()
    result.steps = len(run.status)
    result.uncertified = collections.Counter(
        f"{s}: {r}" if r else s for s, r in zip(run.status, run.reason) if s != "certified")
    result.refused = sum(s in ("refused", "no-solution") for s in run.status)

    def report(name, values, limits, what=""):
        """Adds the worst certified state whose value [T] is above its limit; NaN is above all."""
        limits = np.broadcast_to(limits, np.shape(values))
        bad = np.flatnonzero(run.certified & ~(values <= limits))
        if len(bad):
            i = bad[np.argmax(values[bad] / np.maximum(limits[bad], 1e-300))]
            result.add(name, i, values[i], limits[i], what)

    whole = outline(scene, run, result, exit_code)
    if not whole:
        return result
    model = Model(scene)
    if not model.moving:
        return result
    model.poses(run.q, run.v)
    friction.check(model, run, report)
    momentum.check(model, run, report)
    if len(run.time) == len(run.status) + 1:
        energy.check(model, run, report)
    if run.method == "pawl":
        positions(model, run, report)
    return result


def outline(scene, run, result, exit_code):
    """Finite numbers, times, the end and the exit code. False if the numbers are not fit for further checks."""
    tables = {**run.q, **run.v, **{"energy." + k: x for k, x in run.energy.items()}}
    for name, column in tables.items():
        bad = np.flatnonzero(~np.isfinite(column))
        if len(bad):
            result.add("finite", bad[0], np.nan, 0.0, name)
    if np.any(np.diff(run.time) < 0):
        result.add("time", np.argmax(np.diff(run.time) < 0), 1, 0, "decreases")
    stopped = result.refused > 0 or not run.finished
    if not run.finished and not result.refused:
        result.add("finished", len(run.time), 1, 0, "no step is refused, but the run has not finished")
    # The first multiple of the step at or after `until`.
    until = run.step * np.ceil(scene["run"]["until"] / run.step - 1e-9)
    if not stopped and abs(run.time[-1] - until) > 1e-9 * until:
        result.add("time", len(run.time), abs(run.time[-1] - until), 1e-9 * until, "ends elsewhere than at `until`")
    expected = 0 if not result.uncertified else 1
    if exit_code is not None and exit_code != expected:
        result.add("exit code", 0, exit_code, expected, f"{dict(result.uncertified)}")
    return "finite" not in result.violations and len(run.time) > 1


def positions(model, run, report):
    """Overlaps, joint errors and limits of certified steps, beyond those before the step."""
    normals = collections.defaultdict(lambda: collections.defaultdict(list))
    c = run.contacts
    for s, t, i, n in zip(c["shape_a"], c["shape_b"], c["at"], c["normal"]):
        normals[s, t][i].append(n)
        normals[t, s][i].append(-n)
    far = 16 * EPS * max([float(np.abs(b.c).max()) for b in model.moving] + [0.0])
    for name, size, depth in gaps.overlaps(model, run.bodies, normals):
        before = np.maximum(np.append(depth[0], depth[:-1]), 0.0)
        report("overlap", depth, before + 1e-6 * size + far, name)
    for name, depth in tunnels.passes(model, run.steps["step"]):
        before = np.maximum(np.append(depth[0], depth[:-1]), 0.0)
        report("passes through", depth, before, name)
    speed = max([float(np.max(np.linalg.norm(b.u, axis=1))) for b in model.moving] + [0.0])
    spin = max([float(np.max(np.linalg.norm(b.w, axis=1))) for b in model.moving] + [0.0])
    h = run.steps["step"].max()
    allowed = {"m": 1e-8 * max(model.size, h * speed) + far, "rad": 1e-8 * max(1.0, h * spin) + far / model.size}
    for name, error, unit in constraints.errors(model):
        # A joint with an error at the start closes; no error grows.
        error = np.broadcast_to(error, run.time.shape)
        before = np.minimum.accumulate(np.append(error[0], error[:-1]))
        report("joint", error, before + allowed[unit], name)
    for name, excess, unit in constraints.limits(model):
        excess = np.broadcast_to(excess, run.time.shape)
        before = np.maximum(np.append(excess[0], excess[:-1]), 0.0)
        report("limit", excess, before + allowed[unit], name)
