"""Bodies that pass through each other between two states: the balls inside two shapes meet on the way."""

import numpy as np

from gaps import collides, may_touch
from kinematics import apply


def inner_radius(shape):
    """Radius of a ball about the shape's origin inside the shape, to a few percent; 0 if the origin is outside."""
    d = np.random.default_rng(0).normal(size=(2000, 3)) * ([1, 1, 0] if shape.planar else [1, 1, 1])
    d /= np.linalg.norm(d, axis=1, keepdims=True)
    faces, _ = shape.directions()
    return max(0.0, float(shape.support(np.vstack([d, faces])).min()))


def centres(body, shape):
    return body.p + apply(body.R, np.broadcast_to(shape.p, body.p.shape))


def passes(model, h):
    """Yields (name, depth [T]): by how much two inner balls overlap on a straight way between states.

    Slow motion is left to the overlaps of states. The way of a centre bends by less than h² (g + w² r) / 8 in a step
    that is not cut by an impact.
    """
    radii = {id(s): inner_radius(s) for b in model.order for s in b.shapes if s.convex}
    for a, b in may_touch(model):
        for s in a.shapes:
            for t in b.shapes:
                if not (s.convex and t.convex and collides(s, t)):
                    continue
                between = centres(b, t) - centres(a, s)
                start, way = between[:-1], np.diff(between, axis=0)
                length2 = np.maximum(np.sum(way * way, 1), 1e-300)
                at = np.clip(-np.sum(start * way, 1) / length2, 0, 1)
                nearest = np.linalg.norm(start + at[:, None] * way, axis=1)
                curvature = np.linalg.norm(model.gravity)
                for body, shape in ((a, s), (b, t)):
                    curvature = curvature + np.sum(body.w[1:] ** 2, 1) * np.linalg.norm(shape.p - body.com)
                inner = 0.9 * (radii[id(s)] + radii[id(t)])
                yield f"{a.name}, {b.name}", np.append(0.0, inner - nearest - h * h * curvature)
