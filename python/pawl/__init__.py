"""Pawl simulates rigid bodies in hard contact, with friction, joints and impacts.

    import pawl
    run = pawl.simulate("four_balls.yaml", until=1.0, step=5e-3)
    run.q.shape, run.certified.all()

    sim = pawl.Simulation(pawl.load("four_balls.yaml"))
    while not sim.at_end:
        report = sim.step()

Names are those of the C++ headers and of scene files. Units are SI. docs/python.md has examples.
"""

import os as _os
from typing import Any as _Any, Callable as _Callable, Optional as _Optional, Sequence as _Sequence, Union as _Union

import numpy as _np

from ._pawl import (METHODS, ContactProblem, EnergyLedger, Error, ImpactOptions, Lcp, LcpResidual, LcpSolution, MixedLcp,
                    Model, Residual, RunOptions, Scene, SceneAttachment, SceneBody, SceneConstraintJoint, SceneDrive,
                    SceneError, SceneForce, SceneFrictionSet, SceneJoint, SceneMaterial, ScenePair, SceneShape, Signal,
                    Solution, StageTimes, State, StepReport, __version__, convex_hull_faces, read_problem)
from ._pawl import Simulation as _Simulation
from . import _pawl, _pickling
from ._analysis import AnalysedContact, AnalysedIsland, Analysis
from ._problem import FrictionSet, contact_problem, judge, lcp, solve
from ._run import Rollout, Run

__all__ = [
    "METHODS", "STATUSES", "CONTACT_STATES", "AnalysedContact", "AnalysedIsland", "Analysis", "ContactProblem",
    "EnergyLedger", "Error", "FrictionSet", "ImpactOptions", "Lcp", "LcpResidual", "LcpSolution", "MixedLcp", "Model",
    "Residual", "Rollout", "Run", "RunOptions", "Scene", "SceneAttachment", "SceneBody", "SceneConstraintJoint",
    "SceneDrive", "SceneError", "SceneForce", "SceneFrictionSet", "SceneJoint", "SceneMaterial", "ScenePair",
    "SceneShape", "Signal", "Simulation", "Solution", "StageTimes", "State", "StepReport", "__version__", "analyse",
    "contact_problem", "convex_hull_faces", "judge", "lcp", "load", "load_state", "loads", "open", "read_problem",
    "rollout", "save_state", "simulate", "solve"]

STATUSES = ("certified", "approximate", "refused", "no-solution")
CONTACT_STATES = ("separating", "sliding", "sticking")

_Path = _Union[str, "_os.PathLike[str]"]
_Source = _Union[Model, Scene, _Path]


def load(path: _Path, overrides: _Sequence[str] = (), package_path: _Sequence[_Path] = (), keyframe: str = "") -> Scene:
    """Reads a scene file (YAML) or a robot (.xml, .urdf). Each override is "path=value" and takes precedence.
    package_path: folders that hold the packages of a URDF file. keyframe: that of an MJCF file to start from, not the
    first one. Raises SceneError."""
    return _pawl._load(_os.fspath(path), list(overrides), [_os.fspath(folder) for folder in package_path],
                       keyframe)


def loads(text: str, file: str = "text", overrides: _Sequence[str] = ()) -> Scene:
    """Reads a scene from text; `file` is the name used in messages. Raises SceneError."""
    return _pawl._loads(text, file, list(overrides))


def _model(source: _Any) -> Model:
    if isinstance(source, Model):
        return source
    if isinstance(source, Scene):
        return source.compile()
    if isinstance(source, (str, _os.PathLike)):
        return load(source).compile()
    raise TypeError(f"a Model, a Scene or the path of a scene file is needed, not {type(source).__name__}")


def _options(model: Model, fields: dict[str, _Any]) -> RunOptions:
    options = model.run
    for name, value in fields.items():
        if not hasattr(RunOptions, name) or name.startswith("_"):
            names = ", ".join(n for n in vars(RunOptions) if not n.startswith("_"))
            raise TypeError(f"there is no run option {name}; there are {names}")
        if name in ("step", "until") and isinstance(value, str):
            value = _pawl._parse_duration(value)
        try:
            setattr(options, name, value)
        except TypeError:
            raise TypeError(f"{name} is {value!r}; it must be of the type of {getattr(options, name)!r}") from None
    if not _np.isfinite(options.until):
        raise ValueError(f"until is {options.until}; it must be finite")
    return options


class Simulation(_Simulation):
    __doc__ = (_Simulation.__doc__ or "") + """

    Simulation(model_or_scene, **options): options are those of RunOptions, as step=1e-3 or step="1ms". sim["arm.q"] is
    an entry of q, v or control by its name; sim["push"] = 2.0 sets an input."""

    def __init__(self, model: _Source, **options: _Any) -> None:
        compiled = _model(model)
        super().__init__(compiled, _options(compiled, options))

    def _place(self, name: str) -> tuple[str, int]:
        places = self.__dict__.get("_places")
        if places is None:
            model = self.model
            lists = {"q": model.q_names, "v": model.v_names, "control": model.control_names}
            places = {n: (array, i) for array, names in lists.items() for i, n in enumerate(names)}
            self.__dict__["_places"] = places
        if name not in places:
            raise KeyError(f"there is no {name}; there are {', '.join(places)}")
        return places[name]

    def __getitem__(self, name: str) -> float:
        array, i = self._place(name)
        return float(getattr(self, array)[i])

    def __setitem__(self, name: str, value: float) -> None:
        array, i = self._place(name)
        if array == "control":
            self.control[i] = value
        else:
            values = getattr(self, array).copy()
            values[i] = value
            setattr(self, array, values)

    def __copy__(self) -> "Simulation":
        made = type(self).__new__(type(self))
        _Simulation.__init__(made, self.model, self.options)
        made.restore(self.save())
        made.copy_inputs(self)
        return made

    def __deepcopy__(self, memo: dict[int, _Any]) -> "Simulation":
        return self.__copy__()

    def __reduce__(self) -> tuple[_Any, ...]:
        return _simulation, (type(self), self.model, self.options, self.save(), self.control.copy(), self._wrenches)


def _simulation(kind: _Any, model: Model, options: RunOptions, state: State, control: _Any, wrenches: _Any) -> Simulation:
    made = kind.__new__(kind)
    _Simulation.__init__(made, model, options)
    made.restore(state)
    made.control = control
    for wrench in wrenches:
        made.apply_wrench(*wrench)
    return made


def simulate(scene: _Source, callback: _Optional[_Callable[[Simulation], _Any]] = None, **options: _Any) -> Run:
    """Simulates a scene (a path, Scene or Model) and returns a Run. Options are those of RunOptions: until, step,
    method, tolerance, record_every, ... Ctrl-C raises KeyboardInterrupt.

    callback(sim) is called before each step: it may set sim.control, and returns False to end the run."""
    sim = Simulation(scene, **options)
    return Run(_pawl._simulate(sim, None if callback is None else lambda: callback(sim)))


def open(path: _Path) -> Run:
    """Reads a recorded run (.h5) as a Run."""
    return Run(_pawl._read_trajectory(_os.fspath(path)))


def save_state(path: _Path, state: State, model: _Source) -> None:
    """Writes a State to a file, for load_state() and `pawl run --from`."""
    _pawl._save_state(_os.fspath(path), state, _model(model))


def load_state(path: _Path, model: _Source) -> State:
    """Reads a State of a Model, Scene or scene file. Raises Error if the file is damaged or of another scene."""
    return _pawl._load_state(_os.fspath(path), _model(model))


def rollout(model: _Source, states: _Sequence[_Any], steps: int, controls: _Any = None,
            threads: _Optional[int] = None, **options: _Any) -> Rollout:
    """Runs from each of `states` (State, or pairs (q, v)) for `steps` steps, on threads. The bits do not depend on their
    number. controls: [runs, steps, inputs], or [steps, inputs] for all runs. Returns a Rollout."""
    compiled = _model(model)
    starts = [s if isinstance(s, State) else compiled.state(*s) for s in states]
    if controls is not None:
        controls = _np.asarray(controls, dtype=float)
        if controls.ndim == 2:
            controls = _np.broadcast_to(controls, (len(starts), *controls.shape))
    return Rollout(*_pawl._rollout(compiled, _options(compiled, options), starts, steps, controls,
                                   threads or _os.cpu_count() or 1))


def analyse(scene: _Union[_Source, Simulation], state: _Optional[State] = None, *,
            touching: _Optional[float] = None, velocity_tolerance: float = 1e-6) -> Analysis:
    """Forces and accelerations of a state with contacts: do they exist, are they unique, what are they?

    scene: a path, Scene or Model, whose start is analysed unless `state` is given; or a Simulation, as it stands.
    touching: largest gap of a contact, m; by default 1e-6 of the size of the smaller body. velocity_tolerance: slower
    relative motion counts as rest."""
    if isinstance(scene, _Simulation):
        model, state = scene.model, scene.save() if state is None else state
        step = scene.options.step
    else:
        model = _model(scene)
        state = model.state() if state is None else state
        step = model.run.step
    contacts, islands = _pawl._analyse(model, state, touching, velocity_tolerance, step if state.time > 0 else 0.0)
    return Analysis([AnalysedContact(**c) for c in contacts], [AnalysedIsland(**i) for i in islands])


_pickling.install()
for _kind in vars(_pawl).copy().values():
    if isinstance(_kind, type) and not _kind.__name__.startswith("_") and _kind is not _Simulation:
        _kind.__module__ = "pawl"
