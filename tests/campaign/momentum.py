"""Momentum balances of groups of bodies that joints, springs and dampers connect, but not to the world."""

import numpy as np

import energy
from kinematics import apply


# Bodies that move by less than this part of their size in a second are at rest (1/s).
REST = 1e-2


def groups(model):
    """Sets of names of connected bodies without an outer force but gravity and contacts."""
    group = {b.name: {b.name} for b in model.moving}
    outside = set()

    def connect(a, b):
        for x, y in ((a, b), (b, a)):
            if x not in group and y in group:
                outside.add(y)
        if a in group and b in group and group[a] is not group[b]:
            joined = group[a] | group[b]
            for name in joined:
                group[name] = joined

    for b in model.moving:
        if not b.free:
            connect(b.name, b.parent)
    for joint in model.scene.get("joints") or []:
        connect(*joint["between"])
    for f in (model.scene.get("forces") or {}).values():
        if f["type"] == "wrench":
            outside.add(f["body"])
        else:
            connect(f["from"]["body"], f["to"]["body"])
    distinct = {id(g): g for g in group.values()}.values()
    return [g for g in distinct if not g & outside], not outside


def connection(model, group, step):
    """What connects the bodies of a group, for the name of the check."""
    if not all(model.bodies[n].free for n in group):
        return " of trees"
    if any(group & set(j["between"]) for j in model.scene.get("joints") or []):
        return " of joints"
    if energy.unresolved(model, np.array([step]))[0]:
        return " of stiff forces"
    return ""


def check(model, run, report):
    steps = len(run.time) - 1
    h = run.steps["step"][:steps]
    if len(h) != steps:
        return
    c = run.contacts
    o = np.cross(c["normal"], c["tangent"])
    p = c["impulse"][:, :1] * c["normal"] + c["impulse"][:, 1:2] * c["tangent"] + c["impulse"][:, 2:3] * o
    names = np.array(run.bodies)
    a, b = names[c["body_a"]], names[c["body_b"]]
    active = np.any(c["impulse"] != 0, axis=1)
    sets, isolated = groups(model)
    everything = {x.name for x in model.moving}
    if run.method != "pawl":
        sets = [g for g in sets if len(g) == 1]
    elif isolated and len(sets) > 1:
        sets = sets + [everything]
    for g in sets:
        bodies = [model.bodies[n] for n in sorted(g)]
        mass = sum(x.mass for x in bodies)
        P = sum(x.mass * x.u for x in bodies)
        in_a, in_b = np.isin(a, list(g)), np.isin(b, list(g))
        impulse, size = np.zeros((steps + 1, 3)), np.zeros(steps + 1)
        for inside, sign in ((in_a, 1), (in_b, -1)):
            np.add.at(impulse, c["at"][inside], sign * p[inside])
            np.add.at(size, c["at"][inside], np.linalg.norm(p[inside], axis=1))
        gravity = mass * np.outer(h, model.gravity)
        error = np.diff(P, axis=0) - gravity - impulse[1:]
        speed = sum(x.mass * (np.linalg.norm(x.u, axis=1) + REST * x.extent()) for x in bodies)
        terms = np.maximum(speed[1:], speed[:-1]) + np.linalg.norm(gravity, axis=1) + size[1:]
        what = ", ".join(sorted(g))
        kind = connection(model, g, run.step)
        error = np.append(0.0, np.linalg.norm(error, axis=1))
        # The reactions of joints and forces, which cancel here, are among the terms too.
        tolerance = 1e-12 if len(bodies) == 1 else 1e-11
        report("linear momentum" + kind, error, np.append(1.0, tolerance * terms), what)
        touched = np.zeros(steps + 1, bool)
        touched[c["at"][active & (in_a != in_b)]] = True
        if run.method != "pawl":
            continue
        # Bodies that are parted move without a velocity.
        parted = np.abs(np.diff(run.energy["stabilisation"])) > 0
        angular(bodies, mass, touched[1:] | parted, h, report, what, kind)
        if len(bodies) == 1:
            near = np.zeros(steps + 1, bool)
            near[c["at"][in_a | in_b]] = True
            ballistic(bodies[0], h, near[1:] | parted, report)


def angular(bodies, mass, touched, h, report, what, kind=""):
    """Angular momentum about the common centre of mass, in steps without a contact with others."""
    centre = sum(x.mass * x.c for x in bodies) / mass
    velocity = sum(x.mass * x.u for x in bodies) / mass
    L, terms = 0.0, 0.0
    for x in bodies:
        spin = apply(x.R, apply(x.inertia, apply(np.swapaxes(x.R, 1, 2), x.w)))
        r, u = x.c - centre, x.u - velocity
        L = L + spin + x.mass * np.cross(r, u)
        far, fast = np.linalg.norm(x.c, axis=1), np.linalg.norm(x.u, axis=1) + REST * x.extent()
        terms = terms + np.linalg.norm(spin, axis=1) + x.mass * np.linalg.norm(r, axis=1) * fast
        # Rounding of far positions, and of the spin of bodies that hardly turn.
        terms = terms + 1e-2 * x.mass * far * np.linalg.norm(u, axis=1) + np.trace(x.inertia) * fast / x.extent()
    error = np.where(touched, 0.0, np.linalg.norm(np.diff(L, axis=0), axis=1))
    limits = (1e-12 if len(bodies) == 1 else 1e-11) * np.maximum(terms[1:], terms[:-1])
    # Joints and contacts may be open by their tolerance; their impulses then act at two points.
    if len(bodies) > 1:
        for x in bodies:
            fast = np.linalg.norm(x.u, axis=1)
            limits = limits + 1e-8 * np.maximum(x.extent(), h * fast[1:]) * x.mass * \
                np.linalg.norm(np.diff(x.u, axis=0), axis=1)
    limits = np.append(1.0, limits)
    report("angular momentum" + kind, np.append(0.0, error), limits, what)


def ballistic(x, h, touched, report):
    """A body without contact moves by the mean of its velocities."""
    error = np.diff(x.c, axis=0) - h[:, None] * (x.u[1:] + x.u[:-1]) / 2
    terms = np.linalg.norm(x.c, axis=1) + np.append(0.0, h) * np.linalg.norm(x.u, axis=1)
    error = np.where(touched, 0.0, np.linalg.norm(error, axis=1))
    report("ballistic", np.append(0.0, error), np.append(1.0, 1e-12 * terms[1:]), x.name)
