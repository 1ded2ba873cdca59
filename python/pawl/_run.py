"""Results of whole runs."""

from __future__ import annotations

import html
import os
import shutil
import subprocess
import tempfile
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Run:
    """A run: t [n], q [n, nq], v [n, nv] and energy (structured) by state; steps (structured) and certified by step."""

    def __init__(self, trajectory: Any) -> None:
        self._run = trajectory
        self.t, self.q, self.v = trajectory.time, trajectory.q, trajectory.v
        self.energy, self.steps = trajectory.energy, trajectory.steps
        self.certified = self.steps["status"] == 0
        self.reasons = trajectory.reasons  # why a step is not certified; empty if it is
        self.finished = trajectory.finished
        self.q_names, self.v_names, self.bodies = trajectory.q_names, trajectory.v_names, trajectory.bodies
        self.name, self.method, self.step = trajectory.name, trajectory.method, trajectory.step

    @property
    def worst_residual(self) -> float:
        """The largest natural map of all steps; 0 without steps."""
        return float(self.steps["natural_map"].max(initial=0))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """A coordinate or rate over time, by its name: run["ball1.z"]."""
        if name in self.q_names:
            return self.q[:, self.q_names.index(name)]
        if name in self.v_names:
            return self.v[:, self.v_names.index(name)]
        raise KeyError(f"there is no {name}; there are {', '.join([*self.q_names, *self.v_names])}")

    @property
    def joints(self) -> NDArray[Any]:
        """The forces in the joints, of the step before each state: a structured array [states, joints], as
        Simulation.joint_forces. No joints unless the run has record_forces."""
        return self._run.joints

    def contacts(self, i: int) -> NDArray[Any]:
        """The contacts of state i: a structured array."""
        n = len(self.t)
        if not -n <= i < n:
            raise IndexError(f"there is no state {i}: the run has {n}")
        return self._run.contacts(i % n)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Writes the run (.h5) for pawl view, report, plot and open()."""
        self._run.save(os.fspath(path))

    def dataframe(self) -> Any:
        """q, v and energies over time as a pandas DataFrame."""
        import pandas  # type: ignore
        columns = dict(zip([*self.q_names, *self.v_names], np.hstack([self.q, self.v]).T))
        columns |= {f"energy.{name}": self.energy[name] for name in self.energy.dtype.names}
        return pandas.DataFrame(columns, index=pandas.Index(self.t, name="t"))

    def __repr__(self) -> str:
        return (f"<pawl.Run {self.name}: {self.method}, {len(self.steps)} steps to t = {self.t[-1]:.6g} s, "
                f"{int(self.certified.sum())} certified, worst residual {self.worst_residual:.3g}>")

    def _repr_html_(self) -> str:
        """The page of `pawl report`, inline, where the program `pawl` is on the PATH; else the text."""
        program = shutil.which("pawl")
        if program and self._run.scene_text:
            with tempfile.TemporaryDirectory() as folder:
                run, page = os.path.join(folder, "run.h5"), os.path.join(folder, "run.html")
                self.save(run)
                if subprocess.run([program, "report", run, "-o", page], capture_output=True, check=False).returncode == 0:
                    with open(page, encoding="utf-8") as file:
                        return f'<iframe srcdoc="{html.escape(file.read())}" width="100%" height="600"></iframe>'
        return f"<pre>{html.escape(repr(self))}</pre>"


class Rollout:
    """Many runs: t [n, steps + 1], q [n, steps + 1, nq], v, status [n, steps] (0: certified), and states at the ends. A
    run whose step is refused stays where it is."""

    def __init__(self, t: NDArray[Any], q: NDArray[Any], v: NDArray[Any], status: NDArray[Any], states: list[Any]) -> None:
        self.t, self.q, self.v, self.status, self.states = t, q, v, status, states
        self.certified = status == 0

    def __repr__(self) -> str:
        n, steps = self.status.shape
        return f"<pawl.Rollout: {n} runs of {steps} steps, {self.certified.mean() if n and steps else 1:.1%} certified>"
