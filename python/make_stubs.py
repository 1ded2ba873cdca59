"""make_stubs.py PACKAGE_FOLDER: writes _pawl.pyi, the types of the compiled module, from its docstrings, and py.typed."""

import inspect
import pathlib
import re
import sys

HEAD = '''"""The compiled part of pawl. Made by make_stubs.py."""

from typing import Any, Optional

from numpy.typing import NDArray

'''


def clean(text):
    """A type of a pybind11 signature as Python writes it."""
    text = re.sub(r"\bpawl\._pawl\.|\bpawl\.", "", text)
    text = re.sub(r"numpy\.ndarray(\[[^\]]*\])?", "NDArray[Any]", text)
    text = re.sub(r"\bnumpy\.dtype\b", "Any", text)
    text = re.sub(r"\b(List|Tuple|Dict|Set)\b", lambda m: m[1].lower(), text)
    text = re.sub(r"([\w\]])\[\d+\]", r"\1", text)  # the size of a std::array
    text = re.sub(r"\blist\b(?!\[)", "list[Any]", re.sub(r"\btuple\b(?!\[)", "tuple[Any, ...]", text))
    text = re.sub(r"\bobject\b|\bhandle\b|\bkwargs\b|\bstd::[\w:<>, ]+|\(anonymous namespace\)::\w+", "Any", text)
    return re.sub(r"= <[^>]*>|= \(?-?[\d.]+(, -?[\d.]+)*\)?|= (nan|inf|None|True|False|'[^']*')", "= ...", text)


def signature(name, function):
    """(arguments, result) of the first line of a docstring; anything if it has none."""
    first = (function.__doc__ or "").split("\n")[0]
    found = re.match(r"[\w.<>]*\((.*)\) -> (.*)$", first)
    if not found or "*args" in found[1]:
        return "self, *args: Any, **kwargs: Any", "Any"
    arguments = re.sub(r"\*\*Any", "**fields: Any", clean(found[1]))
    arguments = re.sub(r"\bself: [\w.]+", "self", arguments)
    return re.sub(r"\*\*kwargs", "**fields: Any", arguments), clean(found[2])


def summary(function):
    lines = (inspect.getdoc(function) or "").split("\n")
    lines = lines[1:] if lines and "->" in lines[0] else lines
    return " ".join(line.strip() for line in lines if line.strip())


def class_lines(kind):
    base = kind.__mro__[1]
    lines = [f"class {kind.__name__}" + (f"({base.__name__})" if issubclass(kind, Exception) else "") + ":"]
    if kind.__doc__:
        lines.append(f"    {inspect.getdoc(kind)!r}")
    for name, member in vars(kind).items():
        if isinstance(member, property):
            kind_read = signature(name, member.fget)[1]
            lines += ["    @property", f"    def {name}(self) -> {kind_read}:", f"        {summary(member)!r}"]
            if member.fset:
                lines += [f"    @{name}.setter", f"    def {name}(self, value: {given(member.fset, kind_read)}) -> None: ..."]
        elif name == "__init__":
            if "->" in (member.__doc__ or ""):
                lines.append(f"    def __init__({signature(name, member)[0]}) -> None: ...")
        elif callable(member) and (not name.startswith("_")):
            taken, made = signature(name, member)
            made = f"Optional[{made}]" if summary(member).endswith("or None.") else made
            lines += [f"    def {name}({taken}) -> {made}:", f"        {summary(member)!r}"]
        elif issubclass(kind, Exception) and not name.startswith("_"):
            lines.append(f"    {name}: {type(member).__name__}")
    if len(lines) == 1:
        lines.append("    ...")
    return lines


def given(setter, kind_read):
    """The type that a setter takes: conversions take more than the getter gives."""
    taken = signature("", setter)[0].split(": ", 1)
    kind = taken[1] if len(taken) == 2 else kind_read
    return "Any" if re.search(r"list|tuple|NDArray|Any", kind) else kind


def main(package):
    sys.path.insert(0, str(pathlib.Path(package).parent))
    import pawl._pawl as module  # noqa: the build's
    kinds = [thing for name, thing in vars(module).items() if isinstance(thing, type)]
    lines = []
    for kind in sorted(kinds, key=lambda k: (len(k.__mro__) if issubclass(k, Exception) else 0, k.__name__)):
        lines += class_lines(kind) + [""]
    for name, thing in sorted(vars(module).items()):
        if isinstance(thing, str) and (name == "__version__" or not name.startswith("_")):
            lines.append(f"{name}: str")
        elif isinstance(thing, list):
            lines.append(f"{name}: list[str]")
        elif inspect.isbuiltin(thing):
            taken, made = signature(name, thing)
            if name.startswith("_"):  # called by the package only
                taken, made = "*args: Any", "Any" if "Overloaded" in (thing.__doc__ or "") else made
            lines += [f"def {name}({taken}) -> {made}: ..."]
    pathlib.Path(package, "_pawl.pyi").write_text(HEAD + "\n".join(lines) + "\n")
    pathlib.Path(package, "py.typed").touch()


if __name__ == "__main__":
    main(sys.argv[1])
