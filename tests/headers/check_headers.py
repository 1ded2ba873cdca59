#!/usr/bin/env python3
"""check_headers.py COMPILER INCLUDE_FOLDER: compiles each header of pawl/ alone, and all in one file with and without AVX."""
import pathlib
import subprocess
import sys

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror", "-x", "c++", "-"]


def compile_text(compiler, folder, text, extra=()):
    command = [compiler, "-I", folder, *extra, *FLAGS]
    return subprocess.run(command, input=text, capture_output=True, text=True)


def main(compiler, folder):
    headers = sorted(path.name for path in pathlib.Path(folder, "pawl").glob("*.h"))
    if not headers:
        sys.exit(f"no headers in {folder}/pawl")
    include = "".join(f"#include <pawl/{name}>\n" for name in headers)
    runs = [(name, f"#include <pawl/{name}>\n", ()) for name in headers]
    runs += [("all, x86-64", include, ("-march=x86-64",)), ("all, x86-64-v3", include, ("-march=x86-64-v3",))]
    failed = 0
    for name, text, extra in runs:
        result = compile_text(compiler, folder, text, extra)
        if result.returncode != 0:
            failed += 1
            print(f"{name}:\n{result.stderr}")
    print(f"{len(runs) - failed} of {len(runs)} compilations pass")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
