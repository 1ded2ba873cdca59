#!/usr/bin/env python3
"""Prints Markdown tables from the JSON of pawl_bench or geometry_peers_bench.

Times are medians over the repetitions, with ratios to Pawl's.
"""

import json
import statistics
import sys
from collections import defaultdict

OURS = "FourBalls/pawl/stewart-trinkle/5ms"


def repetitions(path):
    """Maps each benchmark to the runs of all its repetitions."""
    with open(path, encoding="utf-8") as file:
        found = defaultdict(list)
        for run in sorted(json.load(file)["benchmarks"], key=lambda run: run["family_index"]):
            if run["run_type"] == "iteration":
                found[run["run_name"].removesuffix("/manual_time")].append(run)
    return found


def median(runs, counter):
    return statistics.median(run[counter] for run in runs)


def overlap(runs):
    depth = median(runs, "overlap_mm")
    return "none" if depth < 1e-9 else f"{depth:.2g}"


def print_table(header, rows):
    print("| " + " | ".join(header) + " |")
    print("|---" * len(header) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_contacts(rows):
    """One row per pair and pose: ns per query of each engine, and the ratio of the best peer to Pawl.

    The ratio is given with Pawl's contact margin and with overlaps only. Peers without contact points do not
    count.
    """
    engines = ["pawl", "pawl-overlaps", "fcl", "bullet", "ode"]
    lines = []
    for pair, pose in dict.fromkeys(key[:2] for key in rows):
        runs = [rows[pair, pose, engine] for engine in engines]
        times = [median(run, "cpu_time") for run in runs]
        cells = [f"{time:.0f}" + (f" ({run[0]['points']:.2g}, {run[0]['gap_error']:.0e})" if run[0]["points"] else " (none)")
                 for time, run in zip(times, runs)]
        others = [time for time, run in zip(times[2:], runs[2:]) if run[0]["points"]]
        ratios = [f"{min(others) / ours:.2f}" for ours, run in zip(times[:2], runs) if run[0]["points"]]
        lines.append([f"{pair} {pose}"] + cells + [", ".join(ratios)])
    if lines:
        print_table(["ns a query (points, worst error of the gap)", "ours", "ours, overlaps alone", "FCL", "Bullet", "ODE", "best other / ours"], lines)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: table.py RESULTS.json, written by pawl_bench or geometry_peers_bench --benchmark_out=RESULTS.json")
    found = repetitions(sys.argv[1])
    if OURS in found:
        ours = median(found[OURS], "us_per_step")
        engines = [(name.split("/", 1)[1].removesuffix("/5ms"), runs) for name, runs in found.items()
                   if name.startswith("FourBalls/") and name.endswith("/5ms")]
        engines.sort(key=lambda engine: median(engine[1], "us_per_step"))
        print_table(
            ["four balls, h = 5 ms", "µs a step", "fastest run", "of ours", "deepest overlap, mm"],
            [[name, f"{median(runs, 'us_per_step'):.1f}", f"{min(run['us_per_step_best'] for run in runs):.1f}",
              f"{median(runs, 'us_per_step') / ours:.2f}", overlap(runs)] for name, runs in engines])
    steps = {name: runs for name, runs in found.items() if "contacts" in runs[0]}
    if steps:
        print_table(
            ["our runs", "µs a step", "contacts", "worst residual", "not certified", "deepest overlap, mm"],
            [[name, f"{median(runs, 'us_per_step'):.1f}", f"{median(runs, 'contacts'):.0f}",
              f"{median(runs, 'residual'):.1e}", f"{median(runs, 'uncertified'):.0f}", overlap(runs)]
             for name, runs in steps.items()])
    print_contacts({tuple(name.split("/")[1:]): runs for name, runs in found.items() if name.startswith("Contacts/")})
    problems = {name: runs for name, runs in found.items() if "us_per_problem" in runs[0]}
    if problems:
        print_table(
            ["one problem", "µs", "pivots", "worst residual"],
            [[name, f"{median(runs, 'us_per_problem'):.0f}", f"{median(runs, 'pivots'):.0f}",
              f"{median(runs, 'residual'):.1e}"] for name, runs in problems.items()])


if __name__ == "__main__":
    main()
