"""Copies and pickles of scenes, models, problems: by their fields, which are their constructors' keywords."""

import copyreg
import os
import tempfile
from typing import Any, Callable

from . import _pawl


def _fields(kind: type) -> list[str]:
    return [name for name, member in vars(kind).items() if isinstance(member, property) and member.fset is not None]


def _make(kind: type, values: dict[str, Any]) -> Any:
    made = kind()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def _reduce_fields(thing: Any) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    kind = type(thing)
    return _make, (kind, {name: getattr(thing, name) for name in _fields(kind)})


def _show_fields(thing: Any) -> str:
    plain = type(thing)()
    values = ((name, getattr(thing, name)) for name in _fields(type(thing)))
    changed = [f"{name}={value!r}" for name, value in values if repr(value) != repr(getattr(plain, name))]
    return f"pawl.{type(thing).__name__}({', '.join(changed)})"


def _through_file(write: Callable[[str], None], ending: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "it" + ending)
        write(path)
        with open(path, "rb") as file:
            return file.read()


def _from_file(read: Callable[[str], Any], content: bytes, ending: str) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "it" + ending)
        with open(path, "wb") as file:
            file.write(content)
        return read(path)


def _read_problem(content: bytes) -> Any:
    return _from_file(_pawl.read_problem, content, ".json")


def _read_run(content: bytes) -> Any:
    return _from_file(_pawl._read_trajectory, content, ".h5")


def _compile(scene: Any) -> Any:
    return scene.compile()


def install() -> None:
    """Registers all of them."""
    parts = [kind for kind in vars(_pawl).values()
             if isinstance(kind, type) and (kind.__name__.startswith("Scene") or kind in
                                            (_pawl.Signal, _pawl.RunOptions, _pawl.ImpactOptions))
             and not issubclass(kind, Exception)]
    for kind in parts:
        copyreg.pickle(kind, _reduce_fields)
        if kind not in (_pawl.Scene, _pawl.SceneBody):
            setattr(kind, "__repr__", _show_fields)
    copyreg.pickle(_pawl.Model, lambda model: (_compile, (model.scene,)))
    copyreg.pickle(_pawl.ContactProblem,
                   lambda problem: (_read_problem, (_through_file(problem.write, ".json"),)))
    copyreg.pickle(_pawl._Trajectory, lambda run: (_read_run, (_through_file(run.save, ".h5"),)))
