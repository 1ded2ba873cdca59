"""Convex shapes of scene files: support functions, face normals, edges, mass properties.

Written from docs/scene-format.md alone. A planar shape is a spatial one with z = 0; its directions have no z.
"""

import numpy as np

import hulls


def rotation_of(spec):
    """Rotation matrix of an `orientation` of docs/scene-format.md."""
    if not spec:
        return np.eye(3)
    if "quaternion" in spec:
        return rotation_of_quaternion(np.array(spec["quaternion"], float))
    if "axis" in spec:
        angle = spec["angle"] if "angle" in spec else np.radians(spec["angle_deg"])
        return axis_rotation(np.array(spec["axis"], float), np.array(angle, float))
    roll, pitch, yaw = spec["rpy"] if "rpy" in spec else np.radians(spec["rpy_deg"])
    x, y, z = np.eye(3)
    return axis_rotation(z, np.array(yaw)) @ axis_rotation(y, np.array(pitch)) @ axis_rotation(x, np.array(roll))


def rotation_of_quaternion(q):
    """Rotation matrices [..., 3, 3] of quaternions [..., 4] in the order w, x, y, z, of any length."""
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
            2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
            2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]
    return np.stack(rows, -1).reshape(q.shape[:-1] + (3, 3))


def axis_rotation(axis, angle):
    """Rodrigues' formula: rotations [..., 3, 3] by angles [...] about one axis of any length."""
    x, y, z = axis / np.linalg.norm(axis)
    k = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    a = np.asarray(angle, float)[..., None, None]
    return np.eye(3) + np.sin(a) * k + 2 * np.sin(a / 2) ** 2 * (k @ k)


def vector(values):
    """Three elements of a vector of the scene; a planar one gets z = 0."""
    return np.array(list(values) + [0.0] * (3 - len(values)), float)


class Shape:
    """A convex shape in its body's frame. `R`, `p`: its pose there; `radius`: of a ball about p that contains it."""

    def __init__(self, spec, planar):
        self.spec, self.planar = spec, planar
        self.kind = {"disc": "sphere", "ellipse": "ellipsoid", "polygon": "hull",
                     "half-plane": "half-space"}.get(spec["type"], spec["type"])
        self.margin = spec.get("margin", 0.0)
        self.p = vector(spec.get("position", [0, 0, 0]))
        if planar:
            angle = spec.get("angle", np.radians(spec.get("angle_deg", 0.0)))
            self.R = axis_rotation(np.array([0, 0, 1.0]), np.array(angle))
        else:
            self.R = rotation_of(spec.get("orientation"))
        self.convex = self.kind not in ("half-space", "mesh", "polyline", "height-field")
        if self.kind == "half-space":
            normal = vector(spec.get("normal", [0, 1] if planar else [0, 0, 1]))
            self.normal, self.offset = normal / np.linalg.norm(normal), spec.get("offset", 0.0)
        if self.kind == "hull":
            self.points = np.array([vector(x) for x in spec["points"]]) * spec.get("scale", 1.0)
        if self.kind == "box":
            self.half = vector(spec["size"]) / 2
        if self.kind in ("ellipsoid",):
            self.semi = vector(spec["semi_axes"])
        if self.kind in ("cylinder", "cone", "frustum"):
            low = spec["radius"]
            self.low, self.high = low, {"cylinder": low, "cone": 0.0}.get(self.kind, spec.get("top_radius"))
            self.half_height = spec["height"] / 2
        if self.convex:
            axes = np.vstack([np.eye(3), -np.eye(3)])[[0, 1, 3, 4] if planar else slice(None)]
            self.radius = self.bound()
            widths = self.support(axes)
            half = len(axes) // 2
            self.thickness = float(np.min(widths[:half] + widths[half:]))

    def bound(self):
        extent = {"sphere": lambda: self.spec["radius"],
                  "capsule": lambda: self.spec["radius"] + self.spec["length"] / 2,
                  "box": lambda: np.linalg.norm(self.half),
                  "ellipsoid": lambda: self.semi.max(),
                  "hull": lambda: np.linalg.norm(self.points, axis=1).max()}.get(
                      self.kind, lambda: np.hypot(max(self.low, self.high), self.half_height))()
        return float(extent) + self.margin

    def support(self, d):
        """max of d·x over the shape, for unit directions d [..., 3] in the frame of the shape."""
        if self.kind == "sphere":
            return np.full(d.shape[:-1], self.spec["radius"] + self.margin)
        if self.kind == "capsule":
            return self.spec["radius"] + self.spec["length"] / 2 * np.abs(d[..., 0 if self.planar else 2])
        if self.kind == "box":
            return np.abs(d) @ self.half + self.margin
        if self.kind == "ellipsoid":
            return np.sqrt((d * d) @ (self.semi ** 2)) + self.margin
        if self.kind == "hull":
            return np.max(d @ self.points.T, axis=-1) + self.margin
        rho = np.hypot(d[..., 0], d[..., 1])
        up = self.half_height * d[..., 2]
        return np.maximum(self.high * rho + up, self.low * rho - up) + self.margin

    def support_point(self, d):
        """A point where d·x is largest, for unit directions d [..., 3] in the frame of the shape."""
        point = self.margin * d
        if self.kind == "sphere":
            return point + self.spec["radius"] * d
        if self.kind == "capsule":
            axis = np.eye(3)[0 if self.planar else 2]
            return self.spec["radius"] * d + self.spec["length"] / 2 * np.sign(d @ axis)[..., None] * axis
        if self.kind == "box":
            return point + self.half * np.sign(d)
        if self.kind == "ellipsoid":
            return point + d * self.semi ** 2 / np.sqrt((d * d) @ (self.semi ** 2))[..., None]
        if self.kind == "hull":
            return point + self.points[np.argmax(d @ self.points.T, axis=-1)]
        rho = np.hypot(d[..., 0], d[..., 1])
        up = self.half_height * d[..., 2]
        top = self.high * rho + up > self.low * rho - up
        radius = np.where(top, self.high, self.low) / np.maximum(rho, 1e-300)
        z = np.where(top, self.half_height, -self.half_height)
        return point + np.stack([radius * d[..., 0], radius * d[..., 1], z], -1)

    def directions(self):
        """Normals of flat faces, of both signs, and directions of straight edges, in the frame of the shape."""
        x, y, z = np.eye(3)
        if self.kind == "box":
            axes = np.eye(3)[:2] if self.planar else np.eye(3)
            return np.vstack([axes, -axes]), np.zeros((0, 3)) if self.planar else axes
        if self.kind == "capsule":
            if self.planar:
                return np.array([y, -y]), np.zeros((0, 3))
            return np.zeros((0, 3)), np.array([z])
        if self.kind in ("cylinder", "cone", "frustum"):
            edges = np.array([z]) if self.kind == "cylinder" else np.zeros((0, 3))
            return np.array([z, -z]), edges
        if self.kind == "hull":
            return hulls.hull_normals(self.points, self.planar)
        return np.zeros((0, 3)), np.zeros((0, 3))

    def mass_properties(self):
        """Volume (planar: area), centroid and inertia about it at unit density, in the shape's frame; margin 0."""
        assert self.margin == 0, "the mass of rounded shapes is not computed here"
        if self.kind == "hull":
            return hulls.polygon_mass(self.points) if self.planar else hulls.hull_mass(self.points)
        zero = np.zeros(3)
        if self.planar:
            if self.kind == "sphere":
                r = self.spec["radius"]
                return np.pi * r * r, zero, np.eye(3) * np.pi * r ** 4 / 2
            if self.kind == "ellipsoid":
                a, b, _ = self.semi
                return np.pi * a * b, zero, np.eye(3) * np.pi * a * b * (a * a + b * b) / 4
            if self.kind == "box":
                a, b, _ = 2 * self.half
                return a * b, zero, np.eye(3) * a * b * (a * a + b * b) / 12
            r, length = self.spec["radius"], self.spec["length"]
            moment = 2 * r * length * (length ** 2 + 4 * r * r) / 12
            moment += np.pi * r ** 4 / 2 + np.pi * r * r * length ** 2 / 4 + 4 / 3 * r ** 3 * length
            return np.pi * r * r + 2 * r * length, zero, np.eye(3) * moment
        if self.kind in ("sphere", "ellipsoid"):
            s = np.full(3, self.spec["radius"]) if self.kind == "sphere" else self.semi
            volume = 4 / 3 * np.pi * np.prod(s)
            return volume, zero, volume / 5 * np.diag(np.sum(s * s) - s * s)
        if self.kind == "box":
            s = 2 * self.half
            return np.prod(s), zero, np.prod(s) / 12 * np.diag(np.sum(s * s) - s * s)
        return profile_mass(*self.profile())

    def profile(self):
        """Radius over z of a body of revolution: Gauss points, weights and squared radii."""
        nodes, weights = np.polynomial.legendre.leggauss(24)
        if self.kind == "capsule":
            r, c = self.spec["radius"], self.spec["length"] / 2
            cap = (nodes + 1) / 2 * r
            cylinder = nodes * c
            z = np.concatenate([cylinder, c + cap, -c - cap])
            w = np.concatenate([weights * c, weights * r / 2, weights * r / 2])
            return z, w, np.concatenate([np.full(24, r * r), r * r - cap ** 2, r * r - cap ** 2])
        z = nodes * self.half_height
        radius = self.low + (self.high - self.low) * (nodes + 1) / 2
        return z, weights * self.half_height, radius ** 2


def profile_mass(z, w, r2):
    volume = np.pi * np.sum(w * r2)
    centre = np.pi * np.sum(w * r2 * z) / volume
    axial = np.pi / 2 * np.sum(w * r2 ** 2)
    across = axial / 2 + np.pi * np.sum(w * r2 * (z - centre) ** 2)
    return volume, np.array([0, 0, centre]), np.diag([across, across, axial])
