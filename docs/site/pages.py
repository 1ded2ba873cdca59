"""Prepares and checks the documentation site; tools/site calls it before and after mkdocs.

    pages.py stage PROJECT_FOLDER PAGES   copies the documents to PAGES, with a page for every source file they link
    pages.py check PROJECT_FOLDER SITE    checks the links and that nothing comes from the network; writes the search index
"""

import html.parser
import json
import os
import pathlib
import re
import shutil
import sys
import urllib.parse

DOCUMENTS = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "bench/README.md", "docs/*.md", "docs/gallery/README.md",
             "docs/tutorial/*.md", "docs/recipes/*.md")
IMAGES = ("docs/figures/*.svg", "docs/figures/*.png", "docs/gallery/*.png")
OWN_FILES = ("docs/site/site.css", "docs/site/file_worker.js")
MAX_PAGE_BYTES = 100_000  # of a source file; longer ones are copied as they are
LINK = re.compile(r"(\]\()([^()\s#]+)((?:#[^()\s]*)?\))")
FENCE = re.compile(r"^\s*```")
LANGUAGES = {".xml": "xml", ".h": "cpp", ".cpp": "cpp", ".py": "python", ".yaml": "yaml", ".json": "json", ".txt": "cmake", ".bib": "bibtex"}


def api_page(header):
    """The name that doxygen gives to the page of a header."""
    return "api/" + header.name.replace("_", "__").replace(".", "_8") + ".html"


class Stage:
    def __init__(self, root, pages):
        self.root, self.pages = root, pages
        self.documents = [path for pattern in DOCUMENTS for path in sorted(root.glob(pattern))]
        self.sources = set()  # files and folders that have a page, relative to the root

    def run(self):
        for document in self.documents:
            self.write(self.relative(document), self.with_links(document))
        for pattern in IMAGES:
            for path in self.root.glob(pattern):
                self.copy(path, self.relative(path))
        for name in OWN_FILES:
            self.copy(self.root / name, pathlib.Path("site", pathlib.Path(name).name))
        self.write(pathlib.Path("api.md"), self.api_text())

    def relative(self, path):
        return path.relative_to(self.root)

    def write(self, name, text):
        (self.pages / name).parent.mkdir(parents=True, exist_ok=True)
        (self.pages / name).write_text(text, encoding="utf-8")

    def copy(self, path, name):
        (self.pages / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, self.pages / name)

    def with_links(self, document):
        """The document's text, with links to source files leading to their pages."""
        def replace(match):
            return match[1] + self.new_target(document, match[2]) + match[3]

        lines, in_code = [], False
        for line in document.read_text(encoding="utf-8").splitlines():
            in_code ^= bool(FENCE.match(line))
            lines.append(line if in_code else LINK.sub(replace, line))
        return "\n".join(lines) + "\n"

    def new_target(self, document, target):
        if urllib.parse.urlsplit(target).scheme:
            return target
        path = pathlib.Path(os.path.normpath(document.parent / urllib.parse.unquote(target)))
        if path in self.documents or path.suffix in (".svg", ".png") or not path.exists():
            return target  # where there is nothing, mkdocs will complain
        return os.path.relpath(self.source_page(self.relative(path)), self.relative(document).parent)

    def source_page(self, name):
        """The page of a file or folder, written when it is first asked for."""
        path = self.root / name
        if name.parts[:2] == ("include", "pawl") and path.is_file():
            return pathlib.Path(api_page(path))
        if path.is_file() and path.stat().st_size > MAX_PAGE_BYTES:
            self.copy(path, name)
            return name
        page = name / "index.md" if path.is_dir() else pathlib.Path(f"{name}.md")
        if name not in self.sources:
            self.sources.add(name)
            self.write(page, self.folder_text(name) if path.is_dir() else self.file_text(name))
        return page

    def file_text(self, name):
        text = (self.root / name).read_text(encoding="utf-8")
        return f"# {name.name}\n\n`{name}`\n\n```` {LANGUAGES.get(name.suffix, 'text')}\n{text}\n````\n"

    def folder_text(self, name):
        files = sorted(path for path in (self.root / name).iterdir() if path.is_file())
        links = [f"- [{path.name}]({os.path.relpath(self.source_page(self.relative(path)), name)})\n" for path in files]
        return f"# {name.name}\n\n`{name}`\n\n{''.join(links)}"

    def api_text(self):
        rows = []
        for header in sorted((self.root / "include/pawl").glob("*.h")):
            about = []
            for line in header.read_text(encoding="utf-8").splitlines()[1:]:
                if not line.startswith("// ") or line.startswith("//   "):
                    break
                about.append(line.removeprefix("// "))
            content = re.sub(r"docs/[a-z0-9-]+\.md", r"[\g<0>](\g<0>)", first_sentence(" ".join(about)))
            rows.append(f"| [`<pawl/{header.name}>`]({api_page(header)}) | {content} |\n")
        return ("# C++ API\n\nPrograms include `<pawl/pawl.h>`, or single headers from the table. Everything is in "
                "namespace `pawl`.\n\nIndexes: [types](api/annotated.html), "
                "[functions](api/namespacemembers_func.html), [members](api/functions.html).\n\n"
                "| header | content |\n|---|---|\n" + "".join(rows))


def first_sentence(text):
    return re.split(r"(?<=[a-z)\]]\.) (?=[A-Z])", text)[0]


class Links(html.parser.HTMLParser):
    """The ids and links of one HTML file."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []  # links: (line, tag, address)
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        for key in ("id", "name"):
            if values.get(key):
                self.ids.add(values[key])
        for key in ("href", "src"):
            if values.get(key):
                self.links.append((self.getpos()[0], tag, values[key]))


def check(root, site):
    """Messages on links that lead nowhere, network resources and documents that the navigation lacks."""
    pages = {path: Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    for path, page in pages.items():
        if path.name == "404.html":
            continue  # its addresses count from the root of a server
        for line, tag, address in page.links:
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or parts.netloc:
                if tag != "a" and parts.scheme not in ("data", "javascript"):
                    yield f"{path.relative_to(site)}:{line}: <{tag}> loads {address}"
                continue
            name = urllib.parse.unquote(parts.path)
            target = pathlib.Path(os.path.normpath(path.parent / name)) if name else path
            fragment = urllib.parse.unquote(parts.fragment)
            if not target.exists():
                yield f"{path.relative_to(site)}:{line}: {address} leads nowhere"
            elif fragment and target in pages and fragment not in pages[target].ids | {"__top", "top"}:
                yield f"{path.relative_to(site)}:{line}: {address}: there is no such section"
    for style in sorted(site.rglob("*.css")):
        for address in re.findall(r"(?:url\(|@import)\s*[\"']?(https?:[^\"')]*)", style.read_text(encoding="utf-8")):
            yield f"{style.relative_to(site)}: loads {address}"
    linked = {address for _, _, address in pages[site / "index.html"].links}
    for document in sorted(root.glob("docs/*.md")):
        if f"docs/{document.stem}.html" not in linked:
            yield f"docs/{document.name} is not in the navigation (docs/site/mkdocs.yml)"


def write_search_index(site):
    """The index as a script, since pages from the file system may not fetch JSON; without the pages of sources."""
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    documents = ("index.html", "CONTRIBUTING.html", "CHANGELOG.html", "api.html", "docs/", "bench/")
    index["docs"] = [entry for entry in index["docs"] if entry["location"].startswith(documents)]
    text = json.dumps(index, ensure_ascii=False, separators=(",", ":"))
    (site / "search/search_index.js").write_text(f"var __search = {{index: Promise.resolve({text})}};\n", encoding="utf-8")


def main(command, root, folder):
    root, folder = pathlib.Path(root).resolve(), pathlib.Path(folder).resolve()
    if command == "stage":
        Stage(root, folder).run()
        return 0
    write_search_index(folder)
    messages = list(check(root, folder))
    print("\n".join(messages) or "all links lead somewhere, and nothing comes from the network")
    return 1 if messages else 0


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in ("stage", "check"):
        sys.exit("usage: pages.py stage|check PROJECT_FOLDER FOLDER")
    sys.exit(main(*sys.argv[1:]))
