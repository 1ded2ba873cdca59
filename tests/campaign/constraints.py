"""Errors of the joints in the list `joints` and of limits, from poses alone."""

import numpy as np

from kinematics import Z
from shapes import vector


def norm(x):
    return np.linalg.norm(x, axis=-1)


def errors(model):
    """Yields (name, error [T], unit) of every equation of the list joints; unit is `m` or `rad`."""
    for number, joint in enumerate(model.scene.get("joints") or []):
        name = f"joint {number} ({joint['type']})"
        if joint["type"] == "coupling":
            first, second = (model.bodies[n] for n in joint["between"])
            offset = joint.get("offset", np.radians(joint.get("offset_deg", 0.0)))
            error = first.coordinate - joint["ratio"] * second.coordinate - offset
            yield name, np.abs(error), "rad" if first.type == "revolute" else "m"
            continue
        yield from equations(model, joint, name)


def equations(model, joint, name):
    a, b = joint["between"]
    kind = joint["type"]
    anchor = vector(joint["anchor"])
    axis = vector(joint["axis"]) if "axis" in joint else Z
    if kind == "distance":
        if "lower" not in joint and "upper" not in joint:
            length = joint.get("length", norm(vector(joint["second_anchor"]) - anchor))
            yield name, np.abs(rod(model, joint) - length), "m"
        return
    between = model.point(a, anchor) - model.point(b, anchor)
    along_a, along_b = model.direction(a, axis), model.direction(b, axis)
    if kind in ("ball", "revolute", "universal", "weld"):
        yield name, norm(between), "m"
    if kind in ("prismatic", "cylindrical"):
        yield name, norm(between - np.sum(between * along_b, -1)[..., None] * along_b), "m"
    if kind in ("revolute", "cylindrical") and not model.planar:
        yield name, norm(np.cross(along_a, along_b)), "rad"
    if kind in ("prismatic", "weld"):
        yield name, sum(norm(model.direction(a, e) - model.direction(b, e)) for e in np.eye(3)), "rad"
    if kind == "universal":
        second = vector(joint["second_axis"])
        reference = axis @ second / norm(axis) / norm(second)
        yield name, np.abs(np.sum(along_a * model.direction(b, second), -1) - reference), "rad"
    if kind == "point-in-plane":
        yield name, np.abs(np.sum(between * along_b, -1)), "m"


def rod(model, joint):
    a, b = joint["between"]
    return norm(model.point(a, vector(joint["anchor"])) - model.point(b, vector(joint["second_anchor"])))


def limits(model):
    """Yields (name, distance beyond the nearer limit [T], unit); <= 0 within the limits."""
    for body in model.moving:
        if body.coordinate is not None and body.type in ("revolute", "prismatic"):
            yield from beyond(f"limit of {body.name}", body.joint, body.coordinate, body.type)
    for number, joint in enumerate(model.scene.get("joints") or []):
        name = f"limit of joint {number}"
        if joint["type"] == "distance":
            yield from beyond(name, joint, rod(model, joint), "prismatic")
        elif joint["type"] in ("revolute", "prismatic"):
            yield from beyond(name, joint, coordinate(model, joint), joint["type"])


def beyond(name, joint, value, kind):
    low, high = (joint.get(k, np.radians(joint[k + "_deg"]) if k + "_deg" in joint else None)
                 for k in ("lower", "upper"))
    if low is None and high is None:
        return
    excess = np.full(np.shape(value), -np.inf)
    if low is not None:
        excess = np.maximum(excess, low - value)
    if high is not None:
        excess = np.maximum(excess, value - high)
    yield name, excess, "rad" if kind == "revolute" else "m"


def coordinate(model, joint):
    """Angle or slide [T] of a list joint: of the first body relative to the second.

    An angle is known up to full turns; it is the value nearest to the middle of two limits, or from -pi to pi.
    """
    a, b = joint["between"]
    axis = vector(joint["axis"]) if "axis" in joint else Z
    n = model.direction(b, axis)
    if joint["type"] == "prismatic":
        anchor = vector(joint["anchor"])
        return np.sum((model.point(a, anchor) - model.point(b, anchor)) * n, -1)
    across = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    x, y = model.direction(a, across), model.direction(b, across)
    angle = np.arctan2(np.sum(np.cross(y, x) * n, -1), np.sum(x * y, -1))
    if "lower" in joint and "upper" in joint:
        middle = (joint["lower"] + joint["upper"]) / 2
        angle = angle + 2 * np.pi * np.round((middle - angle) / (2 * np.pi))
    return angle
