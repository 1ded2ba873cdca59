"""Overlaps of convex shapes from support functions, over all states of a run.

The depth of two shapes along a direction n from B to A is h_A(-n) + h_B(n). The overlap is its minimum over n, so any n
with a depth <= 0 proves that the shapes do not overlap.
"""

import numpy as np

import gjk
from kinematics import apply


class Pair:
    """Two shapes and their poses in all states [T]."""

    def __init__(self, body_a, shape_a, body_b, shape_b):
        self.a, self.b, self.planar = shape_a, shape_b, shape_a.planar
        self.Ra, self.ca = body_a.R @ shape_a.R, body_a.p + apply(body_a.R, np.broadcast_to(shape_a.p, body_a.p.shape))
        self.Rb, self.cb = body_b.R @ shape_b.R, body_b.p + apply(body_b.R, np.broadcast_to(shape_b.p, body_b.p.shape))
        self.between = self.cb - self.ca

    def depth(self, n, rows):
        """Depths [R, K] along unit directions n [R, K, 3] in the states `rows` [R]."""
        along = np.einsum("rki,ri->rk", n, self.between[rows])
        return (along + self.a.support(-np.einsum("rki,rij->rkj", n, self.Ra[rows]))
                + self.b.support(np.einsum("rki,rij->rkj", n, self.Rb[rows])))

    def difference(self, n, rows):
        """The point of A - B that is lowest along n [R, 3], its support point along -n."""
        low = apply(self.Ra[rows], self.a.support_point(-np.einsum("ri,rij->rj", n, self.Ra[rows])))
        high = apply(self.Rb[rows], self.b.support_point(np.einsum("ri,rij->rj", n, self.Rb[rows])))
        return low - high - self.between[rows]


def normalised(n, planar):
    if planar:
        n = n * [1, 1, 0]
    length = np.linalg.norm(n, axis=-1, keepdims=True)
    return np.where(length > 1e-12, n / np.maximum(length, 1e-300), [0.0, 1.0, 0.0])


def half_space_depth(body, shape, ground, plane):
    """Depth [T] of a shape below the surface of a half-space."""
    R, c = body.R @ shape.R, body.p + apply(body.R, np.broadcast_to(shape.p, body.p.shape))
    n = apply(ground.R, np.broadcast_to(plane.normal, ground.p.shape))
    n = np.broadcast_to(n, c.shape)
    local = -np.einsum("ti,tij->tj", n, np.broadcast_to(R, (len(c), 3, 3)))
    return plane.offset - np.sum(n * (c - ground.p), 1) + shape.support(local)


class Search:
    """Smallest depths found in every state, and their directions."""

    def __init__(self, pair, tolerance, normals):
        self.pair, self.tolerance = pair, tolerance
        states = len(pair.between)
        self.n = normalised(-pair.between, pair.planar)
        distance = np.linalg.norm(pair.between, axis=1)
        self.best = distance * 0 + np.inf
        apart = distance >= pair.a.radius + pair.b.radius
        self.best[apart] = 0.0
        self.attempt(self.n[:, None])
        self.attempt_normals(normals)
        faces_a, edges_a = pair.a.directions()
        faces_b, edges_b = pair.b.directions()
        self.attempt_local(faces_a, pair.Ra, -1)
        self.attempt_local(faces_b, pair.Rb, 1)
        for _ in range(2):
            self.approach(24)
            self.neighbours(states)
        self.edges(edges_a, edges_b)
        self.neighbours(states)
        self.exactly()
        self.refine()
        self.exactly(within=True)

    def open(self):
        return np.flatnonzero(self.best > self.tolerance)

    def take(self, rows, n, depth):
        k = np.argmin(depth, axis=1)
        best = depth[np.arange(len(rows)), k]
        better = best < self.best[rows]
        self.best[rows[better]] = best[better]
        self.n[rows[better]] = n[np.arange(len(rows)), k][better]
        return better

    def attempt(self, n, rows=None):
        """Tries directions n [T, K, 3] in all open states."""
        rows = self.open() if rows is None else rows
        if len(rows) and n.shape[1]:
            self.take(rows, n[rows], self.pair.depth(n[rows], rows))

    def attempt_normals(self, normals):
        """Tries the recorded contact normals: a list of (state, normal from B to A)."""
        for k in range(4):
            some = [x[k] for x in normals.values() if len(x) > k]
            rows = np.array([i for i, x in normals.items() if len(x) > k], int)
            if len(rows):
                n = normalised(np.array(some), self.pair.planar)[:, None]
                self.take(rows, n, self.pair.depth(n, rows))

    def attempt_local(self, directions, R, sign):
        """Tries directions fixed in a body with rotations R."""
        rows = self.open()
        if len(directions) and len(rows):
            n = sign * np.einsum("rij,kj->rki", R[rows], directions)
            self.take(rows, n, self.pair.depth(n, rows))

    def neighbours(self, states):
        """Tries the directions of the states before and after."""
        for _ in range(3):
            rows = self.open()
            if not len(rows):
                return
            n = np.stack([self.n[np.maximum(rows - 1, 0)], self.n[np.minimum(rows + 1, states - 1)]], 1)
            if not np.any(self.take(rows, n, self.pair.depth(n, rows))):
                return

    def approach(self, rounds):
        """Steps towards the point of A - B nearest to the origin, by exact line searches (Frank and Wolfe)."""
        rows = self.open()
        x = -self.pair.between[rows]
        for _ in range(rounds):
            if not len(rows):
                return
            n = normalised(x, self.pair.planar)
            self.take(rows, n[:, None], self.pair.depth(n[:, None], rows))
            d = self.pair.difference(n, rows) - x
            t = np.clip(-np.sum(x * d, 1) / np.maximum(np.sum(d * d, 1), 1e-300), 0, 1)
            x = x + t[:, None] * d
            keep = self.best[rows] > self.tolerance
            rows, x = rows[keep], x[keep]

    def edges(self, edges_a, edges_b):
        rows = self.open()
        if not len(edges_a) or not len(edges_b) or not len(rows):
            return
        ea = np.einsum("rij,kj->rki", self.pair.Ra[rows], edges_a)
        eb = np.einsum("rij,kj->rki", self.pair.Rb[rows], edges_b)
        n = np.cross(ea[:, :, None], eb[:, None]).reshape(len(rows), -1, 3)
        length = np.linalg.norm(n, axis=2, keepdims=True)
        n = np.where(length > 1e-6, n / np.maximum(length, 1e-300), self.n[rows][:, None])
        n = np.concatenate([n, -n], 1)
        self.take(rows, n, self.pair.depth(n, rows))

    def exactly(self, within=False):
        """GJK where the directions tried so far do not separate; `within`: once A is moved by the tolerance."""
        for row in self.open():
            if within or self.best[row] < 1e-2 * min(self.pair.a.radius, self.pair.b.radius):
                shift = self.tolerance * self.n[row] if within else np.zeros(3)
                n = gjk.separates(self.pair, row, shift)
                if n is not None:
                    self.n[row], self.best[row] = n, self.tolerance if within else 0.0
                    self.neighbours(len(self.best))

    def refine(self):
        """Local random search around the best direction, in cones that shrink where nothing better is found."""
        random = np.random.default_rng(1)
        rows = self.open()
        width = np.full(len(self.best), 0.3)
        for _ in range(250):
            rows = rows[(self.best[rows] > self.tolerance) & (width[rows] > 1e-9)]
            if not len(rows):
                return
            offsets = random.normal(size=(len(rows), 16, 3)) * width[rows][:, None, None]
            n = normalised(self.n[rows][:, None] + offsets, self.pair.planar)
            better = self.take(rows, n, self.pair.depth(n, rows))
            width[rows[~better]] *= 0.7


def may_touch(model):
    """Pairs of bodies that may touch, and the pairs excepted by docs/scene-format.md left out."""
    scene = model.scene
    wanted = {frozenset(p) for p in scene.get("collision") or []}
    never = {frozenset(p) for p in scene.get("no_collision") or []}
    joined = {frozenset(j["between"]) for j in scene.get("joints") or []
              if j["type"] != "coupling" and not j.get("collide", False)}
    root = {b.name: b.root for b in model.order}
    linked = {frozenset((b.root, root[b.parent])) for b in model.moving if b.parent in root and not b.free}
    linked |= {frozenset(root.get(n, n) for n in pair) for pair in joined}
    for i, a in enumerate(model.order):
        for b in model.order[:i]:
            names = frozenset((a.name, b.name))
            if (a.fixed and b.fixed) or a.root == b.root or names in never:
                continue
            if names in wanted or frozenset((a.root, b.root)) not in linked:
                yield b, a


def collides(s, t):
    everything = range(32)
    return (t.spec.get("group", 0) in s.spec.get("collides_with", everything)
            and s.spec.get("group", 0) in t.spec.get("collides_with", everything))


def overlaps(model, bodies, contacts):
    """Yields (name, size, depth [T]) of every pair of shapes that may touch, depth > 0 where they overlap.

    bodies: names by body number; shapes are counted in this order. contacts: recorded normals by (shape, shape) and
    state, n into the first shape. Surfaces other than half-spaces are left out.
    """
    number, count = {}, 0
    for name in bodies[1:]:
        for s in model.bodies[name].shapes:
            number[id(s)], count = count, count + 1
    for a, b in may_touch(model):
        for s in a.shapes:
            for t in b.shapes:
                if not collides(s, t) or (not s.convex and not t.convex):
                    continue
                size = 2 * min(x.radius for x in (s, t) if x.convex)
                name = f"{a.name}, {b.name}"
                if s.kind == "half-space":
                    yield name, size, half_space_depth(b, t, a, s)
                elif t.kind == "half-space":
                    yield name, size, half_space_depth(a, s, b, t)
                elif s.convex and t.convex:
                    normals = contacts.get((number[id(s)], number[id(t)]), {})
                    yield name, size, Search(Pair(a, s, b, t), 8e-7 * size, normals).best
