"""The includes of the sources agree with the link lines, form no circles, and stay public in public headers.

    check_structure.py PROJECT_FOLDER [links] [circles] [public]   checks the groups named, by default all
    check_structure.py --self-test                                 checks that a small wrong project is found wrong

links    A file includes internal headers only of its own folder and of folders that its folder links.
         Pawl::core links neither file formats nor Qhull, and no folder of Pawl::io or of the program.
         Eigen/Dense is included by tests alone.
circles  No circle among files (header and source of one name are one unit), folders, or link lines. Of files that all
         reach each other the shortest circle is printed.
public   Headers in include/pawl include only each other and the standard library.

Prints every violation as file:line: message and exits with 1 if there is any.
"""

import collections
import dataclasses
import pathlib
import re
import sys
import tempfile

GROUPS = ("links", "circles", "public")
SOURCE_FOLDERS = ("src/pawl", "src/cli", "src/serve", "src/draw", "src/page", "include")
OTHER_SOURCE_FOLDERS = ("bench", "fuzz")  # not of the libraries; held to the rule on Eigen/Dense
NOT_IN_CORE = re.compile(r"yaml-cpp|hdf5|nlohmann_json|qhull", re.IGNORECASE)
PUBLIC = "include/pawl"

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
COMMAND = re.compile(r"\b(pawl_library|target_link_libraries)\s*\(([^()]*)\)")
KEYWORDS = {"IO", "OF_PROGRAM", "COLD", "DEPENDS", "PRIVATE", "PUBLIC", "INTERFACE"}
STANDARD = set("""
    algorithm any array atomic barrier bit bitset cassert cctype cerrno cfenv cfloat charconv chrono cinttypes climits
    clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef cstdint
    cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution filesystem format forward_list fstream
    functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list locale map memory
    memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator
    semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string string_view
    syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray
    variant vector version""".split())


@dataclasses.dataclass(frozen=True, order=True)
class Violation:
    place: str  # file:line
    message: str

    def __str__(self):
        return f"{self.place}: {self.message}"


@dataclasses.dataclass
class Library:
    """The target of one folder. Links are written (target, place); a program has no name that others can link."""
    name: str
    place: str
    kind: str  # core, io or program
    public_links: list = dataclasses.field(default_factory=list)   # DEPENDS: passed on to those who link this one
    private_links: list = dataclasses.field(default_factory=list)  # ours and those of third parties


@dataclasses.dataclass(frozen=True)
class Include:
    file: str  # relative to the project folder
    line: int
    quoted: bool
    name: str  # as written
    target: str  # the file included, relative to the project folder; "" if it is none of the project's

    @property
    def place(self):
        return f"{self.file}:{self.line}"


def folder_of(file):
    return file.rpartition("/")[0]


def unit_of(file):
    return file.rpartition(".")[0]


class Project:
    def __init__(self, root):
        self.root = root
        self.libraries = {}  # folder -> Library
        for lists in sorted((root / "src").rglob("CMakeLists.txt")):
            self.read_links(lists)
        self.folder_of_name = {library.name: folder for folder, library in self.libraries.items()}
        self.includes = [include for folder in SOURCE_FOLDERS for include in self.read_includes(folder)]
        self.other_includes = [include for folder in OTHER_SOURCE_FOLDERS for include in self.read_includes(folder)]

    def relative(self, path):
        return path.relative_to(self.root).as_posix()

    def read_links(self, path):
        text = re.sub(r"#.*", "", path.read_text(encoding="utf-8"))
        folder = self.relative(path.parent)
        for command in COMMAND.finditer(text):
            first, *rest = [
                (word[0], f"{self.relative(path)}:{text.count(chr(10), 0, command.start(2) + word.start()) + 1}")
                for word in re.finditer(r"\S+", command[2])]
            words = [word for word, _ in rest]
            if command[1] == "pawl_library":
                kind = "io" if "IO" in words else "program" if "OF_PROGRAM" in words else "core"
                library = self.libraries.setdefault(folder, Library(first[0], first[1], kind))
                library.name, library.place, library.kind = first[0], first[1], kind
            elif folder == "src":
                continue  # Pawl::core and Pawl::io, made of the folders
            else:
                library = self.libraries.setdefault(folder, Library(folder, first[1], "program"))
            links = library.private_links
            for word, place in rest:
                if word in KEYWORDS:
                    links = library.public_links if word == "DEPENDS" else library.private_links
                else:
                    links.append((word if links is not library.public_links else f"Pawl::{word}", place))

    def read_includes(self, folder):
        for path in sorted((self.root / folder).rglob("*")):
            if path.suffix not in (".h", ".cpp"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                if match := INCLUDE.match(line):
                    quoted = match[1] == '"'
                    yield Include(self.relative(path), number, quoted, match[2], self.resolve(path, quoted, match[2]))

    def resolve(self, path, quoted, name):
        for base in ([path.parent] if quoted else []) + [self.root / "include", self.root / "src"]:
            if (base / name).is_file():
                return self.relative((base / name).resolve())
        return ""

    def linked_folders(self, folder):
        """The folders that a folder links: its own link lines, and the DEPENDS of each of them in turn."""
        library = self.libraries[folder]
        waiting = [name for name, _ in library.public_links + library.private_links]
        found = set()
        while waiting:
            linked = self.folder_of_name.get(waiting.pop().removeprefix("Pawl::"))
            if linked and linked not in found:
                found.add(linked)
                waiting += [name for name, _ in self.libraries[linked].public_links]
        return found


def check_links(project):
    linked = {folder: project.linked_folders(folder) for folder in project.libraries}
    for include in project.includes:
        folder, target = folder_of(include.file), folder_of(include.target)
        if not include.target:
            if include.quoted or include.name.startswith("pawl/"):
                yield Violation(include.place, f"there is no header {include.name}")
        elif target == PUBLIC or folder == target or folder.startswith("include"):
            pass
        elif folder not in project.libraries:
            yield Violation(include.place, f"{folder} is not the folder of a library")
        elif target not in project.libraries:
            yield Violation(include.place, f"{include.name} is in {target}, which is not the folder of a library")
        elif target not in linked[folder]:
            yield Violation(include.place, f"{include.name} is in {target}, which {folder} does not link "
                                           f"({project.libraries[folder].place})")
    for include in project.includes + project.other_includes:
        if include.name == "Eigen/Dense":
            yield Violation(include.place, "Eigen/Dense is for tests alone")
    order = ("core", "io", "program")
    for folder, library in project.libraries.items():
        for name, place in library.public_links + library.private_links:
            ours = name.startswith("Pawl::")
            other = project.folder_of_name.get(name.removeprefix("Pawl::")) if ours else None
            if ours and not other:
                yield Violation(place, f"{folder} links {name}, which is not the library of a folder")
            elif ours and order.index(project.libraries[other].kind) > order.index(library.kind):
                yield Violation(place, f"{folder} ({library.kind}) links {other} ({project.libraries[other].kind})")
            elif not ours and library.kind == "core" and NOT_IN_CORE.search(name):
                yield Violation(place, f"{folder} belongs to Pawl::core and links {name}")


def check_circles(project):
    units, folders = collections.defaultdict(dict), collections.defaultdict(dict)
    for include in project.includes:
        if include.target:
            add_edge(units, unit_of(include.file), unit_of(include.target), include.place)
            if PUBLIC not in (folder_of(include.file), folder_of(include.target)):
                add_edge(folders, folder_of(include.file), folder_of(include.target), include.place)
    links = collections.defaultdict(dict)
    for folder, library in project.libraries.items():
        for name, place in library.public_links + library.private_links:
            if name.startswith("Pawl::") and (linked := project.folder_of_name.get(name.removeprefix("Pawl::"))):
                add_edge(links, folder, linked, place)
                if folder == linked:
                    yield Violation(place, f"{folder} links itself")
    for kind, graph in (("files", units), ("folders", folders), ("link lines", links)):
        for circle in circles(graph):
            edges = [f"{to} ({graph[source][to]})" for source, to in zip(circle, circle[1:])]
            yield Violation(graph[circle[0]][circle[1]], f"circle of {kind}: {circle[0]} → {' → '.join(edges)}")


def add_edge(graph, source, target, place):
    """place: where the edge is written; the first one is kept."""
    if source != target:
        graph[source].setdefault(target, place)
        graph[target]  # every node has its row


def circles(graph):
    """A shortest circle [a, …, a] of each set of nodes that all reach each other."""
    left = set(graph)
    for start in sorted(graph):
        if start in left:
            reached = shortest_paths(graph, start)
            component = {node for node in reached if start in shortest_paths(graph, node)}
            left -= component | {start}
            if component:
                yield min((shortest_paths(graph, node)[node] for node in sorted(component)), key=len)


def shortest_paths(graph, start):
    """node -> [start, …, node] for all nodes reached by one edge or more."""
    paths, waiting = {}, collections.deque([[start]])
    while waiting:
        path = waiting.popleft()
        for target in sorted(graph[path[-1]]):
            if target not in paths:
                paths[target] = path + [target]
                waiting.append(paths[target])
    return paths


def check_public(project):
    for include in project.includes:
        if not include.file.startswith(PUBLIC + "/"):
            continue
        if include.quoted:
            yield Violation(include.place, f'"{include.name}" should be written <pawl/…>')
        elif include.target:
            if folder_of(include.target) != PUBLIC:
                yield Violation(include.place, f"a public header includes the internal {include.target}")
        elif include.name.startswith("pawl/"):
            yield Violation(include.place, f"there is no public header {include.name}")
        elif include.name not in STANDARD:
            yield Violation(include.place, f"a public header includes {include.name}, not of the standard library")


CHECKS = {"links": check_links, "circles": check_circles, "public": check_public}


def violations(project, groups):
    return sorted({violation for group in groups for violation in CHECKS[group](project)})


# A project with every violation once, and what each check must say of it. A violation of one rule is no violation of
# another group, so that each group is seen to fail by itself.
WRONG_PROJECT = {
    "src/CMakeLists.txt": "add_subdirectory(pawl/base)\ntarget_link_libraries(pawl_core INTERFACE ${core})\n",
    "src/pawl/base/CMakeLists.txt": "pawl_library(base PRIVATE fmt::fmt)  # DEPENDS model\n",
    "src/pawl/base/vec.h": "#include <vector>\n#include <pawl/math.h>\n",
    "src/pawl/base/up.cpp": "// #include <pawl/step/step.h>\n#include <pawl/model/model.h>\n",
    "src/pawl/model/CMakeLists.txt": "pawl_library(model\n  DEPENDS base step\n  PRIVATE Qhull::qhull_r)\n",
    "src/pawl/model/model.h": "#pragma once\n#include <pawl/base/vec.h>\n#include <pawl/absent/absent.h>\n",
    "src/pawl/model/tree.h": "",
    "src/pawl/model/tree.cpp": '#include "tree.h"\n#include "arm.h"\n',
    "src/pawl/model/arm.h": "",
    "src/pawl/model/arm.cpp": "#include <pawl/model/arm.h>\n#  include <pawl/model/tree.h>\n#include <Eigen/Dense>\n",
    "src/pawl/step/CMakeLists.txt": "pawl_library(step DEPENDS model PRIVATE hdf5::hdf5)\n",
    "src/pawl/step/step.h": "#include <pawl/model/model.h>\n#include <pawl/base/vec.h>\n",
    "src/pawl/record/CMakeLists.txt": "pawl_library(record IO DEPENDS step page PRIVATE hdf5::hdf5 yaml-cpp)\n",
    "src/pawl/record/record.h": "",
    "src/pawl/record/record.cpp": "#include <pawl/step/step.h>\n#include <pawl/base/vec.h>\n"
                                  "#include <pawl/loose/loose.h>\n",
    "src/pawl/loose/loose.h": "#include <pawl/base/vec.h>\n",
    "src/page/CMakeLists.txt": "pawl_library(page OF_PROGRAM DEPENDS base PRIVATE nlohmann_json::nlohmann_json)\n",
    "src/page/page.h": "",
    "src/cli/CMakeLists.txt": "add_executable(pawl main.cpp)\n"
                              "target_link_libraries(pawl PRIVATE Pawl::page Pawl::gone CLI11::CLI11)\n",
    "src/cli/main.cpp": "#include <CLI/CLI.hpp>\n#include <page/page.h>\n"
                        "#include <pawl/base/vec.h>\n#include <pawl/record/record.h>\n",
    "include/pawl/math.h": "#include <array>\n",
    "include/pawl/model.h": "#include <pawl/math.h>\n#include <pawl/base/vec.h>\n"
                            '#include <fmt/format.h>\n#include "math.h"\n#include <pawl/gone.h>\n',
    "bench/step_bench.cpp": "#include <Eigen/Dense>\n",
    "tests/unit/model_test.cpp": "#include <Eigen/Dense>\n",
}
EXPECTED = {
    "links": [
        ("bench/step_bench.cpp:1", "Eigen/Dense"),
        ("include/pawl/model.h:5", "no header pawl/gone.h"),
        ("src/cli/CMakeLists.txt:2", "Pawl::gone"),
        ("src/cli/main.cpp:4", "src/cli does not link"),
        ("src/pawl/base/up.cpp:2", "src/pawl/base does not link"),
        ("src/pawl/loose/loose.h:1", "not the folder of a library"),
        ("src/pawl/model/CMakeLists.txt:3", "belongs to Pawl::core and links Qhull::qhull_r"),
        ("src/pawl/model/arm.cpp:3", "Eigen/Dense"),
        ("src/pawl/model/model.h:3", "no header pawl/absent/absent.h"),
        ("src/pawl/record/CMakeLists.txt:1", "(io) links src/page (program)"),
        ("src/pawl/record/record.cpp:3", "not the folder of a library"),
        ("src/pawl/step/CMakeLists.txt:1", "belongs to Pawl::core and links hdf5::hdf5"),
    ],
    "circles": [
        ("src/pawl/base/up.cpp:2", "circle of folders: src/pawl/base → src/pawl/model"),
        ("src/pawl/model/CMakeLists.txt:2", "circle of link lines: src/pawl/model → src/pawl/step"),
        ("src/pawl/model/arm.cpp:2", "circle of files: src/pawl/model/arm → src/pawl/model/tree"),
    ],
    "public": [
        ("include/pawl/model.h:2", "internal src/pawl/base/vec.h"),
        ("include/pawl/model.h:3", "fmt/format.h"),
        ("include/pawl/model.h:4", '"math.h"'),
        ("include/pawl/model.h:5", "no public header pawl/gone.h"),
    ],
}


def self_test():
    """The complaints about the wrong project are those expected, one for one."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        for name, text in WRONG_PROJECT.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        for group in GROUPS:
            found = violations(Project(root), [group])
            for place, words in EXPECTED[group]:
                matches = [violation for violation in found if violation.place == place and words in violation.message]
                if len(matches) != 1:
                    failures.append(f"{group}: {place}: … {words} …: found {len(matches)} times")
                found = [violation for violation in found if violation not in matches]
            failures += [f"{group}: not expected: {violation}" for violation in found]
    count = sum(len(expected) for expected in EXPECTED.values())
    print("\n".join(failures) or f"all {count} violations of the wrong project are found, and no others")
    return 1 if failures else 0


def main(arguments):
    if arguments == ["--self-test"]:
        return self_test()
    groups = arguments[1:] or GROUPS
    if not arguments or arguments[0].startswith("-") or not set(groups) <= set(GROUPS):
        sys.exit("usage: check_structure.py PROJECT_FOLDER [links] [circles] [public] | --self-test")
    project = Project(pathlib.Path(arguments[0]).resolve())
    found = violations(project, groups)
    fine = f"{len(project.libraries)} folders, {len(project.includes)} includes: no violation"
    print("\n".join(map(str, found)) or fine)
    return 1 if found or not project.libraries or not project.includes else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
