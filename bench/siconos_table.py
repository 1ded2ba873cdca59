#!/usr/bin/env python3
"""Prints a Markdown table from the CSV of siconos_bench and of `pawl compare`.

One row per file: the best solver of Siconos, Pawl's cascade, and the ratio of their times.
"""

import csv
import os
import sys
from collections import defaultdict


def read(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def time(seconds):
    return f"{1e6 * seconds:.3g} µs" if seconds < 1e-3 else f"{1e3 * seconds:.3g} ms"


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: siconos_table.py siconos.csv pawl.csv")
    peers = defaultdict(list)
    tried = defaultdict(lambda: [0, 0])  # solver: [files solved, files tried]
    for row in read(sys.argv[1]):
        solved = row["status"] == "solved"
        solver = row["solver"].removeprefix("siconos/")
        tried[solver][0] += solved
        tried[solver][1] += 1
        if solved:
            peers[os.path.basename(row["file"])].append((float(row["seconds"]), solver))
    ours = {os.path.basename(row["file"]): row for row in read(sys.argv[2]) if row["method"] == "cascade"}

    print("| problem | contacts | best of Siconos | | ours | found by | residual | Siconos / ours |")
    print("|---|---|---|---|---|---|---|---|")
    for name, row in sorted(ours.items(), key=lambda item: float(item[1]["seconds"])):
        seconds = float(row["seconds"])
        best = min(peers[name]) if peers[name] else None
        certified = row["status"] == "certified"
        print(f"| {name} | {row['contacts']} | {best[1] if best else 'none'} | {time(best[0]) if best else '—'} "
              f"| {time(seconds) if certified else '—'} | {row['found_by']} | {float(row['residual']):.0e} "
              f"| {best[0] / seconds if best and certified else float('nan'):.2g} |")
    print("\nProblems solved to 1e-8 by each solver of Siconos:\n")
    print("| " + " | ".join(sorted(tried)) + " |")
    print("|---" * len(tried) + "|")
    print("| " + " | ".join(f"{solved} of {files}" for _, (solved, files) in sorted(tried.items())) + " |")


if __name__ == "__main__":
    main()
