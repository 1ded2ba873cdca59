"""Contact problems, friction sets, LCPs: made, solved and judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Sequence, Union

import numpy as np
from numpy.typing import NDArray

from . import _pawl
from ._pawl import ContactProblem, Lcp, LcpResidual, LcpSolution, MixedLcp, Residual, Solution

Solver = Callable[[ContactProblem], Any]


@dataclass(frozen=True)
class FrictionSet:
    """The impulses of friction that a contact allows: mu p_n times the hull of a set of directions.

    kind: ellipsoid (a disc, scaled by the radii), mixed (a disc in t and o, an interval in r), polyhedron (the convex
    hull of `directions`, which surround 0) or none. radii: e_t, e_o (no unit) and e_r (m). Any convex set can be given
    as a polyhedron."""

    mu: float = 0.0
    kind: str = "ellipsoid"
    radii: Sequence[float] = (1.0, 1.0, 1.0)
    directions: Sequence[Sequence[float]] = ()

    def _argument(self) -> tuple[str, float, list[float], list[list[float]]]:
        directions = [[float(x) for x in d] + [0.0] * (3 - len(d)) for d in self.directions]
        return self.kind, float(self.mu), [float(e) for e in self.radii], directions

    def support(self, u: Any) -> float:
        """max u . p over the set with p_n = 1: what friction dissipates at most at the slip velocity -u."""
        return float(_pawl._support(self._argument(), u))

    def project(self, p: Any, p_n: float) -> NDArray[Any]:
        """The point nearest to p, in units of the radii, of the set with this p_n."""
        return np.asarray(_pawl._project(self._argument(), p, p_n))


def _vector(values: Any, name: str, size: int | None = None) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiu" and array.size:
        raise TypeError(f"{name}: real numbers are needed")
    array = array.astype(float)
    if array.ndim != 1 or (size is not None and len(array) != size):
        raise ValueError(f"{name} has the shape {array.shape}; it must be ({'n' if size is None else size},)")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def _array(matrix: Any) -> Any:
    return matrix if hasattr(matrix, "tocsr") else np.asarray(matrix)


def _csr(matrix: Any, name: str, shape: tuple[int, int]) -> list[list[Any]]:
    """(row starts, columns, values) of a dense or scipy.sparse matrix."""
    if matrix.shape != shape:
        raise ValueError(f"{name} has the shape {matrix.shape}; it must be {shape}")
    if hasattr(matrix, "tocsr"):
        sparse = matrix.tocsr(copy=True)
        sparse.sum_duplicates()
        parts = sparse.indptr, sparse.indices, sparse.data
    else:
        rows, columns = np.nonzero(matrix)
        parts = np.searchsorted(rows, np.arange(shape[0] + 1)), columns, matrix[rows, columns]
    if np.asarray(parts[2]).dtype.kind not in "fiu":
        raise TypeError(f"{name}: real numbers are needed")
    if not np.isfinite(parts[2]).all():
        raise ValueError(f"{name} must be finite")
    return [part.tolist() for part in parts]


def contact_problem(W: Any = None, b: Any = None, mu: Any = (), *, M: Any = None, J: Any = None, v_free: Any = None,
                    shift: Any = None, zeta: Any = None, bilateral: Sequence[int] = ()) -> ContactProblem:
    """A contact problem u = W p + b from W and b, or from M, J and v_free: W = J inv(M) J^T, b = J v_free + shift.

    mu: friction of each contact: numbers, or FrictionSet. Each contact has the same number of rows: n; n and t; n, t
    and o; or n, t, o and r. The rows of contacts come first; `bilateral` lists the sizes of blocks of bilateral rows
    after them. Matrices are NumPy arrays or scipy.sparse."""
    sets = list(mu)
    numbers = _vector([s.mu if isinstance(s, FrictionSet) else s for s in sets], "mu")
    if (numbers < 0).any():
        raise ValueError("mu must not be negative")
    bilateral = [int(n) for n in bilateral]
    if any(n < 1 or n > 3 for n in bilateral):
        raise ValueError("a bilateral block has 1 to 3 rows")
    zeta = np.zeros(len(sets)) if zeta is None else _vector(zeta, "zeta", len(sets))
    if (W is None) == (M is None or J is None or v_free is None):
        raise TypeError("either W and b are needed, or M, J and v_free")
    matrix = _array(J if W is None else W)
    if len(matrix.shape) != 2:
        raise ValueError(f"{'J' if W is None else 'W'} has the shape {matrix.shape}; it must have two dimensions")
    rows = matrix.shape[0]
    contact_rows, rest = divmod(rows - sum(bilateral), max(len(sets), 1))
    if rest or (len(sets) and not 1 <= contact_rows <= 4):
        raise ValueError(f"{rows} rows do not fit {len(sets)} contacts and bilateral blocks {bilateral}")
    plain = "ellipsoid" if contact_rows > 1 else "none"
    friction = [(s if isinstance(s, FrictionSet) else FrictionSet(m, plain))._argument() for s, m in zip(sets, numbers)]
    if W is not None:
        b = _vector(b, "b", rows)
        return _pawl._delassus_problem(_csr(matrix, "W", (rows, rows)), b, friction, zeta, contact_rows, bilateral)
    v_free = _vector(v_free, "v_free")
    nv = len(v_free)
    shift = np.zeros(rows) if shift is None else _vector(shift, "shift", rows)
    J_rows = _csr(matrix, "J", (rows, nv))
    b = matrix @ v_free + shift
    return _pawl._primal_problem(_csr(_array(M), "M", (nv, nv)), J_rows, v_free, b, shift, friction, zeta, contact_rows,
                                 bilateral)


def lcp(M: Any, q: Any, free: Sequence[bool] | None = None) -> Union[Lcp, MixedLcp]:
    """The LCP 0 <= z _|_ M z + q >= 0; `free` (booleans) marks rows with w_i = 0 and z_i of any sign."""
    q = _vector(q, "q")
    M = np.asarray(M.toarray() if hasattr(M, "toarray") else M)
    if M.shape != (len(q), len(q)):
        raise ValueError(f"M has the shape {M.shape}; it must be {(len(q), len(q))}")
    if free is not None and len(free) != len(q):
        raise ValueError(f"free has {len(free)} entries; it must have {len(q)}")
    return _pawl._lcp(_vector(M.ravel(), "M"), q, None if free is None else [bool(f) for f in free])


def _check_problem(problem: Any) -> None:
    if not isinstance(problem, (ContactProblem, Lcp, MixedLcp)):
        raise TypeError(f"a ContactProblem, Lcp or MixedLcp is needed, not {type(problem).__name__}")


def solve(problem: Union[ContactProblem, Lcp, MixedLcp], method: Union[str, Solver] = "cascade",
          tolerance: float | None = None) -> Any:
    """Solves a ContactProblem (Solution: p, u) or an Lcp or MixedLcp (LcpSolution: z, w). The answer is judged.

    method: the name of a solver, or, for a ContactProblem, your own: a function of the problem that returns p."""
    _check_problem(problem)
    if tolerance is not None and not 0 < tolerance < 1:
        raise ValueError(f"tolerance is {tolerance}; it must be between 0 and 1")
    if callable(method):
        if not isinstance(problem, ContactProblem):
            raise TypeError("a solver of your own takes a ContactProblem; judge() takes anybody's z of an LCP")
        return _pawl._judged(problem, method(problem), tolerance)
    if not isinstance(problem, ContactProblem) and method != "cascade":
        raise ValueError(f"method is {method!r}; an LCP is solved by 'cascade' only")
    return _pawl._solve(problem, method, tolerance)


def judge(problem: Union[ContactProblem, Lcp, MixedLcp], answer: Any) -> Union[Residual, LcpResidual]:
    """The residual of anybody's answer: impulses p of a ContactProblem, or z of an Lcp or MixedLcp."""
    _check_problem(problem)
    return _pawl._judge(problem, answer)
