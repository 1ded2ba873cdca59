"""Random joints, drives, materials and friction sets of scenes."""

import math

from parts import Parts


class Joinery(Parts):
    """Adds to Parts what connects bodies and what they are made of."""

    def anchor_between(self, place, other):
        """A point in the world between the body at `place` and its neighbour, in the frame of the ground."""
        middle = [(a + b) / 2 for a, b in zip(place, other)]
        middle = [x + self.r.uniform(-0.2, 0.2) * self.scale for x in middle]
        return [o + x for o, x in zip(self.origin, self.turned(self.normal_frame, middle))]

    def axis(self):
        if self.chance(0.5):
            i = self.r.randrange(self.n)
            return [1.0 if a == i else 0.0 for a in range(self.n)]
        return [self.number(x) for x in self.unit()]

    def other_axis(self, axis):
        while True:
            second = self.axis()
            if abs(sum(a * b for a, b in zip(axis, second))) < 0.6:
                return second

    def over_time(self, size):
        r = self.r
        if self.chance(0.5):
            return {"table": [[0, 0], [self.number(r.uniform(0.05, 0.5)), self.number(size)]]}
        return {"sine": {"amplitude": self.number(size), "frequency": self.number(r.uniform(0.5, 5)),
                         "phase": self.number(r.uniform(0, 6)), "offset": 0}}

    def drive(self, spec, weight):
        """Limits, friction and a motor of a joint with one coordinate. weight: a typical force or torque."""
        r, num = self.r, self.number
        length = 1.0 if spec["type"] == "revolute" else self.pitch
        limited = self.chance(0.4)
        if limited:
            if self.chance(0.8):
                spec["lower"] = num(-length * r.uniform(0.05, 1))
            if self.chance(0.8):
                spec["upper"] = num(length * r.uniform(0.05, 1))
            if self.chance(0.4) and ("lower" in spec or "upper" in spec):
                spec["restitution"] = num(r.uniform(0, 0.9))
        if self.chance(0.3):
            spec["friction"] = num(weight * 10 ** r.uniform(-2, 0))
        if self.chance(0.3):
            target = length * r.uniform(-2, 2)
            motor = {r.choice(["velocity", "position"]): self.over_time(target) if self.chance(0.4) else num(target)}
            if limited or "position" in motor or self.chance(0.8):
                motor["max_force"] = num(weight * 10 ** r.uniform(-1, 1))
            spec["motor"] = motor

    def weight(self, kind):
        force = self.typical_mass * 10
        return force if kind == "prismatic" else force * self.scale

    def tree_joint(self, name, place, parent):
        r, num = self.r, self.number
        kinds = ["revolute", "prismatic", "weld"] if self.planar else \
            ["revolute", "revolute", "prismatic", "ball", "weld", "cylindrical", "universal"]
        kind = r.choice(kinds if parent != "world" else [k for k in kinds if k != "weld"])
        spec = {"type": kind, "parent": parent}
        if kind == "weld":
            return spec
        if kind != "prismatic":
            spec["anchor"] = self.anchor_between(place, [place[0] - self.pitch] + place[1:])
        if kind == "prismatic" or (kind != "ball" and not self.planar):
            spec["axis"] = self.axis()
        spin, start = num(self.spin() / 4 * r.choice([-1, 1])), self.chance(0.2)
        if kind == "universal":
            spec["second_axis"] = self.other_axis(spec["axis"])
            spec["velocity"] = [spin, num(spin * r.random())]
            if start:
                spec["position"] = [num(r.uniform(-0.3, 0.3)) for _ in range(2)]
        elif kind == "cylindrical":
            spec.update(velocity=num(self.speed() / 4), angular_velocity=spin)
        elif kind == "ball":
            spec["angular_velocity"] = self.vector(abs(spin))
            if start:
                spec["orientation"] = {"axis": self.axis(), "angle": num(r.uniform(-0.3, 0.3))}
        else:
            spec["velocity"] = spin if kind == "revolute" else num(self.speed() / 4)
            if start and kind == "revolute":
                spec["position_deg"] = num(r.uniform(-20, 20))
            self.drive(spec, self.weight(kind))
        return spec

    def add_list_joint(self, first, second):
        """A joint of the list between two bodies, or a body and the world."""
        r, num = self.r, self.number
        if any(sorted(j["between"]) == sorted([first, second]) for j in self.joints):
            return
        kinds = ["revolute", "prismatic", "weld", "distance"] if self.planar else \
            ["ball", "ball", "revolute", "revolute", "prismatic", "cylindrical", "universal", "weld", "distance",
             "point-in-plane"]
        kind = r.choice(kinds)
        here = self.bodies[first]["position"]
        there = self.bodies[second]["position"] if second != "world" else [x + d for x, d in
                                                                           zip(here, self.vector(self.pitch))]
        anchor = [(a + b) / 2 + r.uniform(-0.1, 0.1) * self.scale for a, b in zip(here, there)]
        spec = {"type": kind, "between": [first, second], "anchor": anchor}
        if kind == "distance":
            spec["anchor"] = [x + d for x, d in zip(here, self.vector(0.2 * self.scale))]
            spec["second_anchor"] = [x + d for x, d in zip(there, self.vector(0.2 * self.scale))]
            length = math.dist(spec["anchor"], spec["second_anchor"])
            if length < 0.05 * self.scale:
                return
            if self.chance(0.5):
                spec["upper"] = num(length * r.uniform(1.01, 1.5))
                if self.chance(0.4):
                    spec["lower"] = num(length * r.uniform(0.3, 0.99))
        elif kind in ("prismatic", "cylindrical", "universal", "point-in-plane") or \
                (kind == "revolute" and not self.planar):
            spec["axis"] = self.axis()
            if kind == "universal":
                spec["second_axis"] = self.other_axis(spec["axis"])
        if kind in ("revolute", "prismatic"):
            self.drive(spec, self.weight(kind))
        if self.chance(0.15):
            spec["collide"] = True
        self.joints.append(spec)

    # Materials -------------------------------------------------------------------------------------------

    def make_materials(self):
        r, num = self.r, self.number
        top = 2.0 if self.wide else 1.0
        count = r.choice([1, 1, 2, 3])
        bouncy = self.chance(0.5)
        self.out["materials"] = {}
        for i in range(count):
            material = {"friction": r.choice([0.0, num(r.uniform(0, top)), num(r.uniform(0, top))])}
            if bouncy and self.chance(0.7):
                material["restitution"] = num(r.uniform(0, 0.9))
            self.out["materials"][f"m{i}"] = material
        pairs = []
        for i in range(count):
            for j in range(i + 1):
                if self.chance(0.45):
                    pair = {"between": [f"m{i}", f"m{j}"]}
                    if self.chance(0.5):
                        pair["friction"] = num(r.uniform(0, top))
                    if bouncy:
                        pair["restitution_law"] = r.choice(["newton", "poisson", "energetic"])
                        if self.chance(0.5):
                            pair["restitution"] = num(r.uniform(0, 0.9))
                    if self.chance(0.6):
                        pair["friction_set"] = self.friction_set(f"m{i}")
                    if len(pair) > 1:
                        pairs.append(pair)
        if pairs:
            self.out["pairs"] = pairs

    def friction_set(self, material):
        r, num = self.r, self.number
        radius = lambda: num(r.uniform(0.3, 1.5))
        if self.planar:
            return r.choice([{"type": "planar", "e_t": radius()}, {"type": "none"}])
        kind = r.choice(["ellipsoid", "ellipsoid", "mixed", "polyhedron", "planar", "none"])
        out = {"type": kind}
        if kind in ("ellipsoid", "mixed"):
            out.update(e_t=radius(), e_o=radius())
            if kind == "mixed" or self.chance(0.6):
                out["e_r"] = num(self.scale * r.uniform(0.05, 0.5))
        elif kind == "polyhedron":
            count = r.randint(3, 8)
            turn = r.uniform(0, 1)
            out["directions"] = r.choice([count, [[num(1.2 * math.cos(turn + 2 * math.pi * i / count)),
                                                   num(0.8 * math.sin(turn + 2 * math.pi * i / count))]
                                                  for i in range(count)]])
        elif kind == "planar":
            out["e_t"] = radius()
        if kind == "planar" or (kind != "none" and self.chance(0.4)):
            out.update(along=[num(x) for x in self.unit()], of=material)
        return out
