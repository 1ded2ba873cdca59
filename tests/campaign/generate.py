"""Random scenes over what a scene file can say. Scene k of a seed and a regime is always the same."""

import math
import random

from joinery import Joinery

STEPS = {"plain": (1e-3, 1e-2), "wide": (1e-4, 2e-2)}


def scene(seed, regime, k, steps=200, shift=0.0):
    """A scene as a dictionary, ready for yaml.dump; `shift` moves all of it along x."""
    return Generator(random.Random(f"pawl/{seed}/{regime}/{k}"), regime == "wide").make(steps, shift)


class Generator(Joinery):
    """Lays bodies out in cells of a grid, joins some of them, and adds forces, materials and options."""

    def make(self, steps, shift):
        r = self.r
        kind = r.choices(["heap", "stack", "chain", "loop", "flight"], [5, 2, 3, 3, 2])[0]
        weightless = kind == "flight" or self.chance(0.08)
        self.normal_frame = self.identity()
        self.origin = [0.0] * self.n
        if self.wide and self.chance(0.15):
            self.origin = self.scaled(self.unit(), 1000.0)
        self.origin[0] += shift
        gravity = [0.0] * (self.n - 1) + [0.0 if weightless else -9.81]
        self.out = {"pawl": 1, "world": {"dimension": "planar" if self.planar else "spatial", "gravity": gravity}}
        self.make_materials()
        self.bodies, self.joints, self.forces = {}, [], {}
        if kind != "flight":
            self.make_ground(kind)
        getattr(self, kind)(r.randint(1, 8) if not self.wide or self.chance(0.8) else r.randint(8, 20))
        if self.chance(0.35):
            self.add_forces()
        self.finish(kind, steps)
        return self.out

    def finish(self, kind, steps):
        r = self.r
        self.out["bodies"] = self.bodies
        if self.joints:
            self.out["joints"] = self.joints
        if self.forces:
            self.out["forces"] = self.forces
        moving = [n for n in self.bodies if n.startswith("b")]
        if len(moving) > 2 and self.chance(0.1):
            self.out[r.choice(["no_collision", "collision"])] = [r.sample(moving, 2)]
        h = self.number(math.exp(r.uniform(*map(math.log, STEPS["wide" if self.wide else "plain"]))))
        run = {"step": h, "until": h * steps}
        if self.chance(0.08):
            run["method"] = "linearised"
            for material in self.out["materials"].values():
                material.pop("restitution", None)
            for pair in self.out.get("pairs", []):
                pair.pop("restitution", None)
        if self.chance(0.1):
            run["contact_points"] = r.randint(3, 8)
        if self.chance(0.1):
            run["impacts"] = {"order": "sequential"}
        self.out["run"] = run

    # Ground -----------------------------------------------------------------------------------------------

    def make_ground(self, kind):
        r = self.r
        if self.chance(0.25):
            self.normal_frame = self.tilt(r.uniform(0.05, 0.5))
        size = 30 * self.scale
        pose = self.pose([0.0] * self.n, self.normal_frame)
        if self.chance(0.7):
            ground = {"type": self.word("half-space", "half-plane")}
        else:
            depth = self.number(r.uniform(0.5, 3) * self.scale)
            ground = {"type": "box", "size": [size] * (self.n - 1) + [depth],
                      "position": [0.0] * (self.n - 1) + [-depth / 2]}
        shapes = [self.with_material(ground)]
        if kind == "heap" and self.chance(0.25):
            # Two walls; far enough apart for the widest grid.
            for side in (-1, 1):
                wall = {"type": "box", "size": [0.2 * self.scale] + [size] * (self.n - 1),
                        "position": [side * r.uniform(3.2, 6) * self.pitch] + [0.0] * (self.n - 1)}
                shapes.append(self.with_material(wall))
        self.bodies["ground"] = dict(pose, joint={"type": "weld"}, shapes=shapes)
        if self.chance(0.2):
            # A fixed obstacle below the grid; bodies start above it.
            spec, radius = self.shape(self.scale * r.uniform(0.3, 1))
            self.lift = radius
            obstacle = self.pose([self.number(r.uniform(-1, 1) * self.pitch)] + [0.0] * (self.n - 1), self.normal_frame)
            self.bodies["obstacle"] = dict(obstacle, joint={"type": "weld"}, shapes=[self.with_material(spec)])

    # Layouts ----------------------------------------------------------------------------------------------

    def cells(self, count):
        """Centres of distinct cells of the grid above the ground, in its frame."""
        width = 2 if self.n == 3 else 3
        sites = [(i, j) for i in range(-width, width + 1) for j in range(-width, width + 1)]
        sites = [(i, 0) for i in range(-3, 4)] if self.n == 2 else sites
        picked = []
        for level in range(6):
            row = self.r.sample(sites, len(sites))[:max(1, min(4, count))]
            picked += [[*(self.pitch * c for c in site[:self.n - 1]), self.lift + self.pitch * (level + 0.5)]
                       for site in row]
        return picked[:count]

    def heap(self, count):
        for i, cell in enumerate(self.cells(count)):
            self.add_body(f"b{i}", cell)
        if count > 1 and self.chance(0.2):
            self.add_list_joint("b0", "b1")

    def flight(self, count):
        self.lift = 0.0
        self.heap(max(2, count))
        if self.chance(0.6):
            for body in self.bodies.values():
                # Towards the middle of the grid, so that they meet.
                centre = [self.origin[a] + (2 * self.pitch if a == self.n - 1 else 0.0) for a in range(self.n)]
                d = [c - x for c, x in zip(centre, body["position"])]
                length = math.sqrt(sum(x * x for x in d)) or 1.0
                speed = self.speed()
                body["velocity"] = [self.number(speed * x / length) for x in d]

    def stack(self, count):
        """Columns of flat bodies that rest exactly on one another."""
        height, column = 0.0, 0
        self.lift = 0.0
        for i in range(count):
            spec, half = self.flat_shape()
            place = [1.7 * self.pitch * column] + [0.0] * (self.n - 2) + [height + half]
            self.bodies[f"b{i}"] = dict(self.pose(place, self.normal_frame), mass=self.mass(),
                                        shapes=[self.with_material(spec)])
            height += 2 * half
            if self.chance(0.3):
                height, column = 0.0, column + 1
        if self.chance(0.3):
            last = self.bodies[f"b{count - 1}"]
            last["velocity"] = self.vector(self.speed() * 0.5)
        self.bodies.pop("obstacle", None)

    def chain(self, count):
        """Links with tree joints from the world or from a free body; sometimes branches and couplings."""
        r = self.r
        count = max(2, count)
        base = self.lift + self.pitch * r.choice([0.55, 1.5, count + 1])
        names = []
        free = self.chance(0.3)
        for i in range(count):
            place = [self.pitch * (i - count / 2)] + [0.0] * (self.n - 2) + [base]
            name = f"b{i}"
            if i == 0 and free:
                self.add_body(name, place)
            else:
                parent = "world" if not names else (names[-1] if self.chance(0.8) else r.choice(names))
                self.add_body(name, place, parent)
            names.append(name)
        drives = [n for n in names if self.bodies[n].get("joint", {}).get("type") in ("revolute", "prismatic")
                  and not self.bodies[n]["joint"].get("position")]
        if len(drives) > 1 and self.chance(0.25):
            a, b = r.sample(drives, 2)
            for n in (a, b):
                for key in ("motor", "lower", "upper", "restitution"):
                    self.bodies[n]["joint"].pop(key, None)
            self.joints.append({"type": "coupling", "between": [a, b],
                                "ratio": self.number(r.choice([-1, 1]) * r.uniform(0.3, 3))})
        if self.chance(0.2) and not any("position" in b.get("joint", {}) or "orientation" in b.get("joint", {})
                                        for b in self.bodies.values()):
            self.add_list_joint(names[-1], "world")
        if base < self.pitch and not self.overlaps:
            # A turned link would start in the ground.
            for body in self.bodies.values():
                for key in ("position", "position_deg", "orientation"):
                    body.get("joint", {}).pop(key, None)

    def loop(self, count):
        """Free bodies with joints of the list between neighbours, and to the world."""
        r = self.r
        names = []
        base = self.lift + self.pitch * r.choice([0.55, 1.5, 3])
        count = max(2, min(count, 12))
        for i in range(count):
            self.add_body(f"b{i}", [self.pitch * (i - count / 2)] + [0.0] * (self.n - 2) + [base])
            names.append(f"b{i}")
        together = self.chance(0.5)
        for i, name in enumerate(names):
            body = self.bodies[name]
            if together:
                # The same velocity for all: the joints hold at the start.
                body.pop("angular_velocity", None)
                body["velocity"] = self.bodies[names[0]].get("velocity", [0.0] * self.n)
            if i > 0 and self.chance(0.75):
                self.add_list_joint(names[i - 1], name)
        if self.chance(0.5):
            self.add_list_joint(names[0], "world")

    # Forces -----------------------------------------------------------------------------------------------

    def add_forces(self):
        r = self.r
        moving = [n for n in self.bodies if n.startswith("b")]
        for i in range(r.randint(1, 3)):
            a, b = (r.sample(moving, 2) if len(moving) > 1 and self.chance(0.6) else (r.choice(moving), "world"))
            mass = self.bodies[a].get("mass", self.typical_mass)
            kind = r.choice(["wrench", "spring", "damper"])
            if kind == "wrench":
                force = self.scaled(self.unit(), self.number(mass * r.uniform(0.5, 10)))
                spec = {"type": kind, "body": a, "force": force, "frame": r.choice(["world", "body"])}
                if self.chance(0.5):
                    spec["at"] = self.vector(0.3 * self.scale)
                if self.chance(0.4):
                    size = mass * self.scale * r.uniform(-2, 2)
                    spec["torque"] = self.number(size) if self.planar else self.vector(abs(size))
                if self.chance(0.4):
                    spec["over_time"] = self.over_time(1.0)
            else:
                ends = {"from": {"body": a, "point": self.vector(0.3 * self.scale)},
                        "to": {"body": b, "point": self.vector(0.3 * self.scale)}}
                if b == "world":
                    start = self.bodies[a].get("position", [0.0] * self.n)
                    ends["to"]["point"] = [x + d for x, d in zip(start, self.vector(self.pitch))]
                if kind == "spring":
                    omega = r.uniform(2, 30) if not self.wide else 10 ** r.uniform(0, 4)
                    spec = {"type": kind, **ends, "stiffness": self.number(mass * omega ** 2),
                            "rest_length": self.number(r.uniform(0.3, 1.2) * self.pitch)}
                else:
                    rate = r.uniform(0.1, 10) if not self.wide else 10 ** r.uniform(-1, 4)
                    spec = {"type": kind, **ends, "damping": self.number(mass * rate)}
            self.forces[f"f{i}"] = spec
