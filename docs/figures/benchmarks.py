"""The figures of docs/benchmarks.md; tools/benchmarks calls it. Lines are runs, rings are the references."""

import contextlib
import io
import math

import rolling_references
from benchmark_errors import HITS, hits, on_belt, rotate, spin_about
from reference_math import integrate, turn
from runs import Run
from svg import SOFT, Axes, Picture, mix

RUN, OTHER, REFERENCE, SOLID = "#0072b2", "#d55e00", "#222222", "#d5d5d5"
WIDTH = 760


def quiet(reference):
    """What a reference returns, without what it prints."""
    with contextlib.redirect_stdout(io.StringIO()):
        return reference()


def span(values, margin=0.06):
    low, high = min(values), max(values)
    return low - margin * (high - low), high + margin * (high - low)


def rings(axes, xs, ys):
    for x, y in zip(xs, ys):
        axes.picture.circle(*axes.at(x, y), 3, "none", REFERENCE, stroke_width=1.2)


def over_time(title, label, series, reference=None, height=300):
    """Curves over time: series of (times, values, colour); reference: times and values, as rings."""
    p = Picture(WIDTH, height, title)
    p.text(70, 30, title, 14.5)
    values = [v for _, ys, _ in series for v in ys]
    axes = Axes(p, 70, 46, WIDTH - 96, height - 100, (0, max(xs[-1] for xs, _, _ in series)), span(values))
    axes.frame("time (s)", label)
    for xs, ys, colour in series:
        axes.polyline(xs, ys, colour, 1.6)
    if reference:
        rings(axes, *reference)
    return p


def sparse(times, values, count):
    k = max(1, len(times) // count)
    return times[::k], values[::k]


# --- Rolling --------------------------------------------------------------------------------------------------------

def rattleback(run):
    return over_time("Rattleback: it stops turning and turns back; rings: equations of rolling", "spin (rad/s)",
                     [(run["time"], run["rattleback.wz"], RUN)], sparse(*quiet(rolling_references.rattleback), 60))


def tippe_top(run):
    heights = [rotate(run, "top", [0, 0, 1], i)[2] for i in range(len(run["time"]))]
    return over_time("Tippe top: its axis turns over; rings: equations of sliding", "e_z",
                     [(run["time"], heights, RUN)], sparse(*quiet(rolling_references.tippe_top), 50))


def eulers_disk(run):
    xs = [rotate(run, "disk", [0, 0, 1], i)[0] for i in range(len(run["time"]))]
    times = [k * 0.005 for k in range(101)]
    exact = [math.sin(math.radians(15)) * math.sin(61.9649076719 * t) for t in times]
    return over_time("Euler's disk: x of its axis; rings: steady rolling in closed form", "e_x",
                     [(run["time"], xs, RUN)], (times, exact), 260)


def plan(title, run, body, exact, scale, width=430):
    """The path of a body seen from above, with rings of the reference."""
    xs, ys = run[f"{body}.x"], run[f"{body}.y"]
    x_range, y_range = span(xs), span(ys)
    p = Picture(max(width, scale * (x_range[1] - x_range[0]) + 110), scale * (y_range[1] - y_range[0]) + 100, title)
    p.text(30, 28, title, 13.5)
    axes = Axes.equal(p, 76, 44, scale, x_range, y_range)
    axes.frame("x (m)", "y (m)", 5, 5)
    axes.polyline(xs, ys, RUN, 1.6)
    rings(axes, *zip(*exact))
    return p


def rolling_coin(run):
    r = 0.0277395311039
    exact = [(r * math.sin(a), r * (1 - math.cos(a))) for a in (2 * math.pi * k / 24 for k in range(24))]
    return plan("Rolling coin: path of its centre; rings: closed form", run, "coin", exact, 5000)


def turntable(run):
    k = 4 / 7
    exact = [(1 + (0.3 * math.sin(a) - 0.2 * (1 - math.cos(a))) / k, (0.3 * (1 - math.cos(a)) + 0.2 * math.sin(a)) / k)
             for a in (2 * math.pi * i / 24 for i in range(24))]
    return plan("Ball on a turntable: path of the ball; rings: closed form", run, "ball", exact, 220)


def rocker(run):
    body = rolling_references.Rolling(1, [[2e-3, 0, 0], [0, 2e-3, 0], [0, 0, 2e-3]],
                                      *rolling_references.ellipsoid((0.1, 0.1, 0.1), (0, 0, 0.04)))
    states = integrate(body, turn([0, 1, 0], 1.0) + [0, 0, 0, 0, 0], 3, 3000)
    angle = [2 * math.atan2(s[2], s[0]) for s in states]
    mine = [2 * math.atan2(y, w) for y, w in zip(run["rocker.qy"], run["rocker.qw"])]
    return over_time("Rocker: its angle; rings: equations of rolling", "angle (rad)", [(run["time"], mine, RUN)],
                     sparse([k / 1000 for k in range(3001)], angle, 60), 260)


def ball_on_ball(run):
    p = Picture(560, 440, "Ball on a ball: it rolls, slips and leaves")
    p.text(30, 30, "A ball rolls down a fixed ball, slips, and leaves", 14.5)
    axes = Axes.equal(p, 30, 46, 370, (-0.42, 0.95), (-0.42, 0.62))
    radius = 370 * 0.4
    p.circle(*axes.at(0, 0), radius, SOLID, "#9a9a9a")
    for t in (0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        i = run.index(t)
        p.circle(*axes.at(run["ball.x"][i], run["ball.z"][i]), 37, "none", mix(RUN, "#ffffff", 0.75 - 0.9 * t))
    axes.polyline(run["ball.x"], run["ball.z"], RUN, 1.6)
    for angle, words in ((0.743889475, "slips"), (0.935089533, "leaves")):
        x, y = math.sin(angle), math.cos(angle)
        p.line(*axes.at(0, 0), *axes.at(0.64 * x, 0.64 * y), REFERENCE, 1, stroke_dasharray="4 3")
        p.text(axes.x(0.66 * x), axes.y(0.66 * y), f"{words}, {angle:.3f} rad", 12.5)
    rings(axes, [0.605432301], [-0.175459102])
    p.text(axes.x(0.63), axes.y(-0.18) + 4, "reference, 0.8 s", 12.5)
    return p


# --- Spinning -------------------------------------------------------------------------------------------------------

def racket(run):
    def euler(w):
        return [(2 - 3) * w[1] * w[2] / 1, (3 - 1) * w[2] * w[0] / 2, (1 - 2) * w[0] * w[1] / 3]

    states = integrate(euler, [0.01, 1, 0], 45, 4500)
    mine = [spin_about(run, "racket", [0, 1, 0], i) for i in range(len(run["time"]))]
    return over_time("Tennis racket: angular velocity about its middle axis; rings: Euler's equations", "ω₂ (rad/s)",
                     [(run["time"], mine, RUN)], sparse([k / 100 for k in range(4501)], [w[1] for w in states], 70),
                     260)


def heavy_top(run):
    r, angle = 0.1 * math.sin(0.5), 3.39778194864
    exact = [(r * math.cos(k * angle), r * math.sin(k * angle)) for k in range(4)]
    return plan("Heavy top: path of its centre of mass; rings: cusps", run, "top", exact, 1800)


# --- Impacts and friction -------------------------------------------------------------------------------------------

def rocking_block(run):
    times = (0.295958603, 0.794811510, 1.225731247, 1.603468756)
    return over_time("Rocking block: its angle; rings: impacts by Housner's ratio", "angle (rad)",
                     [(run["time"], run["block.theta"], RUN)], (times, [0] * 4), 260)


def domino(axes, x, y, theta, colour):
    c, s = math.cos(theta), math.sin(theta)
    corners = [axes.at(x + a * c - b * s, y + a * s + b * c)
               for a, b in ((-0.004, -0.025), (0.004, -0.025), (0.004, 0.025), (-0.004, 0.025))]
    axes.picture.polyline([*corners, corners[0]], colour, 0.8, mix(colour, "#ffffff", 0.6))


def dominoes(run):
    p = Picture(WIDTH, 470, "Dominoes")
    p.text(40, 30, "Dominoes at three instants; below, when each is hit; rings: energy and momentum", 14.5)
    for row, t in enumerate((0.15, 0.27, 0.37)):
        axes = Axes.equal(p, 90, 44 + 62 * row, 1000, (-0.01, 0.31), (0, 0.055))
        i = run.index(t)
        p.line(axes.left, axes.bottom, axes.left + 360, axes.bottom, "#555555", 1.2)
        for k in range(1, 11):
            domino(axes, *(run[f"d{k}.{c}"][i] for c in ("x", "y", "theta")), RUN)
        p.text(80, axes.bottom - 4, f"{t} s", 12.5, SOFT, "end")
    axes = Axes(p, 90, 250, WIDTH - 130, 160, (0, 0.4), (0, 0.27))
    axes.frame("time (s)", "place (m)", y_count=4)
    places = [0.028 * k for k in range(1, 10)]
    axes.polyline(hits(run), places, RUN, 1.6)
    rings(axes, HITS, places)
    return p


def woodpecker(run):
    angles = [math.degrees(a + b) for a, b in zip(run["sleeve.q"], run["bird.q"])]
    p = Picture(WIDTH, 480, "Woodpecker: height of the sleeve and angle of the bird")
    p.text(70, 30, "Woodpecker toy: height of the sleeve and angle of the bird", 14.5)
    for top, values, label in ((46, run["carriage.q"], "height (m)"), (262, angles, "angle (°)")):
        axes = Axes(p, 80, top, WIDTH - 110, 160, (0, 1), span(values))
        axes.frame("time (s)", label, y_count=4)
        axes.polyline(run["time"], values, RUN, 1.6)
    return p


def slider_crank(coarse, fine):
    p = Picture(WIDTH, 300, "Slider-crank with clearance: height of the slider's centre")
    p.text(70, 30, "Slider-crank: height of the slider's centre; h = 0.2 ms (orange), 0.025 ms (blue)", 14.5)
    axes = Axes(p, 70, 46, WIDTH - 96, 200, (0, 0.1), (-1.1, 1.1))
    axes.frame("time (s)", "height (mm)")
    for run, colour, width in ((coarse, OTHER, 3), (fine, RUN, 1.3)):
        heights = [153 * math.sin(a) + 306 * math.sin(a + b) for a, b in zip(run["crank.q"], run["rod.q"])]
        axes.polyline(run["time"], heights, colour, width)
    return p


def stick_slip(run):
    times = [0.04 * k for k in range(101)]
    return over_time("Block on a belt: its place; rings: closed form", "x (m)", [(run["time"], run["block.x"], RUN)],
                     (times, [on_belt(t) for t in times]), 260)


def pictures(pawl, folder):
    def of(scene, step, until):
        return Run(pawl, f"../classics/{scene}", step, folder, f"run.until={until}", "run.record.contacts=false")

    return {
        "rattleback": rattleback(of("rattleback", "0.0005", 3)),
        "tippe_top": tippe_top(of("tippe_top", "0.0005", 2)),
        "eulers_disk": eulers_disk(of("eulers_disk", "0.001", 0.5)),
        "rolling_coin": rolling_coin(of("rolling_coin", "0.001", 0.8)),
        "turntable": turntable(of("turntable", "0.01", 11)),
        "rocker": rocker(of("rocker", "0.005", 3)),
        "ball_on_ball": ball_on_ball(of("ball_on_ball", "0.005", 0.8)),
        "racket": racket(of("racket", "0.05", 45)),
        "heavy_top": heavy_top(of("heavy_top", "0.0005", 1.9)),
        "rocking_block": rocking_block(of("rocking_block", "0.005", 2)),
        "dominoes": dominoes(of("dominoes", "0.001", 0.4)),
        "woodpecker": woodpecker(of("woodpecker", "0.0004", 1)),
        "slider_crank": slider_crank(of("slider_crank_clearance", "0.0002", 0.1),
                                     of("slider_crank_clearance", "0.000025", 0.1)),
        "stick_slip": stick_slip(of("stick_slip", "0.005", 4)),
    }
