"""Laws of contacts: unit vectors, impulses that push, and friction impulses in their sets."""

import itertools

import numpy as np


def check(model, run, report):
    c = run.contacts
    if not len(c["at"]):
        return
    at, states = c["at"], len(run.time)

    def worst(values):
        out = np.zeros(states)
        np.maximum.at(out, at, np.where(np.isfinite(values), values, np.inf))
        return out

    n, t, p = c["normal"], c["tangent"], c["impulse"]
    report("normal length", worst(np.abs(np.linalg.norm(n, axis=1) - 1)), 1e-12)
    report("tangent length", worst(np.abs(np.linalg.norm(t, axis=1) - 1)), 1e-12)
    report("tangent angle", worst(np.abs(np.sum(n * t, 1))), 1e-12)
    scale = np.zeros(states)
    np.maximum.at(scale, at, np.abs(p[:, 0]))
    weight = sum(b.mass for b in model.moving) * (1 + np.linalg.norm(model.gravity)) * run.steps["step"].max()
    shapes = [(name, s) for name in run.bodies[1:] for s in model.bodies[name].shapes]
    wrong = np.zeros(len(at))
    for side in "ab":
        for i, (body, shape) in enumerate(zip(c["body_" + side], c["shape_" + side])):
            wrong[i] += not 0 <= shape < len(shapes) or run.bodies[body] != shapes[shape][0]
    report("body number", worst(wrong), 0.0)
    if wrong.any():
        return
    laws, excess, spin = {}, np.zeros(len(at)), np.zeros(len(at))
    for key in set(zip(c["shape_a"], c["shape_b"])):
        names = frozenset(material(model, shapes[s][1]) for s in key)
        if names not in laws:
            laws[names] = law(model, names)
        mu, friction_set = laws[names]
        mine = (c["shape_a"] == key[0]) & (c["shape_b"] == key[1])
        excess[mine], spin[mine] = beyond(p[mine], mu, friction_set, model.planar)
    # The impulses of a step act along its normals, but are recorded in one frame.
    frame = turn(model, run)
    size = np.zeros(states + 1)
    np.maximum.at(size, at, np.linalg.norm(p[:, :3], axis=1))
    # What the stages of a step cancel has the size of the impulses before and after.
    size = np.maximum(np.maximum(size, np.roll(size, 1)), np.roll(size, -1))[at]
    report("tension", worst(-p[:, 0] - frame * size), 1e-8 * scale + 1e-12 * weight)
    report("friction set", worst(excess - frame * size), 1e-7 * scale + 1e-12 * weight)
    report("friction set, spin", worst(spin), (1e-7 * scale + 1e-12 * weight) * model.size)


def turn(model, run):
    """A bound of the angle by which the normal of each contact turns in its step."""
    c, h = run.contacts, np.append(0.0, run.steps["step"])
    angle = np.zeros(len(c["at"]))
    for side in "ab":
        for number in set(c["body_" + side]):
            body = model.bodies.get(run.bodies[number])
            if body is not None and not body.fixed:
                mine = c["body_" + side] == number
                spin = np.linalg.norm(body.w, axis=1)
                spin = np.maximum(spin, np.append(spin[0], spin[:-1]))
                angle[mine] += (h * spin)[c["at"][mine]]
    # A contact that rolls or slides over a curved face turns with it.
    slip = np.linalg.norm(c["velocity"][:, 1:3], axis=1)
    return 2 * angle + 2 * h[c["at"]] * slip / model.thickness


def material(model, shape):
    return shape.spec.get("material", next(iter(model.scene["materials"])))


def law(model, names):
    """Coefficient and friction set of two materials."""
    materials = model.scene["materials"]
    first, second = (list(names) * 2)[:2]
    mu = np.sqrt(materials[first]["friction"] * materials[second]["friction"])
    friction_set = {"type": "planar"} if model.planar else {"type": "ellipsoid"}
    for pair in model.scene.get("pairs") or []:
        if frozenset(pair["between"]) == names:
            mu = pair.get("friction", mu)
            friction_set = pair.get("friction_set", friction_set)
    return mu, friction_set


def beyond(p, mu, friction_set, planar):
    """How far friction impulses are outside their set: along the tangents (N s), and about the normal (N m s)."""
    bound = mu * np.maximum(p[:, 0], 0.0)
    kind = friction_set["type"]
    et, eo, er = friction_set.get("e_t", 1.0), friction_set.get("e_o", 1.0), friction_set.get("e_r", 0.0)
    flat = np.hypot(p[:, 1] / et, p[:, 2] / eo)
    spin = np.abs(p[:, 3])
    if kind == "none":
        return np.hypot(p[:, 1], p[:, 2]), spin
    if kind == "planar" or planar:
        return np.maximum(np.abs(p[:, 1] / et) - bound, np.abs(p[:, 2])) * max(et, 1.0), spin
    if kind == "polyhedron":
        return polyhedron(p, bound, friction_set["directions"])
    if er == 0:
        return (flat - bound) * max(et, eo), spin
    if kind == "mixed":
        return (flat - bound) * max(et, eo), spin - er * bound
    return (np.sqrt(flat ** 2 + (spin / er) ** 2) - bound) * max(et, eo), 0 * spin


def polyhedron(p, bound, directions):
    if isinstance(directions, int):
        angles = 2 * np.pi * np.arange(directions) / directions
        points = np.stack([np.cos(angles), np.sin(angles)], 1)
    else:
        points = np.array(directions, float)
    dimension = points.shape[1]
    excess = np.full(len(p), -np.inf)
    # Every plane through as many vertices as it needs, with all others on one side, bounds the hull.
    for some in itertools.combinations(range(len(points)), dimension):
        edges = points[list(some[1:])] - points[some[0]]
        normal = np.array([edges[0][1], -edges[0][0]]) if dimension == 2 else np.cross(*edges)
        length = np.linalg.norm(normal)
        if length < 1e-12:
            continue
        normal = normal / length
        side = (points - points[some[0]]) @ normal
        for sign in (1, -1):
            if np.all(sign * side <= 1e-12):
                outward, offset = sign * normal, sign * normal @ points[some[0]]
                excess = np.maximum(excess, p[:, 1:1 + dimension] @ outward - bound * offset)
    return excess, np.abs(p[:, 3]) if dimension == 2 else 0 * excess
