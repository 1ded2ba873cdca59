"""Random parts of scenes: shapes, masses, poses, joints, materials and friction sets."""

import math

SPATIAL = ["sphere", "capsule", "box", "cylinder", "cone", "frustum", "ellipsoid", "hull"]
PLANAR = ["disc", "capsule", "box", "ellipse", "polygon"]


class Parts:
    """Holds the random numbers, the regime, the dimension and the length scale of one scene."""

    def __init__(self, r, wide):
        self.r, self.wide = r, wide
        self.planar = r.random() < 0.3
        self.n = 2 if self.planar else 3
        # Half the size of a typical body; the plain regime has bodies of 40 to 300 mm.
        self.scale = 10 ** r.uniform(-2.7, -0.5) if wide else r.uniform(0.04, 0.12)
        self.spread = 4.0 if wide else 1.6
        self.overlaps = wide and r.random() < 0.15
        self.pitch = 2.5 * self.scale * math.sqrt(self.spread) * (0.7 if self.overlaps else 1.0)
        self.typical_mass = 10 ** r.uniform(-2, 2) if wide else 8000 * self.scale ** 3 * 10 ** r.uniform(-0.7, 0)
        self.lift = 0.0

    def chance(self, p):
        return self.r.random() < p

    def number(self, x):
        return float(f"{x:.4g}")

    def word(self, spatial, planar):
        return planar if self.planar else spatial

    def scaled(self, v, s):
        return [s * x for x in v]

    def unit(self):
        while True:
            v = [self.r.gauss(0, 1) for _ in range(self.n)]
            length = math.sqrt(sum(x * x for x in v))
            if length > 0.1:
                return [x / length for x in v]

    def vector(self, size):
        return [self.number(self.r.uniform(-size, size)) for _ in range(self.n)]

    def speed(self):
        return 10 ** self.r.uniform(-1, 1.3) if self.wide else self.r.uniform(0, 2)

    def spin(self):
        return self.r.uniform(0, 100) if self.wide else self.r.uniform(0, 10)

    def mass(self):
        if self.wide:
            return self.number(min(1e3, max(1e-3, self.typical_mass * 10 ** self.r.uniform(-1.5, 1.5))))
        return self.number(self.typical_mass * 20 ** self.r.uniform(-0.5, 0.5))

    # Poses: rotations are quaternions, or angles in the plane --------------------------------------------

    def identity(self):
        return 0.0 if self.planar else [1.0, 0.0, 0.0, 0.0]

    def tilt(self, angle):
        if self.planar:
            return self.r.choice([-1, 1]) * angle
        heading = self.r.choice([0.0, math.pi / 2, self.r.uniform(0, 2 * math.pi)])
        s = math.sin(angle / 2)
        return [math.cos(angle / 2), s * math.cos(heading), s * math.sin(heading), 0.0]

    def random_rotation(self):
        if self.planar:
            return self.r.uniform(-3, 3)
        q = [self.r.gauss(0, 1) for _ in range(4)]
        length = math.sqrt(sum(x * x for x in q)) or 1.0
        return [x / length for x in q]

    def turned(self, rotation, v):
        if self.planar:
            c, s = math.cos(rotation), math.sin(rotation)
            return [c * v[0] - s * v[1], s * v[0] + c * v[1]]
        w, *u = rotation
        cross = lambda a, b: [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        t = [2 * x for x in cross(u, v)]
        return [x + w * y + z for x, y, z in zip(v, t, cross(u, t))]

    def pose(self, place, rotation):
        """Position and orientation keys: `place` is in the frame of the ground."""
        place = [o + x for o, x in zip(self.origin, self.turned(self.normal_frame, place))]
        out = {"position": place}
        if rotation != self.identity():
            out.update({"angle": rotation} if self.planar else {"orientation": {"quaternion": list(rotation)}})
        return out

    # Shapes ----------------------------------------------------------------------------------------------

    def shape(self, size):
        """A shape of about this half size, and the radius of a ball about its origin that contains it."""
        r, num = self.r, self.number
        kind = r.choice(PLANAR if self.planar else SPATIAL)
        a, b, c = (num(size * r.uniform(0.35, 1.0)) for _ in range(3))
        margin = num(0.1 * size * r.random()) if self.chance(0.2) else 0.0
        spec = {"type": kind}
        if kind in ("sphere", "disc"):
            spec["radius"], bound = a, a
        elif kind == "capsule":
            spec.update(radius=num(a / 2), length=b)
            bound = a / 2 + b / 2
        elif kind == "box":
            half = [a, b, c][:self.n]
            spec["size"] = [2 * x for x in half]
            bound = math.sqrt(sum(x * x for x in half))
        elif kind in ("ellipsoid", "ellipse"):
            spec["semi_axes"] = [a, b, c][:self.n]
            bound = max(spec["semi_axes"])
        elif kind in ("hull", "polygon"):
            points = [self.scaled(self.unit(), size * r.uniform(0.6, 1)) for _ in range(r.randint(self.n + 2, 10))]
            # The corners of a simplex, so that the points surely span a volume.
            corners = [[-0.5] * self.n] + [[0.9 if i == j else -0.3 for j in range(self.n)] for i in range(self.n)]
            points = [[num(x) for x in p] for p in points + [self.scaled(p, size) for p in corners]]
            spec["points"] = points
            bound = max(math.sqrt(sum(x * x for x in p)) for p in points)
        else:
            spec.update(radius=a, height=num(2 * b))
            top = num(c) if kind == "frustum" else a
            if kind == "frustum":
                spec["top_radius"] = top
            bound = math.hypot(max(a, top), b)
        if margin and kind not in ("sphere", "disc", "capsule"):
            spec["margin"] = margin
            bound += margin
        return spec, bound

    def flat_shape(self):
        """A shape with flat ends, upright, and half its height."""
        r, num = self.r, self.number
        a, half = num(self.scale * r.uniform(0.6, 1)), num(self.scale * r.uniform(0.25, 0.8))
        kind = r.choice(["box", "box", "polygon"] if self.planar else ["box", "box", "cylinder", "frustum", "hull"])
        if kind == "box":
            return {"type": "box", "size": [2 * a] * (self.n - 1) + [2 * half]}, half
        if kind == "polygon":
            return {"type": kind, "points": [[-a, -half], [a, -half], [0.7 * a, half], [-0.7 * a, half]]}, half
        if kind == "hull":
            ring = [(math.cos(i * math.pi / 3), math.sin(i * math.pi / 3)) for i in range(6)]
            return {"type": kind, "points": [[a * x, a * y, z] for z in (-half, half) for x, y in ring]}, half
        spec = {"type": kind, "radius": a, "height": 2 * half}
        if kind == "frustum":
            spec["top_radius"] = num(0.8 * a)
        return spec, half

    def with_material(self, spec):
        if len(self.out["materials"]) > 1:
            spec = dict(spec, material=self.r.choice(list(self.out["materials"])))
        return spec

    # Bodies ----------------------------------------------------------------------------------------------

    def add_body(self, name, place, parent=None):
        """A body in the ball of a cell: its shapes, mass and velocities, and a tree joint if it has a parent."""
        r = self.r
        count = 1 if self.chance(0.8) else r.randint(2, 3)
        shapes, bound = [], 0.0
        for _ in range(count):
            spec, radius = self.shape(self.scale * self.spread ** r.uniform(-0.5, 0.5) * (1 if count == 1 else 0.6))
            if count > 1:
                spec["position"] = self.vector(0.4 * self.scale)
                spec.update({"angle": self.number(r.uniform(-3, 3))} if self.planar else
                            {"orientation": {"rpy": [self.number(r.uniform(-3, 3)) for _ in range(3)]}})
            offset = math.sqrt(sum(x * x for x in spec.get("position", [0.0])))
            bound = max(bound, offset + radius)
            shapes.append(self.with_material(spec))
        # The ball must fit its cell.
        limit = 0.49 * self.pitch * (1.3 if self.overlaps else 1.0)
        if bound > limit:
            shapes = [self.shrunk(s, limit / bound) for s in shapes]
            bound = limit
        body = self.pose(place, self.random_rotation() if self.chance(0.7) else self.normal_frame)
        rounded = any("margin" in s for s in shapes)
        mass, style = self.mass(), r.random()
        if rounded or style < 0.4:
            a, b, c = (mass * bound ** 2 * r.uniform(0.04, 0.2) for _ in range(3))
            body.update(mass=mass, inertia=self.number(a + b) if self.planar else
                        [self.number(x) for x in (a + b, b + c, c + a)])
            if self.chance(0.3):
                body["center_of_mass"] = self.vector(0.2 * bound)
        elif style < 0.8:
            body["mass"] = mass
        else:
            density = mass / (bound ** self.n)
            shapes = [dict(s, density=self.number(density)) for s in shapes]
        body["shapes"] = shapes
        if parent is not None:
            body["joint"] = self.tree_joint(name, place, parent)
        elif self.chance(0.8):
            body["velocity"] = self.vector(self.speed() / math.sqrt(self.n))
            if self.chance(0.7):
                spin = self.number(r.choice([-1, 1]) * self.spin())
                body["angular_velocity"] = spin if self.planar else self.vector(abs(spin) / math.sqrt(3))
        self.bodies[name] = body

    def shrunk(self, spec, factor):
        out = dict(spec)
        for key in ("radius", "top_radius", "length", "height", "margin"):
            if key in out:
                out[key] = out[key] * factor
        for key in ("size", "semi_axes", "position"):
            if key in out:
                out[key] = self.scaled(out[key], factor)
        if "points" in out:
            out["points"] = [self.scaled(p, factor) for p in out["points"]]
        return out
