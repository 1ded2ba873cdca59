"""Forces and accelerations of a state, and whether they exist and are unique."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ._pawl import Residual


@dataclass(frozen=True)
class AnalysedContact:
    """A contact at an instant. Velocities are those of body_a relative to body_b in (n, t, o, r)."""

    body_a: str
    body_b: str
    gap: float  # m
    point: tuple[float, float, float]  # m, world
    normal: tuple[float, float, float]
    tangent: tuple[float, float, float]
    velocity: NDArray[Any]  # m/s, rad/s
    motion: str  # approaching, leaving, rolling or sliding
    kinked: bool  # the surface bends sharply here: its acceleration is not to be trusted
    island: int | None  # index into Analysis.islands; None if it carries no force


@dataclass(frozen=True)
class AnalysedIsland:
    """The contacts of one island: a = A c + b, forces c in N, accelerations a in m/s^2, by rows (n, t, o, r)."""

    contacts: list[int]  # indices into Analysis.contacts
    begin: list[int]  # first row of each contact
    A: NDArray[Any]
    b: NDArray[Any]
    status: str  # certified, approximate, refused, or no-solution: proven
    method: str
    residual: Residual
    exists: str  # yes, no or undecided
    unique_motion: str  # yes, no or undecided
    unique_forces: str  # yes, no or undecided
    forces: NDArray[Any]
    accelerations: NDArray[Any]
    then: list[str]  # breaks, keeps_rolling, starts_to_slide, keeps_sliding
    theorem_1: dict[str, Any]  # bounds of Theorem 1 of Trinkle, Tzitzouris and Pang 2001
    count: str  # of solutions: unknown, none, one, several_forces, several
    count_reason: str
    solutions: list[dict[str, Any]]


@dataclass(frozen=True)
class Analysis:
    """What pawl.analyse() found: the contacts of the state, and one entry for each island of bodies they connect."""

    contacts: list[AnalysedContact]
    islands: list[AnalysedIsland]

    @property
    def certified(self) -> bool:
        """True if each island has a certified solution, or a proof that there is none."""
        return all(island.status in ("certified", "no-solution") for island in self.islands)

    def __repr__(self) -> str:
        lines = [f"<pawl.Analysis: {len(self.contacts)} contacts, {len(self.islands)} islands"]
        lines += [f"  island {i}: exists: {each.exists}, unique motion: {each.unique_motion}, unique forces: "
                  f"{each.unique_forces}; {each.status}" for i, each in enumerate(self.islands)]
        return "\n".join(lines) + ">"
