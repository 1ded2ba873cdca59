"""Energies from own masses and poses, against the ledger of a run and against growth without a source."""

import numpy as np

WORKS = ("normal", "stabilisation", "friction", "joints", "limits", "motors", "applied", "discretisation", "imbalance")


def check(model, run, report):
    """Energies and the ledger; by method pawl also the work of friction, growth and discretisation of each step."""
    kinetic, potential = model.kinetic(), model.potential()
    e = run.energy
    exchanged = sum(np.abs(np.diff(e[w])) for w in WORKS[:7])
    moved = np.maximum(kinetic.max(), np.abs(potential - potential[0]).max())
    # A potential far from the origin has its own rounding.
    rounding = 1e-14 * np.abs(potential).max()
    # Bodies that move by less than a thousandth of their size in a second are at rest.
    rest = sum(b.mass * (1e-3 * b.extent()) ** 2 for b in model.moving if b.mass > 0)
    scale = max(moved, float(exchanged.sum()), rest)
    report("kinetic", np.abs(kinetic - e["kinetic"]), 1e-9 * scale)
    report("potential", np.abs(potential - e["potential"]), 1e-9 * scale + 10 * rounding)
    total = e["kinetic"] + e["potential"]
    sums = sum(e[w] for w in WORKS)
    report("ledger", np.abs(total - total[0] - (sums - sums[0])), 1e-9 * scale + 10 * rounding)
    report("imbalance", np.abs(e["imbalance"]), 1e-9 * scale + 10 * rounding)
    if run.method != "pawl":
        return
    h = run.steps["step"]
    fall = sum(b.mass for b in model.moving) * np.linalg.norm(model.gravity) ** 2 * run.step * h
    here = np.maximum(kinetic[1:], kinetic[:-1]) + fall + exchanged
    # Twice the bound of docs/certificate.md, as its three parts are measured differently here; and rounding.
    bound = np.append(1.0, 2e-4 * here) + rounding + 1e-9 * scale
    # Where overlaps are parted, bodies move without a velocity. Newton's law may gain energy, also by friction.
    parted = np.diff(e["stabilisation"]) > 0
    newton = any(pair.get("restitution_law") == "newton" for pair in model.scene.get("pairs") or [])
    friction = np.where(parted | (newton & (run.steps["impacts"] > 0)), 0.0, np.diff(e["friction"]))
    report("friction work", np.append(0.0, friction), bound)
    mine = kinetic + potential
    sources = sum(np.maximum(np.diff(e[w]), 0.0) for w in ("motors", "applied", "stabilisation"))
    sources = sources + np.where(parted, np.maximum(np.diff(e["friction"]), 0.0), 0.0)
    growth = np.diff(mine) - sources - run.steps["impact_gain"]
    report("growth", np.append(0.0, growth), bound)
    stiff = unresolved(model, np.full(len(h), run.step))
    drift = np.abs(np.diff(e["discretisation"]))
    report("discretisation", np.append(0.0, np.where(stiff, 0.0, drift)), bound)


def unresolved(model, h):
    """Steps in which some spring or damper is stiffer than the step resolves, by the rule of docs/scene-format.md."""
    stiff = np.zeros(len(h), bool)
    masses = {b.name: model.bodies[b.root].mass for b in model.moving}
    for kind, key in (("spring", "stiffness"), ("damper", "damping")):
        forces = [f for f in (model.scene.get("forces") or {}).values() if f["type"] == kind]
        for f in forces:
            ends = {f["from"]["body"], f["to"]["body"]}
            total = sum(g[key] for g in forces if ends & ({g["from"]["body"], g["to"]["body"]} - {"world"}))
            mass = min([masses[n] for n in ends if n in masses] or [np.inf])
            stiff |= (h * h if kind == "spring" else h) * total / mass > 0.2
    return stiff
