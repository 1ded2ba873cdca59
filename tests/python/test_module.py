"""The module: lifetimes, bad input, copies, threads, interrupts."""

import copy
import gc
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings, strategies

import pawl

SCENES = pathlib.Path(os.environ["PAWL_SOURCE"]) / "scenes"
BALLS = SCENES / "papers" / "four_balls.yaml"

CART = """
pawl: 1
name: Cart
world: {gravity: [0, 0, -9.81]}
bodies:
  cart:
    joint: {type: prismatic, parent: world, axis: [1, 0, 0]}
    mass: 2
    inertia: 0.1
forces:
  push: {type: wrench, body: cart, force: [1, 0, 0]}
run: {step: 10ms, until: 1}
"""


@pytest.fixture
def balls():
    return pawl.load(BALLS).compile()


def bits(array):
    return np.ascontiguousarray(array).tobytes()


def test_step_gives_the_report_of_the_command_line_run(balls):
    sim = pawl.Simulation(balls)
    reports = []
    while not sim.at_end:
        reports.append(sim.step())
    assert len(reports) == 200 and all(r.certified for r in reports)
    assert max(r.residual.natural_map for r in reports) < 1e-8
    assert reports[-1].method == "stewart-trinkle" and reports[-1].reason == ""


def test_views_follow_the_simulation_and_outlive_it(balls):
    sim = pawl.Simulation(balls)
    q, start = sim.q, sim.q.copy()
    sim.step()
    assert (q != start).any() and bits(q) == bits(sim.q)
    last = q.copy()
    del sim, balls
    gc.collect()
    assert bits(q) == bits(last)


def test_views_are_read_only_and_assignment_sets_the_state(balls):
    sim = pawl.Simulation(balls)
    with pytest.raises(ValueError):
        sim.q[0] = 1
    q = sim.q.copy()
    q[0] = 0.25
    sim.q = q
    assert sim.q[0] == 0.25 and sim.save().q[0] == 0.25


@pytest.mark.parametrize("bad", [np.zeros(3), np.zeros((28, 1)), 1.0])
def test_wrong_shapes_are_refused(balls, bad):
    sim = pawl.Simulation(balls)
    with pytest.raises(ValueError, match="shape"):
        sim.q = bad


@pytest.mark.parametrize("bad", ["text", np.zeros(28, complex), [None] * 28, object()])
def test_wrong_types_are_refused(balls, bad):
    sim = pawl.Simulation(balls)
    with pytest.raises(TypeError):
        sim.q = bad


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_states_must_be_finite(balls, bad):
    sim = pawl.Simulation(balls)
    before = sim.q.copy()
    with pytest.raises(ValueError, match="finite"):
        sim.q = np.full(28, bad)
    assert bits(sim.q) == bits(before)


def test_scene_errors_have_file_line_column_and_field():
    with pytest.raises(pawl.SceneError) as caught:
        pawl.loads("pawl: 1\nbodies:\n  ball: {mass: -1}\n", file="bad.yaml")
    error = caught.value
    assert isinstance(error, pawl.Error)
    assert (error.file, error.line) == ("bad.yaml", 3) and error.column > 0
    assert "mass" in error.field and "-1" in error.reason and error.reason in str(error)


def test_a_missing_file_is_an_error():
    with pytest.raises(pawl.Error):
        pawl.load("/nowhere.yaml")


def test_scenes_are_built_and_changed_in_code():
    scene = pawl.Scene(name="drop", materials=[pawl.SceneMaterial(name="plain", friction=0.5)])
    scene.bodies.append(pawl.SceneBody(name="floor", joint=pawl.SceneJoint(kind="weld"),
                                       shapes=[pawl.SceneShape(kind="half-space", material="plain")]))
    ball = pawl.SceneBody(name="ball", position=(0, 0, 1),
                          shapes=[pawl.SceneShape(kind="sphere", radius=0.1, density=1000, material="plain")])
    scene.bodies.append(ball)
    ball.shapes[0].radius = 0.2
    scene.body("ball").position = np.array([0, 0, 0.5])
    run = pawl.simulate(scene, until=1, step=1e-2)
    assert run.certified.all() and run["ball.z"][-1] == pytest.approx(0.2, abs=1e-6)


def test_robots_are_scenes(tmp_path):
    (tmp_path / "share" / "arm").mkdir(parents=True)
    (tmp_path / "share" / "arm" / "t.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    robot = tmp_path / "arm.urdf"
    robot.write_text("""<robot name="arm"><link name="base"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1"/>
        </inertial><collision><geometry><mesh filename="package://arm/t.obj"/></geometry></collision></link></robot>""")
    with pytest.raises(pawl.SceneError, match="package 'arm' is not found"):
        pawl.load(robot)
    scene = pawl.load(robot, package_path=[tmp_path / "share"])
    assert scene.body("base").mass == 2 and len(scene.body("base").shapes[0].points) == 4
    assert scene.compile().nv == 6


def test_forces_are_read_and_wrenches_applied():
    scene = pawl.loads("""
pawl: 1
bodies:
  arm: {mass: 2, inertia: [0.1, 0.1, 0.1], center_of_mass: [0.5, 0, 0],
        joint: {type: revolute, anchor: [0, 0, 0], axis: [0, 1, 0], upper: 0}}
  ball: {mass: 3, position: [5, 0, 0.1], shapes: [{type: sphere, radius: 0.1, material: plain}]}
  floor: {joint: {type: weld}, shapes: [{type: half-space, material: plain}]}
no_collision: [[arm, floor]]
materials: {plain: {friction: 0.5}}
""")
    sim = pawl.Simulation(scene)
    assert np.isnan(sim.joint_forces["limit"]).all()
    sim.apply_wrench("ball", force=(0, 0, -10))
    sim.apply_wrench(1, torque=(0, 5, 0))
    for _ in range(10):
        assert sim.step().certified
    joint, = sim.joint_forces
    assert joint["limit"] == pytest.approx(-9.81 - 5, abs=1e-6)
    assert joint["force"] == pytest.approx([0, 0, 2 * 9.81], abs=1e-6)
    force, torque = sim.contact_wrench("ball", "floor")
    assert force == pytest.approx([0, 0, 3 * 9.81 + 10], abs=1e-6)
    for twin in (copy.copy(sim), pickle.loads(pickle.dumps(sim))):
        twin.step()
        assert twin.contact_wrench("ball")[0][2] == pytest.approx(3 * 9.81 + 10, abs=1e-6)
    sim.clear_wrenches()
    sim.step()
    assert sim.contact_wrench("ball")[0][2] == pytest.approx(3 * 9.81, abs=1e-6)
    with pytest.raises(KeyError, match="bal"):
        sim.contact_wrench("bal")
    with pytest.raises(pawl.Error, match="no body 99"):
        sim.apply_wrench(99)


def test_parts_of_a_scene_outlive_their_list():
    scene = pawl.load(BALLS)
    body = scene.bodies[1]
    scene.bodies.clear()
    del scene
    gc.collect()
    assert body.name == "ball1" and body.joint.kind == "free"


def test_unknown_fields_and_kinds_are_refused():
    with pytest.raises(TypeError, match="wheels"):
        pawl.SceneBody(wheels=4)
    with pytest.raises(ValueError, match="sphere"):
        pawl.SceneShape(kind="ball")
    with pytest.raises(TypeError, match="speed"):
        pawl.simulate(BALLS, speed=2)
    scene = pawl.load(BALLS)
    scene.bodies.append("ball")
    with pytest.raises(TypeError, match="SceneBody"):
        scene.compile()


@pytest.mark.parametrize("step", [0, -1, np.nan, np.inf])
def test_bad_steps_are_refused(balls, step):
    with pytest.raises(pawl.Error, match="step"):
        pawl.Simulation(balls, step=step)


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
@pytest.mark.parametrize("scene", [BALLS, SCENES / "bouncing_ball.yaml"])
def test_restored_states_continue_bit_for_bit(scene, through):
    sim = pawl.Simulation(pawl.load(scene))
    for _ in range(60):
        sim.step()
    other = pawl.Simulation(sim.model)
    other.restore(through(sim.save()))
    fork = copy.deepcopy(sim)
    for _ in range(60):
        sim.step(), other.step(), fork.step()
    assert bits(sim.q) == bits(other.q) == bits(fork.q) and bits(sim.v) == bits(other.v)


def test_state_files_continue_bit_for_bit(tmp_path):
    sim = pawl.Simulation(pawl.load(BALLS))
    for _ in range(60):
        sim.step()
    pawl.save_state(tmp_path / "state.json", sim.save(), sim.model)
    other = pawl.Simulation(pawl.load(BALLS))
    other.restore(pawl.load_state(tmp_path / "state.json", BALLS))
    for _ in range(60):
        sim.step(), other.step()
    assert bits(sim.q) == bits(other.q) and bits(sim.v) == bits(other.v)
    with pytest.raises(pawl.Error, match="another scene"):
        pawl.load_state(tmp_path / "state.json", SCENES / "pendulum.yaml")


def test_a_foreign_or_broken_state_is_refused(balls):
    other = pawl.load(SCENES / "pendulum.yaml").compile()
    with pytest.raises(pawl.Error):
        pawl.Simulation(balls).restore(other.state())
    blank = pawl.State.__new__(pawl.State)
    with pytest.raises((ValueError, TypeError, RuntimeError)):
        blank.__setstate__((0.0, [], []))


def test_control_scales_wrenches_and_nan_leaves_them_to_the_scene():
    model = pawl.loads(CART).compile()
    assert model.control_names == ["push"]
    speeds = []
    for factor in (np.nan, 0.0, -2.0):
        sim = pawl.Simulation(model)
        sim.control[0] = factor
        while not sim.at_end:
            sim.step()
        speeds.append(sim.v[0])
    assert speeds == pytest.approx([0.5, 0, -1], abs=1e-9)


def test_dynamics_fit_each_other():
    sim = pawl.Simulation(pawl.load(SCENES / "arm_wall.yaml"))
    M, v = sim.mass_matrix(), sim.v.copy()
    assert M.shape == (3, 3) and np.allclose(M, M.T) and (np.linalg.eigvalsh(M) > 0).all()
    assert sim.energy.kinetic == pytest.approx(0.5 * v @ M @ v, rel=1e-12)
    J = sim.jacobian("hand", (0.1, 0, 0))
    h, q = 1e-6, sim.q.copy()
    position = lambda: sim.pose("hand")[0] + sim.pose("hand")[1] @ (0.1, 0, 0)
    before = position()
    sim.q = q + h * v
    assert J[:3] @ v == pytest.approx((position() - before) / h, abs=1e-5)
    with pytest.raises(KeyError):
        sim.jacobian("foot")
    with pytest.raises(pawl.Error):
        sim.jacobian(99)


def test_bias_is_gravity_at_rest():
    sim = pawl.Simulation(pawl.loads(CART.replace("axis: [1, 0, 0]", "axis: [0, 0, 1]")))
    assert sim.bias() == pytest.approx([2 * 9.81])


def test_simulate_save_and_open_agree(tmp_path):
    run = pawl.simulate(BALLS)
    run.save(tmp_path / "run.h5")
    again = pawl.open(tmp_path / "run.h5")
    assert bits(run.q) == bits(again.q) and bits(run.t) == bits(again.t)
    assert (run.steps == again.steps).all() and (run.contacts(-1) == again.contacts(-1)).all()
    assert run.finished and again.finished and run.worst_residual < 1e-8
    assert run["ball1.x"][0] == 0 and run.dataframe()["energy.kinetic"].iloc[0] == run.energy["kinetic"][0]
    assert "200 certified" in repr(run) and "<" in run._repr_html_()


def test_opening_garbage_is_an_error(tmp_path):
    (tmp_path / "bad.h5").write_bytes(b"garbage")
    with pytest.raises(pawl.Error, match="bad.h5"):
        pawl.open(tmp_path / "bad.h5")


@pytest.mark.parametrize("scene", [BALLS, SCENES / "bouncing_ball.yaml", SCENES / "box_corner.yaml"])
def test_rollouts_have_the_same_bits_for_any_number_of_threads(scene):
    model = pawl.load(scene).compile()
    start = model.state()
    states = []
    for k in range(9):
        v = start.v.copy()
        v[0] += 0.1 * k
        states.append((start.q, v))
    runs = [pawl.rollout(model, states, 40, threads=n) for n in (1, 2, 4)]
    assert len({(bits(r.q), bits(r.v), bits(r.t), bits(r.status)) for r in runs}) == 1
    assert (runs[0].q[0] != runs[0].q[1]).any()
    sim = pawl.Simulation(model)
    sim.restore(model.state(*states[3]))
    while sim.time < runs[0].t[3, -1] - 1e-9:
        sim.step()
    assert bits(sim.q) == bits(runs[0].q[3, -1])


def test_rollout_controls_and_shapes():
    model = pawl.loads(CART).compile()
    controls = np.zeros((2, 100, 1))
    controls[1] = 3
    run = pawl.rollout(model, [model.state()] * 2, 100, controls=controls, threads=2)
    assert run.v[:, -1, 0] == pytest.approx([0, 1.5], abs=1e-9)
    for bad in (np.zeros((2, 99, 1)), np.zeros(3), np.zeros((100, 2))):
        with pytest.raises(ValueError, match="controls"):
            pawl.rollout(model, [model.state()] * 2, 100, controls=bad)
    with pytest.raises(ValueError):
        pawl.rollout(model, [], 1, threads=-1)
    assert pawl.rollout(model, [], 5).q.shape == (0, 6, 1)


def test_one_simulation_in_two_threads_is_refused_or_waits():
    sim = pawl.Simulation(pawl.load(SCENES / "brick_wall.yaml"))
    failures = []

    def work():
        for _ in range(20):
            try:
                sim.step()
            except RuntimeError as error:
                failures.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert np.isfinite(sim.q).all() and all("another thread" in f for f in failures)


@pytest.mark.parametrize("call", ["pawl.simulate({scene!r}, until=1e5)",
                                  "pawl.rollout({scene!r}, [pawl.load({scene!r}).compile().state()] * 4, 10**6)"])
def test_ctrl_c_interrupts_long_calls(call):
    code = "import pawl\nprint('go', flush=True)\n" + call.format(scene=str(BALLS))
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.readline()
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in errors


def random_problem(seed, contacts):
    rng = np.random.default_rng(seed)
    nv = 3 * contacts
    A = rng.normal(size=(nv, nv))
    M = A @ A.T + nv * np.eye(nv)
    J = rng.normal(size=(3 * contacts, nv))
    return M, J, rng.normal(size=nv), rng.uniform(0, 1, contacts)


@settings(max_examples=40, deadline=None)
@given(seed=strategies.integers(0, 10**6), contacts=strategies.integers(1, 5))
def test_solutions_are_certified_by_the_judge_in_every_form(seed, contacts):
    M, J, v, mu = random_problem(seed, contacts)
    W, b = J @ np.linalg.solve(M, J.T), J @ v
    problems = [pawl.contact_problem(M=M, J=J, v_free=v, mu=mu), pawl.contact_problem(W, b, mu),
                pawl.contact_problem(scipy.sparse.csr_matrix(W), b, mu)]
    for problem in problems:
        solution = pawl.solve(problem)
        assert solution.certified
        assert pawl.judge(problem, solution.p).within(1e-8)
        assert np.allclose(solution.u, W @ solution.p + b, atol=1e-9)
        assert not pawl.judge(problem, solution.p + 1).within(1e-8)


def test_bilateral_rows_hold():
    problem = pawl.contact_problem(np.eye(4), [-1.0, 0.5, 0, 2], [0.3], bilateral=[1])
    solution = pawl.solve(problem)
    assert solution.certified and abs(solution.u[3]) <= 2e-8  # the tolerance times |b|
    assert solution.p[:2] == pytest.approx([1, -0.3])


@pytest.mark.parametrize("arguments", [
    dict(W=np.eye(3), b=[0, 0], mu=[1]), dict(W=np.eye(4), b=np.zeros(4), mu=[1, 1, 1]),
    dict(W=np.full((3, 3), np.nan), b=np.zeros(3), mu=[1]), dict(W=np.eye(3), b=[np.inf, 0, 0], mu=[1]),
    dict(W=np.eye(3), b=np.zeros(3), mu=[-1]), dict(W=np.eye(3), b=np.zeros(3), mu=[np.nan]),
    dict(W=np.zeros((3, 3)), b=np.zeros(3), mu=[1]), dict(M=-np.eye(3), J=np.eye(3), v_free=np.zeros(3), mu=[1]),
    dict(M=np.triu(np.ones((3, 3))), J=np.eye(3), v_free=np.zeros(3), mu=[1]),
    dict(M=np.eye(2), J=np.eye(3), v_free=np.zeros(3), mu=[1])])
def test_bad_problems_are_refused(arguments):
    with pytest.raises(ValueError):
        pawl.contact_problem(**arguments)


def test_lcps_plain_mixed_and_without_solution():
    M, q = np.array([[2.0, 1], [1, 2]]), np.array([-5.0, -6])
    problem = pawl.lcp(M, q)
    solution = pawl.solve(problem)
    assert solution.certified and solution.z == pytest.approx([4 / 3, 7 / 3])
    assert pawl.judge(problem, solution.z).within(1e-12) and not pawl.judge(problem, [1.0, 1.0]).within(1e-3)
    mixed = pawl.solve(pawl.lcp(M, -q, [True, False]))
    assert mixed.certified and mixed.z == pytest.approx([-2.5, 0])
    assert pawl.solve(pawl.lcp([[-1.0]], [-1.0])).status == "no-solution"
    with pytest.raises(ValueError):
        pawl.lcp(M, [1.0])
    with pytest.raises(ValueError):
        pawl.judge(problem, [1.0])


def test_the_problem_of_a_step_outlives_its_simulation(tmp_path):
    sim = pawl.Simulation(pawl.load(BALLS))
    for _ in range(150):
        sim.step()
    problem = sim.problem()
    del sim
    gc.collect()
    solution = pawl.solve(problem)
    assert solution.certified
    problem.write(str(tmp_path / "p.json"))
    assert pawl.judge(pawl.read_problem(str(tmp_path / "p.json")), solution.p).within(1e-8)


def test_every_public_name_has_a_docstring():
    for name in dir(pawl):
        thing = getattr(pawl, name)
        if not name.startswith("_") and callable(thing):
            assert thing.__doc__, name


def test_until_and_the_time_of_a_state_must_be_finite(balls):
    with pytest.raises(ValueError, match="until"):
        pawl.simulate(balls, until=np.nan)
    state = pawl.State.__new__(pawl.State)
    start = balls.state()
    state.__setstate__((np.nan, start.q.tolist(), start.v.tolist(), []))
    with pytest.raises(ValueError, match="finite"):
        pawl.Simulation(balls).restore(state)
