"""Does the motion depend on what it must not depend on? Random scenes with their bodies in another order, and 1 km away.

  python3 tests/campaign/invariance.py --program build/release/src/cli/pawl --scenes 50 --seed 3

Each scene is simulated as it is, with its bodies in another order, 1 km away, and with its free bodies moved by about
10^-13 m: as much as coordinates are rounded 1 km away. The last run tells what such rounding does to this motion. A run
is `apart` if a body ends farther from its place than 10^-5 of the size of the smallest body; it is unexplained if it is
also a hundred times as far as in the run moved by rounding. A run with an ambiguous step, or one that is not
certified, is flagged. docs/reliability.md has the figures.
"""

import argparse
import concurrent.futures
import json
import os
import random
import subprocess
import sys
import tempfile

import numpy as np

import generate
from check import Run
from kinematics import Model
from simulate import text_of

SHIFT = 1000.0  # m
ROUNDING = 1.1e-13  # m: of a coordinate of 1 km
APART = 1e-5  # of the smallest body
EXPLAINED = 100  # times the distance by rounding


def permuted(scene, r):
    """The scene with its bodies in another order, children still after their parents."""
    waiting, order = list(scene["bodies"]), []
    r.shuffle(waiting)
    while waiting:
        name = next(n for n in waiting
                    if (scene["bodies"][n].get("joint") or {}).get("parent", "world") in ["world", *order])
        waiting.remove(name)
        order.append(name)
    return {**scene, "bodies": {n: scene["bodies"][n] for n in order}}


def jostled(scene, r):
    """The scene with its free bodies moved by the rounding of far coordinates."""
    jointed = {n for joint in scene.get("joints", []) for n in joint.get("between", joint.get("bodies", []))}
    jointed |= {(b.get("joint") or {}).get("parent") for b in scene["bodies"].values()}
    bodies = {}
    for name, body in scene["bodies"].items():
        free = "joint" not in body and name not in jointed
        moved = [x + r.uniform(-1, 1) * ROUNDING for x in body["position"]] if free else body.get("position")
        bodies[name] = {**body, **({"position": moved} if moved else {})}
    return {**scene, "bodies": bodies}


def end_of(program, scene, timeout):
    """({body: place at the end}, flagged, message) of a run."""
    with tempfile.TemporaryDirectory(prefix="invariance") as folder:
        path, out = os.path.join(folder, "scene.yaml"), os.path.join(folder, "run.h5")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(scene))
        try:
            done = subprocess.run([program, "run", path, "-o", out, "--quiet"], capture_output=True, text=True,
                                  timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return None, False, "slow"
        if done.returncode not in (0, 1):
            return None, False, done.stderr[:200]
        run = Run(out)
    model = Model(scene)
    model.poses(run.q, run.v)
    flagged = done.returncode == 1 or bool(np.any(run.steps.get("ambiguous", np.zeros(1))))
    return {b.name: (b.c[-1], b.R[-1]) for b in model.moving}, flagged, ""


def distance(a, b, shift, size):
    """How far bodies end from each other: of centres, and of turned points at half the size."""
    offset = np.array([shift, 0.0, 0.0])
    return max([max(np.linalg.norm(b[n][0] - offset - a[n][0]), 0.5 * size * np.linalg.norm(b[n][1] - a[n][1]))
                for n in a] or [0.0])


def one(options, k):
    plain = generate.scene(options.seed, options.regime, k, options.steps)
    plain["run"].pop("method", None)
    shifted = generate.scene(options.seed, options.regime, k, options.steps, SHIFT)
    shifted["run"].pop("method", None)
    r = random.Random(f"invariance/{options.seed}/{k}")
    result = {"scene": k}
    model = Model(plain)
    if len(model.moving) == 0:
        return {**result, "left out": "nothing moves"}
    base, flagged, message = end_of(options.program, plain, options.timeout)
    if base is None:
        return {**result, "left out": message}
    result["flagged"] = flagged
    for name, scene, shift in (("rounding", jostled(plain, r), 0), ("order", permuted(plain, r), 0),
                               ("shift", shifted, SHIFT)):
        end, also, message = end_of(options.program, scene, options.timeout)
        result["flagged"] |= also
        result[name] = message if end is None else distance(base, end, shift, model.size) / model.size
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True)
    parser.add_argument("--scenes", type=int, default=50)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--regime", default="plain", choices=["plain", "wide"])
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--timeout", type=float, default=20)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print every scene")
    options = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda k: one(options, k), range(options.first, options.first + options.scenes)))
    unexplained = 0
    for name in ("order", "shift"):
        known = [r for r in results if isinstance(r.get(name), float) and isinstance(r.get("rounding"), float)]
        apart = [r for r in known if r[name] > APART]
        strange = [r for r in apart if r[name] > EXPLAINED * r["rounding"]]
        silent = [r for r in strange if not r["flagged"]]
        unexplained += len(silent)
        print(f"{name}: {len(apart)} of {len(known)} apart, {len(strange)} of these not explained by rounding, "
              f"{len(silent)} of these not flagged: {[r['scene'] for r in silent]}")
    if options.json:
        for r in results:
            print(json.dumps(r))
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
