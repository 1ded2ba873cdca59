"""The figures of docs/mechanisms.md."""

import math

from runs import Run
from svg import SOFT, Axes, Picture, mix

STEEL, PART, OTHER = "#4d4d4d", "#0072b2", "#d55e00"

# --- Parts feeder ---------------------------------------------------------------------------------------------------

SLOPE = math.radians(35)
CENTRE = 0.007025423728813558               # m: of mass, above the cup's bottom
# Bottom and walls, as the scene has them: middle and half the size.
CUP = (((0, 0.003), (0.02, 0.003)), ((-0.0185, 0.0155), (0.0015, 0.0095)), ((0.0185, 0.0155), (0.0015, 0.0095)))


def down_the_slope(x, y):
    """The scene has the track level; the picture has it as it stands."""
    return x * math.cos(SLOPE) + y * math.sin(SLOPE), -x * math.sin(SLOPE) + y * math.cos(SLOPE)


def draw_cup(axes, run, name, i, colour):
    x, y, theta = (run[f"{name}.{c}"][i] for c in ("x", "y", "theta"))
    for (cx, cy), (hx, hy) in CUP:
        corners = []
        for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1)):
            a, b = cx + sx * hx, cy + sy * hy - CENTRE
            corners.append(axes.at(*down_the_slope(x + a * math.cos(theta) - b * math.sin(theta),
                                                   y + a * math.sin(theta) + b * math.cos(theta))))
        axes.picture.polyline([*corners, corners[0]], colour, 0.8, mix(colour, "#ffffff", 0.5))


def draw_track(axes, end):
    p = axes.picture
    corners = [down_the_slope(*c) for c in ((-0.03, 0), (end, 0), (end, -0.006), (-0.03, -0.006))]
    p.polyline([axes.at(*c) for c in corners], "none", 0, "#d5d5d5")
    p.circle(*axes.at(*down_the_slope(0.15, 0.036)), 0.004 * axes.width / (axes.x1 - axes.x0), fill=STEEL)


def parts_feeder(run):
    p = Picture(860, 430, "Parts feeder: two cups on their way past a protrusion")
    panels = (("mouth_up", "mouth up: passes below", PART, (0, 0.25, 0.35, 0.42, 0.48), 20),
              ("mouth_first", "mouth first: held back at its rim, it tumbles", OTHER,
               (0, 0.25, 0.35, 0.42, 0.5, 0.57, 0.65, 0.75), 440))
    for name, words, colour, times, left in panels:
        axes = Axes.equal(p, left, 56, 1050, (-0.03, 0.345), (-0.255, 0.07))
        p.text(left, 30, words, 14, bold=True)
        draw_track(axes, 0.4)
        labelled = -math.inf
        for k, time in enumerate(times):
            draw_cup(axes, run, name, run.index(time), mix(colour, "#ffffff", 0.55 * (1 - k / (len(times) - 1))))
            x = run[f"{name}.x"][run.index(time)]
            if x - labelled > 0.03:         # else the words would cover each other
                labelled = x
                p.text(*axes.at(*down_the_slope(x - 0.006, -0.016)), f"{time:g} s", 10.5, SOFT, anchor="end")
    return p


def pictures(pawl, folder):
    return {"parts_feeder": parts_feeder(Run(pawl, "../parts_feeder", "0.001", folder))}
