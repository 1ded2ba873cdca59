"""Runs seeded random scenes and checks every recorded state: tools/campaign --help."""

import argparse
import collections
import concurrent.futures
import json
import os
import sys

import generate
import shrink
import simulate


def one(options, regime, k):
    scene = generate.scene(options.seed, regime, k, options.steps)
    out = simulate.simulate(options.program, scene, options.timeout)
    return {"regime": regime, "scene": k, "method": scene["run"].get("method", "pawl"), **out}


def keep(options, outcome):
    """Writes the shrunk scene of a violation, one file for each check that fails."""
    os.makedirs(options.keep, exist_ok=True)
    scene = generate.scene(options.seed, outcome["regime"], outcome["scene"], options.steps)
    for check in [v["check"] for v in outcome["violations"]] or [outcome["outcome"]]:
        small, found = shrink.shrink(options.program, scene, check, options.timeout, options.shrink_seconds)
        found = found or next((v for v in outcome["violations"] if v["check"] == check), {})
        name = f"{outcome['regime']}-{options.seed}-{outcome['scene']}-{check.replace(' ', '-').replace(',', '')}.yaml"
        with open(os.path.join(options.keep, name), "w", encoding="utf-8") as file:
            file.write(f"# {sentence(found) if found else check}\n"
                       f"# Shrunk from scene {outcome['scene']} of seed {options.seed}, {outcome['regime']}.\n")
            file.write(simulate.text_of(small))


def sentence(v):
    what = f" ({v['what']})" if v["what"] else ""
    return f"{v['check']}: {v['value']:.3g} at state {v['step']}, allowed {v['limit']:.3g}{what}"


def table(outcomes, regimes):
    """Lines of the table for people."""
    rows = [["", *regimes]]
    count = lambda regime, test: sum(test(o) for o in outcomes if o["regime"] == regime)
    tests = [("scenes", lambda o: True), ("steps", None), ("holds", lambda o: o["outcome"] == "holds"),
             ("violated", lambda o: o["outcome"] == "violated"),
             ("with a step not certified", lambda o: bool(o["uncertified"])),
             ("with a refused step", lambda o: o["refused"] > 0),
             ("slow", lambda o: o["outcome"] == "slow"), ("error", lambda o: o["outcome"] == "error")]
    for name, test in tests:
        cells = [count(r, test) if test else sum(o["steps"] for o in outcomes if o["regime"] == r) for r in regimes]
        rows.append([name, *map(str, cells)])
    lines = [f"{row[0]:28}" + "".join(f"{cell:>10}" for cell in row[1:]) for row in rows]
    checks, reasons = collections.Counter(), collections.Counter()
    for o in outcomes:
        checks.update(v["check"] for v in o["violations"])
        reasons.update(o["uncertified"])
    for title, counter in (("Violations, scenes", checks), ("Not certified, steps", reasons)):
        if counter:
            lines += ["", title] + [f"  {name:36}{n:8}" for name, n in counter.most_common()]
    failing = [o for o in outcomes if o["outcome"] in ("violated", "error", "slow")]
    if failing:
        lines += ["", "Failing scenes"]
    for o in failing:
        details = "; ".join(sentence(v) for v in o["violations"]) or o["message"].split("\n")[0]
        lines.append(f"  {o['regime']} {o['scene']}: {o['outcome']} {details}")
    return lines


def main():
    parser = argparse.ArgumentParser(prog="tools/campaign", description="Random scenes, checked independently.")
    parser.add_argument("--scenes", type=int, default=100, help="number of scenes of each regime")
    parser.add_argument("--first", type=int, default=0, help="number of the first scene")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--regime", choices=["plain", "wide", "all"], default="plain")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--steps", type=int, default=200, help="steps of a scene")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds until a scene counts as slow")
    parser.add_argument("--program", required=True, help="the program pawl")
    parser.add_argument("--keep", help="folder for shrunk scenes of violations")
    parser.add_argument("--shrink-seconds", type=float, default=60.0, help="longest time of shrinking a violation")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    regimes = ["plain", "wide"] if options.regime == "all" else [options.regime]
    jobs = [(r, options.first + k) for r in regimes for k in range(options.scenes)]
    outcomes = []
    with concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(one, options, *job) for job in jobs]:
            outcomes.append(future.result())
            if sys.stderr.isatty():
                bad = sum(o["outcome"] == "violated" for o in outcomes)
                print(f"\r{len(outcomes)} of {len(jobs)} scenes, {bad} violated", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(json.dumps(outcomes, indent=1) if options.json else "\n".join(table(outcomes, regimes)))
    if options.keep:
        for outcome in outcomes:
            if outcome["outcome"] in ("violated", "error"):
                keep(options, outcome)
    return 1 if any(o["violations"] or o["outcome"] == "error" for o in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())
