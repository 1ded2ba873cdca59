"""The errors of the scenes in scenes/classics at several steps, for docs/benchmarks.md; tests/truth tests the same.

Each entry has the scene, the end of the run, its steps, what the error is, and the error of a run.
"""

import math

from runs import Run
from svg import GRID, INK, SOFT, Picture, scientific


def rotate(run, body, a, i=-1):
    """From the body's axes to the world's, in state i."""
    w, *u = (run[f"{body}.{c}"][i] for c in ("qw", "qx", "qy", "qz"))
    t = [2 * c for c in cross(u, a)]
    return [x + w * y + z for x, y, z in zip(a, t, cross(u, t))]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def spin_about(run, body, a, i=-1):
    """The angular velocity about an axis of the body."""
    return sum(x * run[f"{body}.{w}"][i] for x, w in zip(rotate(run, body, a, i), ("wx", "wy", "wz")))


def eulers_disk(run):
    e = rotate(run, "disk", [0, 0, 1])
    return math.remainder(math.atan2(e[0], -e[1]) - 61.9649076719 * run["time"][-1], 2 * math.pi)


def rolling_coin(run):
    a, r = 8 * run["time"][-1], 0.0277395311039
    return math.hypot(run["coin.x"][-1] - r * math.sin(a), run["coin.y"][-1] - r * (1 - math.cos(a)))


def heavy_top(run):
    return math.remainder(math.atan2(run["top.y"][-1], run["top.x"][-1]) - 3.39778194864, 2 * math.pi)


def on_belt(t):
    """The place of the block at time t."""
    middle, w, sticks, slips = 0.07848, math.sqrt(50), 0.532117278299, 0.72977466268
    if t < sticks:
        return middle + 0.12152 * math.cos(w * t)
    return middle + 0.5 * (t - slips) if t < slips else middle + 0.5 / w * math.sin(w * (t - slips))


HITS = (0.071683445, 0.149145786, 0.199201642, 0.236354623, 0.267333694, 0.295033882, 0.320861161,
        0.345565961, 0.369576806)


def hits(run):
    """The times at which the dominoes from the second on are hit."""
    return [next(t for t, w in zip(run["time"], run[f"d{k}.omega"]) if w < -1) for k in range(2, 11)]


def impact_times(run):
    return [float(step["time"]) for step in run.steps if int(step["impacts"]) > 0]


def passages(run):
    """(time, height) at which the woodpecker passes the level on its way to the pole."""
    angle = [a + b for a, b in zip(run["sleeve.q"], run["bird.q"])]
    found = []
    for k in range(len(angle) - 1):
        if angle[k] < 0 <= angle[k + 1]:
            s = angle[k] / (angle[k] - angle[k + 1])
            found.append(tuple(c[k] + s * (c[k + 1] - c[k]) for c in (run["time"], run["carriage.q"])))
    return found


def beat(run):
    """Period of the woodpecker after its first two beats."""
    found = passages(run)
    return (found[-1][0] - found[2][0]) / (len(found) - 3)


TURN, SWING, FLIP, NUTATION = 7 * math.pi / 2, 0.922646401307, 41.5092195293, 0.599985198492

ENTRIES = (
    ("rattleback", 2.5, [4e-4, 2e-4, 1e-4], "spin, rad/s", lambda r: r["rattleback.wz"][-1] - 0.296321695),
    ("tippe_top", 2, [2e-3, 1e-3, 5e-4, 2.5e-4], "height of the axis, e_z",
     lambda r: rotate(r, "top", [0, 0, 1])[2] + 0.990133014),
    ("eulers_disk", 0.5, [2e-3, 1e-3, 5e-4, 2.5e-4], "angle of precession, rad", eulers_disk),
    ("rolling_coin", 1, [4e-3, 2e-3, 1e-3, 5e-4], "place of the centre, m", rolling_coin),
    ("turntable", TURN, [TURN / 1100, TURN / 2200, TURN / 4400], "place, m",
     lambda r: math.hypot(r["ball.x"][-1] - 1, r["ball.y"][-1])),
    ("rocker", SWING, [SWING / 200, SWING / 400, SWING / 800], "angular velocity after one period, rad/s",
     lambda r: r["rocker.wy"][-1]),
    ("ball_on_ball", 0.5, [5e-3, 2.5e-3, 1.25e-3], "angle while it rolls, rad",
     lambda r: math.atan2(r["ball.x"][-1], r["ball.z"][-1]) - 0.656980779676),
    ("racket", FLIP, [FLIP / 400, FLIP / 800, FLIP / 1600], "ω₃ after one period, rad/s",
     lambda r: spin_about(r, "racket", [0, 0, 1])),
    ("heavy_top", NUTATION, [NUTATION / 1200, NUTATION / 2400, NUTATION / 4800], "angle of precession, rad", heavy_top),
    ("rocking_block", 1.65, [5e-3, 2.5e-3, 1.25e-3], "time of the fourth impact, s",
     lambda r: impact_times(r)[3] - 1.603468756),
    ("dominoes", 0.38, [2e-3, 1e-3, 5e-4], "time of the worst hit, s",
     lambda r: max(abs(a - b) for a, b in zip(hits(r), HITS))),
    ("woodpecker", 0.7, [4e-4, 2e-4, 1e-4, 5e-5], "period, s", beat),
    ("slider_crank_clearance", 0.02, [2e-4, 1e-4, 5e-5, 2.5e-5], "time of the first impact, s",
     lambda r: impact_times(r)[0] - 0.0026925028),
    ("stick_slip", 4, [5e-3, 2.5e-3, 1.25e-3], "worst place, m",
     lambda r: max(abs(x - on_belt(t)) for t, x in zip(r["time"], r["block.x"]))),
)


def measure(pawl, folder):
    """{scene: (what, [(h, error)])}, and prints them with their orders as rows of a table."""
    found = {}
    print("| scene | error | " + "h: error, order of convergence |\n|---|---|---|")
    for scene, until, steps, what, error in ENTRIES:
        rows = []
        for h in steps:
            run = Run(pawl, f"../classics/{scene}", f"{h:.17g}", folder, f"run.until={until:.17g}",
                      "run.record.contacts=false")
            s = run.summary
            if s["certified"] != s["steps"]:
                print(f"{scene}, h = {h}: {s['certified']} of {s['steps']} steps are certified")
            rows.append((h, error(run)))
        if scene == "woodpecker":               # no closed form: differences to the next step
            rows = [(h, b - c) for (h, b), (_, c) in zip(rows, rows[1:])]
        cells = [f"{1000 * rows[0][0]:.3g} ms: {scientific(abs(rows[0][1]))}"]
        cells += [f"{1000 * h:.3g} ms: {scientific(abs(b))}, {math.log2(abs(a / b)):.2f}"
                  for (_, a), (h, b) in zip(rows, rows[1:])]
        print(f"| {scene} | {what} | {'; '.join(cells)} |", flush=True)
        found[scene] = (what, rows)
    return found


COLOURS = ("#0072b2", "#d55e00", "#009e73", "#8b5fbf", "#d1007a", "#e69f00", "#12355b")


def picture(found):
    """All errors over the step, both logarithmic, relative to that of the longest step: lines of slope 2."""
    p = Picture(860, 400, "Errors of the classical benchmarks over the step")
    p.text(36, 32, "Errors over the step, relative to those of each scene's longest step", 15)
    left, top, width, height = 70, 56, 480, 280
    x = lambda k: left + width * (1 - k / 3.2)          # k halvings of the step
    y = lambda e: top - 10 + height * -math.log10(e) / 2.1 + 10
    for k in range(4):
        p.line(x(k), top, x(k), top + height, GRID)
        p.text(x(k), top + height + 20, ("h", "h/2", "h/4", "h/8")[k], 12.5, anchor="middle")
        p.line(left, y(4.0**-k), left + width, y(4.0**-k), GRID)
        p.text(left - 8, y(4.0**-k) + 4.5, ("1", "1/4", "1/16", "1/64")[k], 12.5, anchor="end")
    p.line(x(0), y(1), x(3), y(1 / 64), SOFT, 6, stroke_opacity=0.25)
    p.text(x(3) + 8, y(1 / 64) + 16, "second order", 12, SOFT)
    for n, (scene, (_, rows)) in enumerate(found.items()):
        colour, dash = COLOURS[n % 7], "5 3" if n >= 7 else None
        points = [(x(k), y(abs(e / rows[0][1]))) for k, (_, e) in enumerate(rows)]
        p.polyline(points, colour, 1.4, stroke_dasharray=dash)
        for point in points:
            p.circle(*point, 2.6, colour)
        row = top + 12 + 20 * n
        p.line(590, row, 620, row, colour, 2, stroke_dasharray=dash)
        p.text(630, row + 4.5, f"{scene.replace('_', ' ')}, h = {1000 * rows[0][0]:.3g} ms", 12.5, INK)
    return p
