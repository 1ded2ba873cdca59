"""Bodies of a scene and their motion from a trajectory: poses, velocities, masses, energies.

Written from docs/scene-format.md, docs/trajectory-format.md and docs/notation.md alone. In the reference
configuration every body is at its written pose. A joint is a displacement in world coordinates of that configuration,
which the displacement of the parent carries: X = D_parent J(q) X_reference.
"""

import numpy as np

from shapes import Shape, axis_rotation, rotation_of, rotation_of_quaternion, vector

Z = np.array([0.0, 0.0, 1.0])


def apply(matrices, vectors):
    """Products of matrices [..., 3, 3] and vectors [..., 3]."""
    return np.einsum("...ij,...j->...i", matrices, vectors)


class Body:
    """One body: reference pose R0, p0, mass, centre of mass `com` and `inertia` in its frame, and its shapes."""

    def __init__(self, name, spec, planar):
        self.name, self.spec, self.planar = name, spec, planar
        self.joint = dict(spec.get("joint") or {"type": "planar" if planar else "free"})
        self.type = self.joint["type"]
        self.parent = self.joint.get("parent", "world")
        self.p0 = vector(spec.get("position", [0, 0, 0]))
        if planar:
            self.R0 = axis_rotation(Z, np.array(spec.get("angle", np.radians(spec.get("angle_deg", 0.0)))))
        else:
            self.R0 = rotation_of(spec.get("orientation"))
        self.shapes = [Shape(s, planar) for s in spec.get("shapes", [])]
        self.mass, self.com, self.inertia = 0.0, np.zeros(3), np.zeros((3, 3))
        self.free = self.type in ("free", "planar")

    def weigh(self):
        """Mass properties as docs/scene-format.md defines them."""
        spec = self.spec
        if "inertia" in spec:
            self.mass, value = spec["mass"], np.array(spec["inertia"], float)
            self.inertia = value * np.eye(3) if value.ndim < 2 else value
            self.com = vector(spec.get("center_of_mass", [0, 0, 0]))
            return
        parts = [(s,) + s.mass_properties() for s in self.shapes if s.spec.get("density", 1) > 0]
        rho = [s.spec.get("density", 1.0) for s, *_ in parts]
        masses = np.array([r * v for r, (_, v, _, _) in zip(rho, parts)])
        scale = spec["mass"] / masses.sum() if "mass" in spec else 1.0
        centres = [s.p + s.R @ c for s, _, c, _ in parts]
        self.mass = scale * masses.sum()
        self.com = sum(m * c for m, c in zip(masses, centres)) / masses.sum()
        for r, m, c, (s, _, _, inertia) in zip(rho, masses, centres, parts):
            d = c - self.com
            self.inertia = self.inertia + scale * (r * s.R @ inertia @ s.R.T + m * (d @ d * np.eye(3) - np.outer(d, d)))


    def extent(self):
        """A length of the body."""
        return max([2 * s.radius for s in self.shapes] or [np.sqrt(np.trace(self.inertia) / self.mass)])

    def swallow(self, other):
        """Takes over the mass of a body welded to this one: the trajectory has their common centre of mass."""
        R = self.R0.T @ other.R0
        com = self.R0.T @ (other.p0 - self.p0) + R @ other.com
        total = self.mass + other.mass
        d = com - self.com
        reduced = self.mass * other.mass / total
        self.inertia = self.inertia + R @ other.inertia @ R.T + reduced * (d @ d * np.eye(3) - np.outer(d, d))
        self.com = (self.mass * self.com + other.mass * com) / total
        self.mass, other.mass, other.inertia = total, 0.0, np.zeros((3, 3))


class Model:
    """All bodies of a scene, parents before children, and which of them move."""

    def __init__(self, scene):
        world = scene.get("world") or {}
        self.scene, self.planar = scene, world.get("dimension") == "planar"
        self.gravity = vector(world.get("gravity", [0, -9.81] if self.planar else [0, 0, -9.81]))
        self.names = ["world"] + list(scene.get("bodies") or {})
        self.bodies = {n: Body(n, s or {}, self.planar) for n, s in (scene.get("bodies") or {}).items()}
        self.order, waiting = [], list(self.bodies.values())
        while waiting:
            ready = [b for b in waiting if b.parent == "world" or self.bodies[b.parent] in self.order]
            self.order += ready
            waiting = [b for b in waiting if b not in ready]
        for b in self.order:
            b.fixed = b.type == "weld" and (b.parent == "world" or self.bodies[b.parent].fixed)
            # The body that it is welded to, through all welds; fixed bodies stay their own.
            b.root = self.bodies[b.parent].root if b.type == "weld" and not b.fixed else b.name
            if not b.fixed:
                b.weigh()
        for b in reversed(self.order):
            if b.root != b.name:
                self.bodies[b.root].swallow(b)
        self.moving = [b for b in self.order if not b.fixed]
        self.thickness = min([s.thickness for b in self.moving for s in b.shapes] or [1.0])
        self.size = min([2 * s.radius for b in self.moving for s in b.shapes] or [1.0])

    def poses(self, q, v):
        """Adds R, p (of the body's frame), c, u (centre of mass and its velocity) and w [T, ...] to every body.

        q, v: dictionaries of columns [T] by name, as `ball.x`.
        """
        count = len(next(iter(q.values()))) if q else 1
        eye, zero = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
        for b in self.order:
            b.coordinate = q.get(b.name + ".q")
            if b.free:
                self.place_free(b, q, v, zero)
                continue
            up = self.bodies.get(b.parent)
            D, at = (eye, zero) if up is None else (up.D, up.d)
            c0 = b.p0 + b.R0 @ b.com
            frame = np.eye(3) if up is None else up.R0
            J, point, slide, turn, rate = displacement(b, q, v, count, c0, frame)
            # The displacement turns about `point` and slides: x -> J (x - point) + point + slide.
            b.D = D @ J
            b.R = b.D @ b.R0
            origin = apply(D, apply(J, np.broadcast_to(b.p0 - point, (count, 3))) + point + slide) + at
            anchor = apply(D, point + slide) + at
            b.p = origin
            b.d = origin - apply(b.D, np.broadcast_to(b.p0, (count, 3)))
            b.c = b.p + apply(b.R, np.broadcast_to(b.com, (count, 3)))
            wp = zero if up is None else up.w
            vp = zero if up is None else up.u + np.cross(up.w, anchor - up.c)
            b.w = wp + apply(D, turn)
            b.u = vp + apply(D, rate) + np.cross(b.w, b.c - anchor)

    def place_free(self, b, q, v, zero):
        n = b.name
        columns = [n + "." + a for a in "xyz"]
        b.c = np.stack([q.get(c, zero[:, 0]) for c in columns], 1)
        b.u = np.stack([v.get(n + ".v" + a, zero[:, 0]) for a in "xyz"], 1)
        if self.planar:
            b.R = axis_rotation(Z, q[n + ".theta"])
            b.w = np.stack([zero[:, 0], zero[:, 0], v[n + ".omega"]], 1)
        else:
            b.R = rotation_of_quaternion(np.stack([q[n + ".q" + a] for a in "wxyz"], 1))
            b.w = np.stack([v[n + ".w" + a] for a in "xyz"], 1)
        b.p = b.c - apply(b.R, np.broadcast_to(b.com, b.c.shape))
        b.D = b.R @ b.R0.T
        b.d = b.p - apply(b.D, np.broadcast_to(b.p0, b.c.shape))

    def kinetic(self):
        """Kinetic energy [T]."""
        total = 0.0
        for b in self.moving:
            w = apply(np.swapaxes(b.R, 1, 2), b.w)
            total = total + 0.5 * b.mass * np.sum(b.u ** 2, 1) + 0.5 * np.sum(w * apply(b.inertia, w), 1)
        return total

    def potential(self):
        """Potential energy [T] of gravity and springs."""
        total = 0.0
        for b in self.moving:
            total = total - b.mass * (b.c @ self.gravity)
        for f in (self.scene.get("forces") or {}).values():
            if f["type"] == "spring":
                length = np.linalg.norm(self.end(f["from"]) - self.end(f["to"]), axis=-1)
                total = total + 0.5 * f["stiffness"] * (length - f["rest_length"]) ** 2
        return total

    def end(self, end):
        """World positions [T, 3] of an end of a spring."""
        point = vector(end.get("point", [0, 0, 0]))
        if end["body"] == "world":
            return point[None]
        b = self.bodies[end["body"]]
        return b.p + apply(b.R, np.broadcast_to(point, b.p.shape))

    def point(self, name, reference):
        """World positions [T, 3] of a body's point that is given in the reference configuration."""
        if name == "world":
            return reference[None]
        b = self.bodies[name]
        local = b.R0.T @ (reference - b.p0)
        return b.p + apply(b.R, np.broadcast_to(local, b.p.shape))

    def direction(self, name, reference):
        """World directions [T, 3] of a body's unit direction that is given in the reference configuration."""
        reference = reference / np.linalg.norm(reference)
        if name == "world":
            return reference[None]
        b = self.bodies[name]
        return apply(b.R, np.broadcast_to(b.R0.T @ reference, b.p.shape))


def displacement(b, q, v, count, c0, frame):
    """Rotation J [T, 3, 3], the point it turns about, slide, angular and linear velocity [T, 3] of a tree joint."""
    n, j = b.name, b.joint
    eye, zero = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    point = vector(j["anchor"]) if "anchor" in j else c0
    axis = Z if "axis" not in j else vector(j["axis"]) / np.linalg.norm(vector(j["axis"]))
    if b.type == "weld":
        return eye, point, zero, zero, zero
    if b.type == "revolute":
        return axis_rotation(axis, q[n + ".q"]), point, zero, np.outer(v[n + ".v"], axis), zero
    if b.type == "prismatic":
        return eye, point, np.outer(q[n + ".q"], axis), zero, np.outer(v[n + ".v"], axis)
    if b.type == "cylindrical":
        return (axis_rotation(axis, q[n + ".turn"]), point, np.outer(q[n + ".slide"], axis),
                np.outer(v[n + ".turn_rate"], axis), np.outer(v[n + ".slide_rate"], axis))
    if b.type == "universal":
        second = vector(j["second_axis"]) / np.linalg.norm(vector(j["second_axis"]))
        first = axis_rotation(axis, q[n + ".q1"])
        turn = np.outer(v[n + ".v1"], axis) + v[n + ".v2"][:, None] * apply(first, second)
        return first @ axis_rotation(second, q[n + ".q2"]), point, zero, turn, zero
    # The coordinates of a ball joint are in the axes of the parent's frame.
    rotation = frame @ rotation_of_quaternion(np.stack([q[n + ".q" + a] for a in "wxyz"], 1)) @ frame.T
    return rotation, point, zero, np.stack([v[n + ".w" + a] for a in "xyz"], 1) @ frame.T, zero
