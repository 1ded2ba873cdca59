"""Turns the comments of a public header into doxygen's, line by line: doxygen_filter.py HEADER

    // of the first lines      the comment of the file
    int n = 0;  // m           the comment of the member before it
    ///   indented lines       formulas, kept as they are
    docs/impacts.md            a link to that page of the site
"""

import html
import pathlib
import re
import sys

TRAILING = re.compile(r"^(\s*[^/#}\s].*?\S)\s{2,}// (.*)$")
CONTINUED = re.compile(r"^\s{8,}// (.*)$")
FORMULA = re.compile(r"^\s*///   +\S")
BODY = re.compile(r"^(\s*)[^/\s].*\)[^();]*\{$")  # the first line of a function with a body
DOCUMENT = re.compile(r"docs/([a-z0-9-]+)\.md")


def link_documents(comment):
    return DOCUMENT.sub(r'<a href="../docs/\1.html">docs/\1.md</a>', comment)


def file_comment(lines):
    """`#pragma once` and the // lines below it as the comment of the file."""
    if lines[:1] == ["#pragma once"]:
        lines[0] = "/// \\file"
        for i in range(1, len(lines)):
            if not lines[i].startswith("//"):
                break
            lines[i] = "/" + lines[i]


def trailing_comments(lines):
    after_comment, end_of_body = False, None
    for i, line in enumerate(lines):
        if end_of_body is not None:
            if line == end_of_body:
                end_of_body = None
            continue
        if body := BODY.match(line):
            end_of_body = body[1] + "}"
            continue
        match = TRAILING.match(line)
        if match:
            lines[i] = f"{match[1]}  ///< {match[2]}"
        elif after_comment and (match := CONTINUED.match(line)):
            lines[i] = f"  ///< {match[1]}"
        after_comment = bool(match)


def formulas(lines):
    inside = False
    for i, line in enumerate(lines):
        if FORMULA.match(line):
            text = html.escape(line.split("///", 1)[1][3:], quote=False)
            last = i + 1 == len(lines) or not FORMULA.match(lines[i + 1])
            lines[i] = "/// " + ("" if inside else "<pre>") + text + ("</pre>" if last else "")
            inside = not last


def main(header):
    lines = pathlib.Path(header).read_text(encoding="utf-8").splitlines()
    file_comment(lines)
    trailing_comments(lines)
    formulas(lines)
    print("\n".join(link_documents(line) if "//" in line else line for line in lines))


if __name__ == "__main__":
    main(sys.argv[1])
