"""What a user of the module does beyond steps: analysis, solvers and friction sets of their own, names, pickles, types."""

import copy
import json
import os
import pathlib
import pickle
import shutil
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given, settings, strategies

import pawl

SOURCE, BUILD = pathlib.Path(os.environ["PAWL_SOURCE"]), pathlib.Path(os.environ["PAWL_BUILD"])
SCENES = SOURCE / "scenes"
BALLS = SCENES / "papers" / "four_balls.yaml"

CART = """
pawl: 1
bodies:
  cart: {mass: 2, inertia: 0.1, joint: {type: prismatic, parent: world, axis: [1, 0, 0]}}
forces:
  push: {type: wrench, body: cart, force: [1, 0, 0]}
run: {step: 10ms, until: 1}
"""


def bits(array):
    return np.ascontiguousarray(array).tobytes()


def test_analysis_of_a_unique_state():
    made = pawl.analyse(SCENES / "papers" / "spin_in_place.yaml")
    assert made.certified and made.contacts and made.islands
    island = made.islands[0]
    assert island.A.shape == (island.begin[-1],) * 2 and np.allclose(island.A, island.A.T)
    residual = island.A @ island.forces + island.b - island.accelerations
    assert abs(residual).max() < 1e-9
    assert "exists: yes" in repr(made)


def test_analysis_proves_that_painleves_rod_has_no_motion():
    made = pawl.analyse(SCENES / "painleve_rod.yaml")
    assert [(i.exists, i.status) for i in made.islands] == [("no", "no-solution")] and made.certified


def test_analysis_outlives_the_simulation_and_takes_its_state():
    sim = pawl.Simulation(BALLS)
    for _ in range(150):
        sim.step()
    made = pawl.analyse(sim)
    again = pawl.analyse(sim.model, sim.save())
    del sim
    assert made.contacts and made.contacts[0].body_a == again.contacts[0].body_a
    assert all(bits(a.A) == bits(b.A) for a, b in zip(made.islands, again.islands))


def test_analysis_refuses_bad_input():
    with pytest.raises(ValueError, match="touching"):
        pawl.analyse(BALLS, touching=-1)
    with pytest.raises(ValueError, match="another model"):
        pawl.analyse(BALLS, pawl.loads(CART).compile().state())
    with pytest.raises(TypeError):
        pawl.analyse(3)


def step_problem(steps=150):
    sim = pawl.Simulation(BALLS)
    for _ in range(steps):
        sim.step()
    return sim.problem()


def gauss_seidel(problem):
    """A plain projected Gauss-Seidel method with the friction sets of the problem."""
    W, b, begin, friction, zeta = problem.W, problem.b, problem.begin, problem.friction, problem.zeta
    p = np.zeros(problem.rows)
    for _ in range(2000):
        for c in range(problem.contacts):
            rows = slice(begin[c], begin[c + 1])
            r = 1 / np.trace(W[rows, rows])
            u = W[rows] @ p + b[rows]
            n = max(p[rows][0] - r * (u[0] + zeta[c]), 0)
            p[begin[c]] = n
            if begin[c + 1] - begin[c] > 1:
                p[begin[c] + 1:begin[c + 1]] = friction[c].project(p[rows][1:] - r * u[1:], n)
    return p


def test_own_solvers_are_judged():
    problem = step_problem()
    assert problem.contacts > 0
    solution = pawl.solve(problem, gauss_seidel)
    assert solution.certified and solution.residual.worst < 1e-8
    assert np.allclose(solution.u, problem.W @ solution.p + problem.b, atol=1e-12)
    bad = pawl.solve(problem, lambda p: np.zeros(p.rows))
    assert bad.status == "approximate" and bad.reason
    assert pawl.solve(problem, lambda p: np.full(p.rows, np.nan)).status == "refused"
    with pytest.raises(ValueError, match="shape"):
        pawl.solve(problem, lambda p: np.zeros(p.rows + 1))
    with pytest.raises(ZeroDivisionError):
        pawl.solve(problem, lambda p: 1 / 0)


def test_matrices_of_a_problem_fit_each_other():
    problem = step_problem()
    assert problem.primal
    M, J, W = problem.M, problem.J, problem.W
    assert np.allclose(W, J @ np.linalg.solve(M, J.T), rtol=1e-12, atol=1e-15)
    again = pawl.contact_problem(W, problem.b, problem.friction, zeta=problem.zeta)
    assert np.allclose(pawl.solve(again).u, pawl.solve(problem).u, atol=1e-7)
    with pytest.raises(ValueError, match="without M"):
        again.M


def test_own_friction_sets():
    triangle = pawl.FrictionSet(0.5, "polyhedron", directions=[(1, 0), (-0.5, 0.8), (-0.5, -0.8)])
    problem = pawl.contact_problem(np.eye(3), [-1.0, -2.0, 0.0], [triangle])
    solution = pawl.solve(problem)
    assert solution.certified and solution.p == pytest.approx([1, 0.5, 0])
    assert problem.friction[0].kind == "polyhedron" and problem.friction[0].support([1, 0]) == 0.5
    narrow = pawl.FrictionSet(1, radii=(1, 0.5, 1))
    assert pawl.solve(pawl.contact_problem(np.eye(3), [-1.0, 0.0, -9.0], [narrow])).p == pytest.approx([1, 0, 0.5])
    assert np.allclose(narrow.project([0, 9], 2), [0, 1])


@pytest.mark.parametrize("bad", [dict(kind="star"), dict(kind="polyhedron"), dict(radii=(1, 0, 1)), dict(mu=np.nan),
                                 dict(kind="polyhedron", directions=[(1, 0), (0, 1)]), dict(kind="mixed"),
                                 dict(kind="polyhedron", directions=[(1, 0), (-1, 0)])])
def test_bad_friction_sets_are_refused(bad):
    with pytest.raises(ValueError):
        pawl.contact_problem(np.eye(3), [-1.0, 0, 0], [pawl.FrictionSet(**{"mu": 0.5, **bad})])


@settings(max_examples=60, deadline=None)
@given(strategies.lists(strategies.floats(-5, 5), min_size=2, max_size=2), strategies.floats(0, 3))
def test_projections_are_nearest_points(x, p_n):
    for friction in (pawl.FrictionSet(0.7), pawl.FrictionSet(0.7, "polyhedron", directions=[(1, 0), (0, 1), (-1, -1)])):
        inside = friction.project(x, p_n)
        assert np.allclose(friction.project(inside, p_n), inside, atol=1e-12)
        for angle in np.linspace(0, 6, 7):  # the supporting half-space: (x - inside) . (y - inside) <= 0
            d = np.array([np.cos(angle), np.sin(angle)])
            assert d @ inside <= p_n * friction.support(d) + 1e-9
        outward = np.array(x) - inside
        assert outward @ inside >= p_n * friction.support(outward) - 1e-9


def test_entries_by_name():
    sim = pawl.Simulation(pawl.loads(CART))
    assert sim["cart.q"] == 0 and np.isnan(sim["push"])
    sim["push"] = 4
    sim["cart.v"] = 0.5
    sim.step()
    assert sim["cart.v"] == pytest.approx(0.52) and sim.control[0] == 4
    with pytest.raises(KeyError, match="cart.q"):
        sim["wheel"]
    with pytest.raises(ValueError, match="finite"):
        sim["cart.q"] = np.inf
    with pytest.raises(KeyError, match="cart.q"):
        pawl.simulate(pawl.loads(CART))["wheel"]


def test_durations_as_in_scenes():
    assert pawl.Simulation(pawl.loads(CART), step="5ms", until="2s").options.step == 0.005
    with pytest.raises(TypeError, match="method is 3"):
        pawl.simulate(BALLS, method=3)
    with pytest.raises(ValueError):
        pawl.simulate(BALLS, step="5 parsecs")


def test_callbacks_control_and_end_a_run():
    times = []

    def hold(sim):
        times.append(sim.time)
        sim["push"] = 20 * (0.3 - sim["cart.q"]) - 10 * sim["cart.v"]
        return sim.time < 4

    run = pawl.simulate(pawl.loads(CART), hold, until=5)
    assert abs(run["cart.q"][-1] - 0.3) < 1e-3 and run.t[-1] == pytest.approx(4) and not run.finished
    assert times[0] == 0 and len(times) == len(run.steps) + 1
    with pytest.raises(ZeroDivisionError):
        pawl.simulate(pawl.loads(CART), lambda sim: 1 / 0)


def test_a_run_with_a_callback_has_the_bits_of_one_without():
    assert bits(pawl.simulate(BALLS).q) == bits(pawl.simulate(BALLS, lambda sim: None).q)


@pytest.mark.parametrize("through", [copy.deepcopy, copy.copy, lambda x: pickle.loads(pickle.dumps(x))])
@pytest.mark.parametrize("scene", [BALLS, SCENES / "peg_in_mesh.yaml", SCENES / "arm_wall.yaml", SCENES / "slider.yaml",
                                   SCENES / "papers" / "grasp.yaml", SCENES / "parts_feeder.yaml"])
def test_copies_of_scenes_models_and_simulations_run_with_the_same_bits(scene, through):
    loaded = pawl.load(scene)
    plain = pawl.Simulation(loaded)
    others = [pawl.Simulation(through(loaded)), pawl.Simulation(through(plain.model)), through(plain)]
    assert through(loaded).text == loaded.text and through(loaded).file == loaded.file
    for sim in [plain, *others]:
        for _ in range(10):
            sim.step()
    assert len({bits(sim.q) + bits(sim.v) for sim in [plain, *others]}) == 1


def test_changing_a_deep_copy_leaves_the_scene_alone():
    scene = pawl.load(BALLS)
    other = copy.deepcopy(scene)
    other.body("ball1").shapes[0].radius *= 2
    assert scene.body("ball1").shapes[0].radius != other.body("ball1").shapes[0].radius


@pytest.mark.parametrize("scene", ["arm_wall.yaml", "slider_crank.yaml", "papers/grasp.yaml", "box_corner.yaml"])
def test_models_with_joints_and_motors_are_simulated_as_by_the_program(scene, tmp_path):
    run = pawl.simulate(SCENES / scene, until=0.05)
    told = subprocess.run([BUILD / "src/cli/pawl", "run", SCENES / scene, "--until", "0.05", "--quiet", "-o",
                           tmp_path / "run.h5"], check=False)
    assert told.returncode in (0, 1)
    assert bits(run.q) == bits(pawl.open(tmp_path / "run.h5").q)
    run.save(tmp_path / "again.h5")
    infos = [json.loads(subprocess.run([BUILD / "src/cli/pawl", "info", "--json", tmp_path / f], check=True,
                                       capture_output=True).stdout) for f in ("run.h5", "again.h5")]
    assert infos[0]["worst_gap_violation"] == infos[1]["worst_gap_violation"]


def test_runs_and_problems_are_pickled():
    run = pawl.simulate(BALLS, until=0.5)
    again = pickle.loads(pickle.dumps(run))
    assert bits(again.q) == bits(run.q) and (again.contacts(-1) == run.contacts(-1)).all() and again.name == run.name
    problem = step_problem()
    assert bits(pickle.loads(pickle.dumps(problem)).b) == bits(problem.b)


def test_every_bound_field_survives_a_pickle():
    for name in dir(pawl):
        kind = getattr(pawl, name)
        if isinstance(kind, type) and name.startswith("Scene") and not issubclass(kind, Exception):
            assert repr(pickle.loads(pickle.dumps(kind()))) == repr(kind())
    shape = pawl.SceneShape(kind="box", size=(1, 2, 3), density=5)
    assert repr(shape) == "pawl.SceneShape(size=(1.0, 2.0, 3.0), density=5.0, kind='box')"


def test_every_property_is_documented():
    bare = [f"{name}.{field}" for name in pawl.__all__ if isinstance(kind := getattr(pawl, name), type)
            for field, member in vars(kind).items()
            if isinstance(member, property) and not field.startswith("_") and not (member.__doc__ or "").strip()]
    assert bare == []


@pytest.mark.parametrize("call", [lambda: pawl.solve(1), lambda: pawl.judge("x", [1]), lambda: pawl.contact_problem(),
                                  lambda: pawl.solve(pawl.lcp([[1.0]], [1.0]), gauss_seidel)])
def test_wrong_kinds_are_type_errors(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.parametrize("call", [lambda: pawl.contact_problem(np.ones(3), [1, 2, 3], [0.1]),
                                  lambda: pawl.solve(pawl.contact_problem(np.eye(1), [1.0], [0.0]), tolerance=-1),
                                  lambda: pawl.solve(pawl.lcp([[1.0]], [1.0]), "newton")])
def test_wrong_values_are_value_errors(call):
    with pytest.raises(ValueError):
        call()


@settings(max_examples=25, deadline=None)
@given(strategies.one_of(strategies.floats(allow_nan=True, allow_infinity=True), strategies.text(max_size=3),
                         strategies.lists(strategies.floats(allow_nan=True), max_size=4), strategies.none()))
def test_whatever_is_assigned_to_the_state_it_stays_finite(value):
    sim = pawl.Simulation(pawl.loads(CART))
    for name in ("q", "v", "control", "time"):
        try:
            setattr(sim, name, value)
        except (ValueError, TypeError, RuntimeError):
            pass
    assert np.isfinite(sim.q).all() and np.isfinite(sim.v).all() and np.isfinite(sim.time)


def test_many_threads_with_a_simulation_each_have_the_bits_of_one():
    ends = []

    def work():
        sim = pawl.Simulation(BALLS)
        for _ in range(100):
            sim.step()
        ends.append(bits(sim.q))

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert len(ends) == 4 and len(set(ends)) == 1


GOOD = """
from typing import Any
import numpy as np
import pawl
sim = pawl.Simulation(pawl.load("a.yaml"), step="5ms")
ok: bool = sim.step().certified
x: float = sim["cart.q"]
t: np.ndarray[Any, Any] = pawl.simulate("a.yaml", until=1.0).t
w: np.ndarray[Any, Any] = pawl.contact_problem(np.eye(3), [1, 2, 3], [0.3]).W
sim.model.scene.body("cart").mass = 2.0
"""


@pytest.mark.skipif(shutil.which("mypy") is None, reason="mypy is not installed")
@pytest.mark.parametrize("code, fault", ids=("right", "no such member", "wrong type"), argvalues=[
    (GOOD, ""), ("import pawl\npawl.Simulation('a').stp()\n", 'has no attribute "stp"'),
    ("import pawl\nx: int = pawl.Simulation('a').step().reason\n", "Incompatible types in assignment")])
def test_types_are_known_to_mypy(tmp_path, code, fault):
    (tmp_path / "user.py").write_text(code)
    environment = {**os.environ, "MYPYPATH": str(BUILD / "python")}
    environment.pop("PYTHONPATH", None)
    told = subprocess.run(["mypy", "--strict", "--no-warn-return-any", "--no-incremental", "--cache-dir", os.devnull,
                           "user.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    errors = [line for line in told.stdout.splitlines() if ": error:" in line]
    assert len(errors) == (1 if fault else 0) and fault in "".join(errors), told.stdout


def test_ctrl_c_ends_a_run_with_a_callback():
    code = ("import pawl, os, signal\ncount = [0]\n"
            "def call(sim):\n    count[0] += 1\n    if count[0] == 50: os.kill(os.getpid(), signal.SIGINT)\n"
            f"try: pawl.simulate({str(BALLS)!r}, call, until=1e4)\nexcept KeyboardInterrupt: print('ended')\n")
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert told.stdout == "ended\n"
