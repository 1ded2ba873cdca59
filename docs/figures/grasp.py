"""The figures of M. Anitescu, A. Miller and G. D. Hart 2003: the ellipse on a tabletop and the grasp of a glass."""

import math

from runs import Run
from svg import SOFT, Axes, Picture, mix

GAMMAS = {"0": "#d55e00", "0.2": "#0072b2", "0.5": "#8b5fbf", "1": "#009e73"}
ADAPTIVE = {"1": GAMMAS["1"], "adaptive": "#cc79a7"}
LATE = "run.active_gap=0"                   # contacts enter when they touch: without it γ = 0 hovers and has no drift
TABLE, GLASS, HAND = "#d5d5d5", "#56b4e9", "#4d4d4d"
FLOOR = 1e-10                               # what the logarithmic axes show of less


# --- Infeasibility over time ----------------------------------------------------------------------------------------

def joints(step):
    return float(step["joint_violation"])


def total(step):
    return max(joints(step), float(step["gap_violation"]))


def log_panel(picture, left, width, figure, title, runs, infeasibility, y_range, unit):
    """I(q) over time for each γ, on a logarithmic axis; below its floor a curve is cut."""
    axes = Axes(picture, left, 62, width, 270, (0, float(next(iter(runs.values())).steps[-1]["time"])), y_range)
    if figure:
        picture.text(left - 34, 36, f"Figure {figure}", 14, bold=True)
    picture.text(left + (44 if figure else -34), 36, title, 13, SOFT)
    axes.frame("time (s)", f"log₁₀ of I ({unit})", y_count=7, size=11)
    for gamma, run in runs.items():
        times = [float(step["time"]) for step in run.steps]
        axes.polyline(times, [math.log10(max(infeasibility(step), FLOOR)) for step in run.steps], colour(gamma), 1.6)
    return axes


def colour(gamma):
    return (GAMMAS | ADAPTIVE)[gamma]


def key(axes, runs, corner):
    axes.legend([(f"γ = {gamma}" if gamma in GAMMAS else f"{gamma} γ", colour(gamma), 2) for gamma in runs], corner, 11.5)


def grasp_infeasibility(runs):
    p = Picture(860, 396, "Grasp: infeasibility of joints, and of joints and contacts")
    left = log_panel(p, 74, 330, 3, "joints", runs, joints, (-9, -4), "m or rad")
    log_panel(p, 504, 330, 4, "joints and contacts", runs, total, (-9, -2.8), "m or rad")
    key(left, runs, "bottom left")
    return p


def parting(run):
    """The fastest that a finger and the glass part while they push each other, step by step."""
    fastest = {}
    for contact in run.contacts:
        if contact["body_b"] != "table" and float(contact["impulse_n"]) > 0:
            time = float(contact["time"])
            fastest[time] = max(fastest.get(time, 0.0), float(contact["velocity_n"]))
    return list(fastest), list(fastest.values())


def grasp_adaptive(runs):
    p = Picture(860, 396, "Grasp: an adaptive γ")
    left = log_panel(p, 74, 330, None, "infeasibility of joints and contacts", runs, total, (-9, -2.8), "m or rad")
    right = Axes(p, 504, 62, 330, 270, (left.x0, left.x1), (0, 140))
    p.text(470, 36, "how fast stabilisation parts fingers and glass", 13, SOFT)
    right.frame("time (s)", "velocity (mm/s)", y_count=7, size=11)
    for gamma, run in runs.items():
        times, speeds = parting(run)
        right.polyline(times, [1000 * speed for speed in speeds], colour(gamma), 1.6)
    key(left, runs, "bottom right")
    return p


def ellipse_infeasibility(runs):
    p = Picture(620, 396, "Ellipse: infeasibility")
    key(log_panel(p, 74, 520, 2, "the ellipse on a tabletop", runs, total, (-4, 0.6), "m"), runs, "bottom left")
    return p


# --- Frames ---------------------------------------------------------------------------------------------------------

def ellipse_frames(run):
    """Ten frames in two rows; a radius is drawn to show the turn."""
    p = Picture(860, 330, "Ellipse on a tabletop, ten frames")
    middle = run["ellipse.x"]
    for k in range(10):
        i = run.index(0.3 * k)
        left, top = 16 + 168 * (k % 5), 20 + 154 * (k // 5)
        axes = Axes.equal(p, left, top, 11.5, (middle[i] - 6.8, middle[i] + 6.8), (-0.8, 10.6))
        p.rect(axes.left, axes.y(0), axes.width, 6, fill=TABLE)
        x, y, theta = middle[i], run["ellipse.y"][i], run["ellipse.theta"][i]
        at = axes.at(x, y)
        p.add("ellipse", cx=at[0], cy=at[1], rx=4 * 11.5, ry=2 * 11.5, fill=mix(GLASS, "#ffffff", 0.5), stroke=GLASS,
              transform=f"rotate({-math.degrees(theta):.2f} {at[0]:.2f} {at[1]:.2f})")
        p.line(*at, *axes.at(x + 4 * math.cos(theta), y + 4 * math.sin(theta)), GLASS, 1.5)
        p.text(axes.left + 4, axes.top + 12, f"{0.3 * k:.1f} s", 12, SOFT)
    return p


def long_axis(run, body, i):
    """The z axis of a body, in the world, as (x, z)."""
    w, x, y, z = (run[f"{body}.{c}"][i] for c in ("qw", "qx", "qy", "qz"))
    return 2 * (x * z + w * y), 1 - 2 * (x * x + y * y)


def ends(run, body, i, half):
    """The points at -half and +half along a body's long axis, as (x, z)."""
    x, z, (ax, az) = run[f"{body}.x"][i], run[f"{body}.z"][i], long_axis(run, body, i)
    return (x - half * ax, z - half * az), (x + half * ax, z + half * az)


def draw_glass(axes, run, i):
    (x0, z0), (x1, z1) = ends(run, "glass", i, 0.05)
    ax, az = long_axis(run, "glass", i)
    rx, rz = 0.03 * az, -0.03 * ax
    corners = [(x0 - rx, z0 - rz), (x0 + rx, z0 + rz), (x1 + rx, z1 + rz), (x1 - rx, z1 - rz)]
    axes.picture.polyline([axes.at(*c) for c in [*corners, corners[0]]], GLASS, 1.2, mix(GLASS, "#ffffff", 0.55))


def draw_hand(axes, run, i):
    """Seen along y: the finger at the far side is paler, and hides behind the near one where they stand alike."""
    p, thick = axes.picture, 0.016 * axes.width / (axes.x1 - axes.x0)
    palm = run["palm.z"][i]
    for finger, fade in (("left", 0.55), ("thumb", 0.15), ("right", 0.0)):
        for link, half, pale in (("inner", 0.035, 0.0), ("outer", 0.028, 0.3)):
            a, b = ends(run, f"{finger}_{link}", i, half)
            p.line(*axes.at(*a), *axes.at(*b), mix(HAND, "#ffffff", max(fade, pale)), thick, stroke_linecap="round")
    p.rect(axes.x(-0.05), axes.y(palm + 0.015), axes.x(0.05) - axes.x(-0.05), axes.y(palm - 0.015) - axes.y(palm + 0.015),
           fill=mix(HAND, "#ffffff", 0.6), stroke=HAND, rx=3)
    p.line(*axes.at(0.05, palm - 0.01), *axes.at(0.075, palm - 0.01), HAND, 0.6 * thick)


def grasp_frames(slips, holds):
    p = Picture(860, 552, "Grasp of a glass, with little and with enough friction")
    for row, (run, words) in enumerate(((slips, "μ = 0.1: the fingers slip off"), (holds, "μ = 0.8: they hold, and lift the glass"))):
        top = 20 + 264 * row
        p.text(20, top + 14, words, 14, bold=True)
        for k, time in enumerate((0, 0.5, 1, 1.4, 1.8)):
            axes = Axes.equal(p, 18 + 166 * k, top + 10, 730, (-0.11, 0.11), (-0.01, 0.31))
            p.rect(axes.left, axes.y(0), axes.width, 7, fill=TABLE)
            i = run.index(time)
            draw_glass(axes, run, i)
            draw_hand(axes, run, i)
            p.text(axes.left + 4, axes.y(0) - 6, f"{time:g} s", 12, SOFT)
    return p


def pictures(pawl, folder):
    def hand(*overrides):
        return Run(pawl, "grasp_rows", "0.0025", folder, *overrides)

    def ellipse(*overrides):
        return Run(pawl, "ellipse", "0.05", folder, *overrides)

    def paper(gamma):
        return "run.method=anitescu-hart", f"run.gamma={gamma}", LATE

    return {
        "ellipse_frames": ellipse_frames(ellipse()),
        "ellipse_infeasibility": ellipse_infeasibility({gamma: ellipse(*paper(gamma)) for gamma in GAMMAS}),
        "grasp_frames": grasp_frames(hand(), hand("pairs.0.friction=0.8")),
        "grasp_adaptive": grasp_adaptive({gamma: hand(*paper(gamma)) for gamma in ADAPTIVE}),
        "grasp_infeasibility": grasp_infeasibility({gamma: hand(*paper(gamma)) for gamma in ("0", "0.2", "1")}),
    }
