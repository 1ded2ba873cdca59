"""Every work cited by key in brackets has an entry in docs/references.bib, and every entry is cited.

    check_references.py PROJECT_FOLDER
"""

import collections
import pathlib
import re
import sys

FOLDERS = ("docs", "src", "include", "tests", "scenes")
KEY = r"[A-Z][A-Za-z]+[0-9]{4}[a-z]?\b"
FIRST_KEY = re.compile(rf"\[({KEY})([^\]\[]{{0,200}})")
# Further keys of one bracket, [First, (3); Second, (2.12)], perhaps on the next line of a comment.
FURTHER_KEY = re.compile(rf"[;,]\s*(?:(?://+|#)\s*)?({KEY})")
ENTRY = re.compile(r"^@(\w+)\s*\{\s*([^,\s]+)\s*,", re.MULTILINE)
NOT_ENTRIES = {"comment", "preamble", "string"}


def entries(bibliography):
    return [key for kind, key in ENTRY.findall(bibliography) if kind.lower() not in NOT_ENTRIES]


def citations(text):
    """(line, key) of every citation in the text."""
    for match in FIRST_KEY.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        yield line, match[1]
        for key in FURTHER_KEY.findall(match[2]):
            yield line, key


def text_files(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix != ".bib":
                try:
                    yield path, path.read_text(encoding="utf-8")
                except UnicodeDecodeError:
                    continue  # a picture


def main(root):
    bibliography = root / "docs/references.bib"
    keys = entries(bibliography.read_text(encoding="utf-8"))
    problems = [f"docs/references.bib: {key} has {count} entries"
                for key, count in collections.Counter(keys).items() if count > 1]
    cited = set()
    for path, text in text_files(root):
        for line, key in citations(text):
            cited.add(key)
            if key not in keys:
                problems.append(f"{path.relative_to(root)}:{line}: [{key}] has no entry in docs/references.bib")
    problems += [f"docs/references.bib: {key} is never cited" for key in keys if key not in cited]

    print("\n".join(problems) or f"{len(keys)} works, all cited")
    return 1 if problems or not keys else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: check_references.py PROJECT_FOLDER")
    sys.exit(main(pathlib.Path(sys.argv[1])))
