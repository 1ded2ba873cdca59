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

import numpy as _np

from ._pawl import (METHODS, ContactProblem, EnergyLedger, Error, ImpactOptions, Lcp, LcpResidual, LcpSolution, MixedLcp,
                    Model, Residual, RunOptions, Scene, SceneAttachment, SceneBody, SceneConstraintJoint, SceneDrive,
                    SceneError, SceneForce, SceneFrictionSet, SceneJoint, SceneMaterial, ScenePair, SceneShape, Signal,
                    Solution, State, StepReport, __version__, convex_hull_faces, read_problem)
from ._pawl import Simulation as _Simulation
from . import _pawl
from ._run import Rollout, Run

STATUSES = ("certified", "approximate", "refused", "no-solution")
CONTACT_STATES = ("separating", "sliding", "sticking")


def load(path, overrides=(), package_path=(), keyframe=""):
    """Reads a scene file, or a robot (.xml, .urdf). Each override is "path=value" and takes precedence. package_path:
    folders that hold the packages of a URDF file. keyframe: that of an MJCF file to start from, not the first one. Raises
    SceneError."""
    return _pawl._load(_os.fspath(path), list(overrides), [_os.fspath(folder) for folder in package_path],
                       keyframe)


def loads(text, file="text", overrides=()):
    """Reads a scene from text; `file` is the name used in messages. Raises SceneError."""
    return _pawl._loads(text, file, list(overrides))


def _model(source):
    if isinstance(source, Model):
        return source
    if isinstance(source, Scene):
        return source.compile()
    if isinstance(source, (str, _os.PathLike)):
        return load(source).compile()
    raise TypeError(f"a Model, a Scene or the path of a scene file is needed, not {type(source).__name__}")


def _options(model, fields):
    options = model.run
    for name, value in fields.items():
        if not hasattr(RunOptions, name):
            raise TypeError(f"there is no run option {name}")
        setattr(options, name, value)
    if not _np.isfinite(options.until):
        raise ValueError(f"until is {options.until}; it must be finite")
    return options


class Simulation(_Simulation):
    __doc__ = _Simulation.__doc__ + """

    Simulation(model_or_scene, **options): options are those of RunOptions, as step=1e-3."""

    def __init__(self, model, **options):
        model = _model(model)
        super().__init__(model, _options(model, options))

    def __copy__(self):
        made = type(self).__new__(type(self))
        _Simulation.__init__(made, self.model, self.options)
        made.restore(self.save())
        made._copy_inputs(self)
        return made

    def __deepcopy__(self, memo):
        return self.__copy__()


def simulate(scene, **options):
    """Simulates a scene (a path, Scene or Model) and returns a Run. Options are those of RunOptions: until, step,
    method, tolerance, record_every, ... Ctrl-C raises KeyboardInterrupt."""
    model = _model(scene)
    return Run(_pawl._simulate(model, _options(model, options)))


def open(path):
    """Reads a recorded run (.h5) as a Run."""
    return Run(_pawl._read_trajectory(_os.fspath(path)))


def save_state(path, state, model):
    """Writes a State to a file, for load_state() and `pawl run --from`."""
    _pawl._save_state(_os.fspath(path), state, _model(model))


def load_state(path, model):
    """Reads a State of a Model, Scene or scene file. Raises Error if the file is damaged or of another scene."""
    return _pawl._load_state(_os.fspath(path), _model(model))


def rollout(model, states, steps, controls=None, threads=None, **options):
    """Runs from each of `states` (State, or pairs (q, v)) for `steps` steps, on threads. The bits do not depend on their
    number. controls: [runs, steps, inputs], or [steps, inputs] for all runs. Returns a Rollout."""
    model = _model(model)
    states = [s if isinstance(s, State) else model.state(*s) for s in states]
    if controls is not None:
        controls = _np.asarray(controls, dtype=float)
        if controls.ndim == 2:
            controls = _np.broadcast_to(controls, (len(states), *controls.shape))
    return Rollout(*_pawl._rollout(model, _options(model, options), states, steps, controls,
                                   threads or _os.cpu_count() or 1))


def _vector(values, name, size=None):
    array = _np.asarray(values)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"{name}: real numbers are needed")
    array = array.astype(float)
    if array.ndim != 1 or (size is not None and len(array) != size):
        raise ValueError(f"{name} has the shape {array.shape}; it must be ({'n' if size is None else size},)")
    if not _np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def _csr(matrix, name, shape):
    """(row starts, columns, values) of a dense or scipy.sparse matrix."""
    if matrix.shape != shape:
        raise ValueError(f"{name} has the shape {matrix.shape}; it must be {shape}")
    if hasattr(matrix, "tocsr"):
        sparse = matrix.tocsr(copy=True)
        sparse.sum_duplicates()
        parts = sparse.indptr, sparse.indices, sparse.data
    else:
        rows, columns = _np.nonzero(matrix)
        parts = _np.searchsorted(rows, _np.arange(shape[0] + 1)), columns, matrix[rows, columns]
    if _np.asarray(parts[2]).dtype.kind not in "fiu":
        raise TypeError(f"{name}: real numbers are needed")
    if not _np.isfinite(parts[2]).all():
        raise ValueError(f"{name} must be finite")
    return [part.tolist() for part in parts]


def contact_problem(W=None, b=None, mu=(), *, M=None, J=None, v_free=None, shift=None, zeta=None, bilateral=()):
    """A contact problem u = W p + b from W and b, or from M, J and v_free: W = J inv(M) J^T, b = J v_free + shift.

    mu: friction of each contact. Each contact has the same number of rows: n; n and t; n, t and o; or n, t, o and r. The
    rows of contacts come first; `bilateral` lists the sizes of blocks of bilateral rows after them. Matrices are NumPy
    arrays or scipy.sparse."""
    mu = _vector(mu, "mu")
    if (mu < 0).any():
        raise ValueError("mu must not be negative")
    bilateral = [int(n) for n in bilateral]
    if any(n < 1 or n > 3 for n in bilateral):
        raise ValueError("a bilateral block has 1 to 3 rows")
    zeta = _np.zeros(len(mu)) if zeta is None else _vector(zeta, "zeta", len(mu))
    given = lambda matrix: matrix if hasattr(matrix, "tocsr") else _np.asarray(matrix)
    if (W is None) == (M is None or J is None or v_free is None):
        raise TypeError("either W and b are needed, or M, J and v_free")
    rows = given(J if W is None else W).shape[0]
    contact_rows, rest = divmod(rows - sum(bilateral), max(len(mu), 1))
    if rest or (len(mu) and not 1 <= contact_rows <= 4):
        raise ValueError(f"{rows} rows do not fit {len(mu)} contacts and bilateral blocks {bilateral}")
    if W is not None:
        b = _vector(b, "b", rows)
        return _pawl._delassus_problem(_csr(given(W), "W", (rows, rows)), b, mu, zeta, contact_rows, bilateral)
    v_free = _vector(v_free, "v_free")
    nv = len(v_free)
    shift = _np.zeros(rows) if shift is None else _vector(shift, "shift", rows)
    J = given(J)
    J_rows = _csr(J, "J", (rows, nv))
    b = J @ v_free + shift
    return _pawl._primal_problem(_csr(given(M), "M", (nv, nv)), J_rows, v_free, b, shift, mu, zeta, contact_rows,
                                 bilateral)


def lcp(M, q, free=None):
    """The LCP 0 <= z _|_ M z + q >= 0; `free` (booleans) marks rows with w_i = 0 and z_i of any sign."""
    q = _vector(q, "q")
    M = _np.asarray(M.toarray() if hasattr(M, "toarray") else M)
    if M.shape != (len(q), len(q)):
        raise ValueError(f"M has the shape {M.shape}; it must be {(len(q), len(q))}")
    if free is not None and len(free) != len(q):
        raise ValueError(f"free has {len(free)} entries; it must have {len(q)}")
    return _pawl._lcp(_vector(M.ravel(), "M"), q, None if free is None else [bool(f) for f in free])


def solve(problem, method="cascade", tolerance=None):
    """Solves a ContactProblem (Solution: p, u) or an Lcp or MixedLcp (LcpSolution: z, w). The answer is judged."""
    return _pawl._solve(problem, method, tolerance)


def judge(problem, answer):
    """The residual of anybody's answer: impulses p of a ContactProblem, or z of an Lcp or MixedLcp."""
    return _pawl._judge(problem, answer)
