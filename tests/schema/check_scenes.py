"""Every scene of the project must satisfy docs/scene.schema.json, and scenes with a known fault must not."""

import copy
import json
import pathlib
import re
import sys

import jsonschema
import yaml


class CoreLoader(yaml.SafeLoader):
    """Plain scalars as YAML 1.2 and Pawl read them: PyYAML follows 1.1, where 4e-3 is a text and `on` a boolean."""


CoreLoader.yaml_implicit_resolvers = {}
for tag, pattern, first in (
    ("bool", r"true|false", "tf"),
    ("null", r"~|null|", ["~", "n", ""]),
    ("int", r"[-+]?[0-9]+", "-+0123456789"),
    ("float", r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?", "-+.0123456789"),
    ("merge", r"<<", "<"),
):
    CoreLoader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$"), list(first))

# Each fault is put into a scene that is right: the path to a value, and what to write there.
FAULTS = [
    ("a scene without its version", ["pawl"], None),
    ("an unknown key", ["wrld"], {}),
    ("a negative mass", ["bodies", "ball1", "mass"], -1),
    ("a text for a number", ["bodies", "ball1", "mass"], "very heavy"),
    ("an expression that ends early", ["bodies", "ball1", "mass"], "2 *"),
    ("an unknown distribution", ["parameters"], {"mu": {"unifrom": [0, 1]}}),
    ("a list with one end", ["parameters"], {"mu": {"uniform": [0]}}),
    ("an unknown type of outcome", ["outcomes"], {"a": {"type": "posse"}}),
    ("a misspelt key", ["bodies", "ball1", "velocty"], [0, 0, 0]),
    ("a vector of four", ["bodies", "ball1", "position"], [0, 0, 0, 0]),
    ("a body called world", ["bodies", "world"], {}),
    ("a key of another shape", ["bodies", "table", "shapes", 0, "radius"], 1),
    ("a key of another joint", ["bodies", "table", "joint", "anchor"], [0, 0, 0]),
    ("an orientation in two ways", ["bodies", "ball1", "orientation"], {"rpy": [0, 0, 0], "quaternion": [1, 0, 0, 0]}),
    ("a restitution above one", ["materials", "plain", "restitution"], 1.5),
    ("an unknown method", ["run", "method"], "euler"),
    ("a step of zero", ["run", "step"], 0),
    ("a time in an unknown unit", ["run", "step"], "5min"),
    ("two friction directions", ["run", "friction_directions"], 2),
    ("exact friction misspelt", ["run", "friction"], "exakt"),
    ("an ellipsoid with a negative radius", ["pairs"], [{"between": ["plain", "plain"], "friction_set": {"type": "ellipsoid", "e_t": -1}}]),
    ("a polyhedron without directions", ["pairs"], [{"between": ["plain", "plain"], "friction_set": {"type": "polyhedron"}}]),
    ("no friction with a radius", ["pairs"], [{"between": ["plain", "plain"], "friction_set": {"type": "none", "e_t": 1}}]),
    ("a mass from a mesh without its amount", ["bodies", "table", "mass_from"], {"file": "a.stl"}),
    ("a mass from a mesh in two amounts", ["bodies", "table", "mass_from"], {"file": "a.stl", "mass": 1, "density": 1}),
    ("a mass from a mesh beside a mass", ["bodies", "ball1", "mass_from"], {"file": "a.stl", "density": 1}),
    ("half a friction direction", ["run", "friction_directions"], 8.5),
    ("no contact points", ["run", "contact_points"], 0),
    ("nine contact points", ["run", "contact_points"], 9),
]


def with_fault(scene, path, value):
    faulty = copy.deepcopy(scene)
    node = faulty
    for part in path[:-1]:
        node = node[part]
    if value is None:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return faulty


def main(root):
    schema = json.loads((root / "docs/scene.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    problems = []

    files = sorted((root / "scenes").rglob("*.yaml"))
    for file in files:
        scene = yaml.load(file.read_text(encoding="utf-8"), CoreLoader)
        for error in validator.iter_errors(scene):
            problems.append(f"{file.relative_to(root)}: {'.'.join(map(str, error.absolute_path))}: {error.message}")

    good = yaml.load((root / "scenes/papers/four_balls.yaml").read_text(encoding="utf-8"), CoreLoader)
    for name, path, value in FAULTS:
        if validator.is_valid(with_fault(good, path, value)):
            problems.append(f"docs/scene.schema.json accepts {name}")

    print("\n".join(problems) or f"{len(files)} scenes are valid, {len(FAULTS)} faulty ones are refused")
    return 1 if problems or not files else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
