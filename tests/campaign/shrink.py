"""Makes a failing scene smaller while the same check still fails."""

import copy
import time

from simulate import simulate


def shrink(program, scene, check, timeout=20.0, budget=90.0):
    """The smallest scene found within `budget` seconds in which `check` fails, and its violation."""
    end = time.monotonic() + budget

    def failure(candidate):
        if time.monotonic() > end:
            return None
        out = simulate(program, candidate, min(timeout, 10.0))
        if check == out["outcome"]:
            return {"check": check, "step": 0, "value": 1.0, "limit": 0.0, "what": out["message"]}
        return next((v for v in out["violations"] if v["check"] == check), None)

    found = failure(scene)
    if found is None:
        return scene, None
    changed = True
    while changed and time.monotonic() < end:
        changed = False
        for candidate in [shorter(scene, found)] + list(smaller(scene)):
            if candidate is None or candidate == scene:
                continue
            violation = failure(candidate)
            if violation is not None:
                scene, found, changed = candidate, violation, True
                break
    return scene, found


def shorter(scene, found):
    """Ends the run soon after the step that fails."""
    out = copy.deepcopy(scene)
    until = out["run"]["step"] * (found["step"] + 2)
    if found["step"] == 0 or until > 0.9 * out["run"]["until"]:
        return None
    out["run"]["until"] = until
    return out


def smaller(scene):
    """Candidates, the boldest first."""
    for name in list(scene["bodies"]):
        out = copy.deepcopy(scene)
        remove_body(out, name)
        yield out
    for key in ("joints", "forces", "pairs", "collision", "no_collision"):
        for entry in list(scene.get(key) or []) if not isinstance(scene.get(key), list) else range(len(scene[key])):
            out = copy.deepcopy(scene)
            del out[key][entry]
            if not out[key]:
                del out[key]
            yield out
    for name, body in scene["bodies"].items():
        for i in range(len(body.get("shapes", []))):
            if len(body["shapes"]) > 1 or "inertia" in body:
                out = copy.deepcopy(scene)
                del out["bodies"][name]["shapes"][i]
                yield out
    yield from plainer(scene)
    yield from rounded(scene)


def remove_body(scene, name):
    """Removes a body, its children, and all that refers to them."""
    gone = {name}
    while True:
        more = {n for n, b in scene["bodies"].items() if (b.get("joint") or {}).get("parent") in gone} - gone
        if not more:
            break
        gone |= more
    for n in gone:
        scene["bodies"].pop(n, None)
    scene["joints"] = [j for j in scene.get("joints", []) if not gone & set(j["between"])]
    scene["forces"] = {k: f for k, f in scene.get("forces", {}).items()
                       if not gone & {f.get("body"), f.get("from", {}).get("body"), f.get("to", {}).get("body")}}
    for key in ("collision", "no_collision"):
        scene[key] = [p for p in scene.get(key, []) if not gone & set(p)]
    for key in ("joints", "forces", "collision", "no_collision"):
        if not scene[key]:
            del scene[key]


def plainer(scene):
    """Without single optional keys."""
    optional = ("velocity", "angular_velocity", "orientation", "angle", "center_of_mass", "margin", "restitution",
                "friction", "motor", "lower", "upper", "position_deg", "torque", "over_time", "at", "collide",
                "contact_points", "impacts", "friction_set", "restitution_law", "description")
    places = [("run",)] + [("bodies", n) for n in scene["bodies"]]
    places += [("bodies", n, "joint") for n, b in scene["bodies"].items() if b.get("joint")]
    places += [("bodies", n, "shapes", i) for n, b in scene["bodies"].items() for i in range(len(b.get("shapes", [])))]
    places += [("joints", i) for i in range(len(scene.get("joints", [])))]
    places += [("forces", n) for n in scene.get("forces", {})]
    places += [("pairs", i) for i in range(len(scene.get("pairs", [])))]
    places += [("materials", n) for n in scene["materials"]]
    for place in places:
        for key in optional:
            if place[0] == "materials" and key == "friction":
                continue
            out = copy.deepcopy(scene)
            node = out
            for part in place:
                node = node[part]
            if key in node:
                del node[key]
                yield out


def rounded(scene):
    """All numbers with fewer digits."""
    def cut(node, digits):
        if isinstance(node, float):
            return float(f"{node:.{digits}g}")
        if isinstance(node, dict):
            return {k: cut(v, digits) for k, v in node.items()}
        return [cut(v, digits) for v in node] if isinstance(node, list) else node
    for digits in (2, 3):
        yield cut(scene, digits)
    for name in scene["bodies"]:
        out = copy.deepcopy(scene)
        out["bodies"][name] = cut(out["bodies"][name], 2)
        yield out
