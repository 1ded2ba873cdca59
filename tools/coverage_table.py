"""Prints line and branch coverage per folder from a summary of gcovr: coverage_table.py SUMMARY.json"""

import collections
import json
import sys

COUNTS = ("line_covered", "line_total", "branch_covered", "branch_total")


def percent(covered, total):
    return f"{100 * covered / total:5.1f} %" if total else "      –"


def row(name, width, counts):
    lines, branches = counts["line_covered"], counts["branch_covered"]
    return (f"{name:<{width}}  {percent(lines, counts['line_total'])}  {lines:>6} of {counts['line_total']:<6}"
            f"  {percent(branches, counts['branch_total'])}  {branches:>6} of {counts['branch_total']}")


def main(summary):
    with open(summary, encoding="utf-8") as file:
        files = json.load(file)["files"]
    folders = collections.defaultdict(collections.Counter)
    for entry in files:
        counts = {key: entry[key] for key in COUNTS}
        folders[entry["filename"].rpartition("/")[0]].update(counts)
        folders["total"].update(counts)
    if not folders:
        sys.exit(f"{summary}: no file has counts")
    total = folders.pop("total")
    width = max(map(len, folders))
    print(f"{'folder':<{width}}  {'lines':>7}  {'':16}  {'branches':>8}")
    for name in sorted(folders):
        print(row(name, width, folders[name]))
    print(row("total", width, total))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: coverage_table.py SUMMARY.json")
    main(sys.argv[1])
