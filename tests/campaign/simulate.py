"""Runs the program on a scene and checks what it wrote."""

import json
import os
import subprocess
import tempfile
import time

import yaml

from check import check


def text_of(scene):
    # A copy without shared lists, which YAML would write as aliases.
    return yaml.dump(json.loads(json.dumps(scene)), sort_keys=False, default_flow_style=None, width=118)


def simulate(program, scene, timeout):
    """The outcome of one scene, a dictionary: `outcome`, `violations`, `uncertified`, `steps`, `seconds`, `message`."""
    with tempfile.TemporaryDirectory(prefix="campaign") as folder:
        path, run = os.path.join(folder, "scene.yaml"), os.path.join(folder, "run.h5")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text_of(scene))
        out = {"outcome": "holds", "violations": [], "uncertified": {}, "steps": 0, "refused": 0, "message": ""}
        start = time.monotonic()
        try:
            done = subprocess.run([program, "run", path, "-o", run, "--quiet"], capture_output=True, text=True,
                                  timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return {**out, "outcome": "slow", "seconds": timeout}
        out["seconds"] = time.monotonic() - start
        if done.returncode not in (0, 1):
            message = (done.stderr + done.stdout).replace(path, "scene.yaml").strip()
            return {**out, "outcome": "error", "message": f"exit code {done.returncode}: {message}"[:400]}
        result = check(scene, run, done.returncode)
    out.update(violations=sorted(result.violations.values(), key=lambda v: -v["ratio"]),
               uncertified=dict(result.uncertified), steps=result.steps, refused=result.refused)
    if result.violations:
        out["outcome"] = "violated"
    elif result.refused:
        out["outcome"] = "refused"
    elif result.uncertified:
        out["outcome"] = "uncertified"
    return out
