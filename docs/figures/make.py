#!/usr/bin/env python3
"""Draws the figures of this folder from runs of the scenes in scenes/.

    python3 docs/figures/make.py [PAWL]      PAWL: the program, ./pawl of the project unless told

They redraw Figures 2 to 8 of D. E. Stewart and J. C. Trinkle, "An implicit time-stepping scheme for rigid body dynamics
with Coulomb friction", ICRA 2000, by distributed.py Figures 3 to 25 of J. C. Trinkle, J. A. Tzitzouris and J. S. Pang,
"Dynamic multi-rigid-body systems with concurrent distributed contacts", Sandia report SAND2001-0076, and by grasp.py those of
M. Anitescu, A. Miller and G. D. Hart, "Constraint stabilization for time-stepping approaches for rigid multibody dynamics
with joints, contact and friction", 2003; mechanisms.py draws those of
docs/mechanisms.md and impacts.py those of docs/impacts.md. tools/benchmarks draws those of docs/benchmarks.md. Needs
nothing but Python. The same runs give the same files, byte for byte.
"""

import math
import pathlib
import sys
import tempfile

sys.dont_write_bytecode = True      # leave no cache in the folder of the figures
import distributed
import grasp
import impacts
import mechanisms
from runs import ROOT, Run, certificate
from svg import SOFT, WHITE, Axes, Picture, mix, nice_ticks, number, tick_label

HERE = pathlib.Path(__file__).resolve().parent

NORMAL, FRICTION = "#222222", "#d1007a"     # colours of impulses


# --- Four balls -----------------------------------------------------------------------------------------------------

RADIUS = 0.1
BALLS = {"ball1": "#d55e00", "ball2": "#0072b2", "ball3": "#009e73", "ball4": "#8b5fbf"}
ELEVATION, PLAN = (0, 2), (0, 1)            # the world axes that lie to the right and upwards in the view
TOWARDS_VIEWER = {ELEVATION: (1, -1), PLAN: (2, 1)}     # axis and sign of the direction to the eye


def position(run, ball, i):
    return [run[f"{ball}.{axis}"][i] for axis in "xyz"]


def rotate(q, a):
    """The vector a, turned by the unit quaternion q = (w, x, y, z)."""
    w, u = q[0], q[1:]
    t = [2 * c for c in cross(u, a)]
    return [a[k] + w * t[k] + c for k, c in enumerate(cross(u, t))]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def seam(run, ball, i, view):
    """The visible half of a great circle painted on the ball, relative to its centre: it shows how the ball turned."""
    q = [run[f"{ball}.{c}"][i] for c in ("qw", "qx", "qy", "qz")]
    depth, sign = TOWARDS_VIEWER[view]
    circle = []
    for k in range(48):
        angle = 2 * math.pi * (k + 0.5) / 48
        a = rotate(q, [0, RADIUS * math.cos(angle), RADIUS * math.sin(angle)])
        circle.append((sign * a[depth] > -1e-9, (a[view[0]], a[view[1]])))
    starts = [k for k in range(48) if circle[k][0] and not circle[k - 1][0]]
    if not starts:      # seen edge-on or from its axis
        return [point for _, point in circle]
    turned = circle[starts[0]:] + circle[:starts[0]]
    return [point for visible, point in turned if visible]


def draw_ball(axes, run, ball, i, view, fade=0.0):
    """A ball at state i; fade 0 is solid and 1 white."""
    p, centre = axes.picture, position(run, ball, i)
    x, y = axes.at(centre[view[0]], centre[view[1]])
    r = axes.x(RADIUS) - axes.x(0)
    colour = mix(BALLS[ball], WHITE, fade)
    p.circle(x, y, r, p.shade(colour), mix(colour, WHITE if fade else "#000000", 0.25), stroke_width=0.8)
    p.polyline([axes.at(centre[view[0]] + a, centre[view[1]] + b) for a, b in seam(run, ball, i, view)],
               mix(colour, WHITE, 0.7), max(0.8, 0.035 * r))


def stroboscope(axes, run, view, times):
    """The balls at the given times, the older the fainter, and the paths of their centres up to the last time."""
    depth, sign = TOWARDS_VIEWER[view]
    last = run.index(times[-1])
    drawn = {}
    for time in times:
        i = run.index(time)
        fade = 0.82 * (1 - i / last) ** 0.8
        for ball in sorted(BALLS, key=lambda b: (sign * position(run, b, i)[depth], b)):
            place = position(run, ball, i)
            if ball not in drawn or math.dist(place, drawn[ball]) > 1e-4 or i == last:     # once while it lies still
                draw_ball(axes, run, ball, i, view, fade)
            drawn[ball] = place
    for ball, colour in BALLS.items():
        path = [position(run, ball, i) for i in range(last + 1)]
        axes.polyline([a[view[0]] for a in path], [a[view[1]] for a in path], mix(colour, "#000000", 0.45), 1.3)
        end = axes.at(path[-1][view[0]], path[-1][view[1]])
        axes.picture.circle(*end, 2.2, mix(colour, "#000000", 0.45))


def collision_step(run):
    """The time at the end of the step in which balls 1 and 2 push each other most."""
    pushes = [c for c in run.contacts if (c["body_a"], c["body_b"]) == ("ball1", "ball2")]
    return max(pushes, key=lambda c: float(c["impulse_n"]))["time"]


def impulses(run, time):
    """(ball, partner, direction from its centre to the contact, normal impulse, friction impulse), on each ball."""
    found = []
    for c in (c for c in run.contacts if c["time"] == time):
        n = [float(c[f"normal_{axis}"]) for axis in "xyz"]
        t = [float(c[f"tangent_{axis}"]) for axis in "xyz"]
        o = cross(n, t)
        p_n, p_t, p_o = (float(c[f"impulse_{name}"]) for name in "nto")
        normal = [p_n * a for a in n]
        friction = [p_t * a + p_o * b for a, b in zip(t, o)]
        for ball, partner, sign in ((c["body_a"], c["body_b"], 1), (c["body_b"], c["body_a"], -1)):
            if ball in BALLS:
                found.append((ball, partner, [-sign * a for a in n], [sign * a for a in normal],
                              [sign * a for a in friction]))
    return found


def free_bodies(picture, run, time, view, centres, r, scale, labels):
    """The balls drawn apart, each with the impulses that act on it. centres: pixels; scale: pixels per N s."""
    for ball, (x, y) in centres.items():
        colour = mix(BALLS[ball], WHITE, 0.55)
        picture.circle(x, y, r, picture.shade(colour), mix(BALLS[ball], WHITE, 0.2), stroke_width=1)
    for ball, partner, to_contact, normal, friction in impulses(run, time):
        x = centres[ball][0] + r * to_contact[view[0]]
        y = centres[ball][1] - r * to_contact[view[1]]
        for vector, colour, kind in ((normal, NORMAL, "normal"), (friction, FRICTION, "friction")):
            dx, dy = scale * vector[view[0]], -scale * vector[view[1]]
            length = math.hypot(dx, dy)
            if length < 1.5:
                continue
            picture.arrow(x, y, dx, dy, colour, 2.2 if labels else 1.8, 9 if labels else 7)
            if labels:
                label_impulse(picture, x, y, dx, dy, f"{length / scale:.3f}", colour, kind, partner)


def label_impulse(picture, x, y, dx, dy, words, colour, kind, partner):
    """Beside the middle of a normal impulse, beyond the tip of a friction impulse."""
    if kind == "normal" and abs(dx) > abs(dy):
        picture.text(x + dx / 2, y + dy / 2 - 9, words, 13, colour, "middle", halo=True)
    elif kind == "normal":
        picture.text(x + 9, y + dy / 2 + 5, words, 13, colour, halo=True)
    elif partner == "table":
        picture.text(x + dx - 4, y + dy + 16, words, 13, colour, "end", halo=True)
    elif dy < 0:
        picture.text(x + dx, y - max(-dy + 7, 26), words, 13, colour, "middle", halo=True)
    else:
        picture.text(x + dx, y + max(dy + 15, 19), words, 13, colour, "middle", halo=True)


def impulse_key(picture, x, y, scale, amount, size):
    """What the two kinds of arrow are, and how long an impulse of `amount` N s is."""
    picture.arrow(x, y, scale * amount, 0, NORMAL, 2, 8)
    picture.text(x + scale * amount + 8, y + 0.36 * size, f"normal, {amount} N s", size, SOFT)
    x += scale * amount + 8 + 0.62 * size * 18
    picture.arrow(x, y, scale * amount, 0, FRICTION, 2, 8)
    picture.text(x + scale * amount + 8, y + 0.36 * size, "friction", size, SOFT)


def step_words(run, time):
    return f"{float(time) - run.step:.3f} to {float(time):.3f} s"


def draw_table_edge(axes, ticks=True):
    """The table seen from the side, with the x axis written on it."""
    p, y = axes.picture, axes.y(0)
    p.rect(axes.left, y, axes.width, 7, fill="#d5d5d5")
    p.line(axes.left, y, axes.right, y, "#555555", 1.5)
    for value in nice_ticks(axes.x0, axes.x1, 8)[0] if ticks else ():
        p.line(axes.x(value), y + 7, axes.x(value), y + 11, "#9a9a9a")
        p.text(axes.x(value), y + 24, f"{value:g} m", 12, SOFT, "middle")


def four_balls(run):
    """The picture at the head of the README: Figures 6, 7 and 8 in one."""
    p = Picture(800, 848, "Four balls: a thrown ball meets three that lie in a line; elevation, plan and impulses")
    p.text(36, 46, "Four balls", 24, bold=True)
    p.text(190, 46, "The first, thrown onto a table, runs into a row of three.", 14.5, SOFT)
    times = [k / 10 for k in range(11)]
    x_range = (-0.13, 1.62)
    scale = (p.width - 72) / (x_range[1] - x_range[0])

    side = Axes.equal(p, 36, 72, scale, x_range, (0, 1.13))
    draw_table_edge(side)
    stroboscope(side, run, ELEVATION, times)
    p.text(side.left + 10, side.bottom - 14, "from the side", 12, SOFT)
    for time in times[:5]:
        x, _, z = position(run, "ball1", run.index(time))
        p.text(side.x(x - 0.078), side.y(z - 0.098) + 6, f"{time:g} s", 12, SOFT, "end")
    for time, words, shift in ((0.5, "0.5 s", 0.028), (0.8, "0.6 to 1 s", 0.015)):
        x, _, z = position(run, "ball1", run.index(time))
        p.text(side.x(x + shift), side.y(z + 0.12), words, 12, SOFT, "middle")
    for ball, colour in BALLS.items():
        x, _, z = position(run, ball, 0)
        dx, dz, anchor = (0.09, 0.09, "start") if ball == "ball1" else (0.03, 0.12, "middle")
        p.text(side.x(x + dx), side.y(z + dz), f"ball {ball[-1]}", 13, colour, anchor, bold=True)

    above = Axes.equal(p, 36, side.bottom + 50, scale, x_range, (-0.14, 0.285))
    p.rect(above.left, above.top, above.width, above.height, fill="#f1f1f1", stroke="#dddddd", rx=4)
    for value in nice_ticks(above.x0, above.x1, 8)[0]:
        p.line(above.x(value), above.top, above.x(value), above.bottom, WHITE, 1.2)
    stroboscope(above, run, PLAN, times)
    p.text(above.left + 10, above.top + 20, "from above", 12, SOFT)

    collision_inset(p, run, 344, 78, 420, 222)

    steps, quality = certificate(run)
    p.text(36, above.bottom + 30, f"Four balls, Stewart & Trinkle 2000: {steps}", 13.5)
    p.text(36, above.bottom + 50, quality, 13.5)
    return p


def collision_inset(p, run, left, top, width, height):
    """Figure 6 in small: the impulses of the collision."""
    time = collision_step(run)
    r, gap, middle, scale = 40, 20, top + 88, 80
    p.rect(left, top, width, height, fill="#fbfbf8", stroke="#cfcfc8", rx=8)
    p.text(left + 14, top + 26, f"The collision: impulses on each ball, {step_words(run, time)}", 12.5)
    first = left + (width - 4 * 2 * r - 3 * gap) / 2 + r
    centres = {ball: (first + k * (2 * r + gap), middle) for k, ball in enumerate(BALLS)}
    p.line(left + 14, middle + r, left + width - 14, middle + r, "#999999", 1.2)
    free_bodies(p, run, time, ELEVATION, centres, r, scale, labels=False)
    for ball, (x, y) in centres.items():
        p.text(x, y + r + 17, ball[-1], 12.5, BALLS[ball], "middle", bold=True)
    lift = max(run["ball1.z"][run.index(float(time)):]) - RADIUS
    p.text(left + 14, middle + 92, f"Friction lifts ball 1, by {lift * 1000:.1f} mm, and presses ball 2 down.", 12.5)
    impulse_key(p, left + 14, middle + 114, scale, 0.5, 12)


def four_balls_view(run, view):
    """Figure 7 (elevation) or Figure 8 (plan) alone."""
    elevation = view == ELEVATION
    name = "Elevation" if elevation else "Plan"
    y_range = (0, 1.15) if elevation else (-0.15, 0.3)
    scale = 400
    p = Picture(800, scale * (y_range[1] - y_range[0]) + 112, f"Four balls: {name.lower()} view")
    axes = Axes.equal(p, 70, 44, scale, (-0.15, 1.6), y_range)
    p.text(70, 28, f"{name} view of the balls, every 0.1 s for 1 s (h = {number(run.step * 1000)} ms)", 14)
    axes.frame("x (m)", "z (m)" if elevation else "y (m)", x_count=9, y_count=6 if elevation else 5)
    stroboscope(axes, run, view, [k / 10 for k in range(11)])
    if elevation:
        p.line(axes.left, axes.bottom, axes.right, axes.bottom, "#555555", 2)
    for ball, colour in BALLS.items():
        start, end = position(run, ball, 0), position(run, ball, -1)
        if ball == "ball1" and elevation:
            p.text(axes.x(start[0] + 0.09), axes.y(start[2] + 0.09), "ball 1", 13, colour, bold=True)
        elif ball == "ball1":
            p.text(axes.x(end[0] - 0.11), axes.y(end[1] + 0.06), "ball 1", 13, colour, "end", bold=True)
        else:
            p.text(axes.x(start[0] + (0.03 if elevation else 0.08)), axes.y(start[view[1]] + 0.12), f"ball {ball[-1]}",
                   13, colour, "middle", bold=True)
    return p


def four_balls_impulses(run):
    """Figure 6: what acts on each ball in the step of the collision, from the side and from above."""
    time = collision_step(run)
    i = run.index(float(time))
    p = Picture(800, 624, "Four balls: impulses in the step of the collision")
    p.text(30, 36, f"Impulses on each ball in the step of the collision, {step_words(run, time)}, in N s", 15)
    p.text(30, 57, "The balls touch; they are drawn apart here. Numbers are lengths of the arrows as seen.", 12.5, SOFT)
    r, gap, scale = 80, 33, 125
    first = (p.width - 4 * 2 * r - 3 * gap) / 2 + r
    for view, middle, words in ((ELEVATION, 190, "from the side"), (PLAN, 430, "from above")):
        centres = {ball: (first + k * (2 * r + gap), middle) for k, ball in enumerate(BALLS)}
        p.text(30, middle - r - 14, words, 12.5, SOFT)
        if view == ELEVATION:
            p.line(30, middle + r, 770, middle + r, "#999999", 1.5)
        free_bodies(p, run, time, view, centres, r, scale, labels=True)
    for ball, (x, y) in centres.items():
        p.text(x, y + r + 23, f"ball {ball[-1]}", 14, BALLS[ball], "middle", bold=True)
        p.text(x, y + r + 42, f"then spins at {tick_label(run[f'{ball}.wy'][i], 2)} rad/s", 11.5, SOFT, "middle")
    impulse_key(p, 30, 596, scale, 0.5, 12.5)
    p.text(770, 600, "spin: about y, positive as in rolling to the right", 11.5, SOFT, "end")
    return p


# --- Falling rod ----------------------------------------------------------------------------------------------------

ROD_LENGTH, ROD_RADIUS = 0.5, 0.05          # between the centres of the round ends; of the ends
STEPS = {"0.01": "#e69f00", "0.005": "#d1495b", "0.0025": "#0072b2", "0.00125": "#1a1a1a"}


def rod_end(run, i, sign):
    """The centre of the round end at +length/2 or -length/2 along the rod."""
    theta = run["rod.theta"][i]
    return (run["rod.x"][i] + sign * ROD_LENGTH / 2 * math.cos(theta),
            run["rod.y"][i] + sign * ROD_LENGTH / 2 * math.sin(theta))


def draw_rods(axes, run, times, colours):
    """The rod at the given times, with the time at its upper end and a dot at its centre of mass."""
    p, r = axes.picture, axes.x(ROD_RADIUS) - axes.x(0)
    for time, colour in zip(times, colours):
        i = run.index(time)
        (x1, y1), (x2, y2) = (axes.at(*rod_end(run, i, sign)) for sign in (-1, 1))
        ends = {"stroke_linecap": "round"}
        p.line(x1, y1, x2, y2, colour, 2 * r, **ends)
        p.line(x1, y1, x2, y2, mix(colour, WHITE, 0.8), 2 * r - 2.4, **ends)
        p.circle(*axes.at(run["rod.x"][i], run["rod.y"][i]), 1.8, colour)
    for time, colour in zip(times, colours):
        i = run.index(time)
        x, y = axes.at(*rod_end(run, i, 1))
        theta = run["rod.theta"][i]
        p.text(x + 3 * math.cos(theta), y - 3 * math.sin(theta) + 4.3, f"{run['time'][i]:.4g}", 12,
               mix(colour, "#000000", 0.3), "middle", bold=True, halo=True)


def falling_rod(run):
    """Figure 2, in two parts: the fall, and what follows the first contact."""
    touching = {}       # contacts that push, by the time at the end of the step
    for c in run.contacts:
        if float(c["impulse_n"]) > 0:
            touching.setdefault(float(c["time"]), []).append(c)
    first = min(touching)
    slap = min(time for time, contacts in touching.items() if len(contacts) == 2)
    grip = max(time for time, contacts in touching.items() if time < slap and contacts[0]["state"] == "sticking")
    rest = next(t for t, v in zip(run["time"], run["rod.vx"]) if t > slap and abs(v) < 1e-6)

    p = Picture(800, 548, "Falling rod: the rod at several instants")
    p.text(36, 38, f"A spinning rod falls onto a table (h = {number(run.step * 1000)} ms, times in s)", 15)
    early, contact, late = "#e07a2f", "#12355b", "#c2185b"

    fall = Axes.equal(p, 36, 52, 340, (-0.45, 0.45), (0, 1.28))
    draw_table_edge(fall, ticks=False)
    draw_rods(fall, run, [0, 0.1, 0.2, 0.3, first], [mix(early, contact, k / 4) for k in range(5)])
    scale_bar(fall, 0.2)

    after = Axes.equal(p, 372, fall.bottom - 0.8 * 532, 532, (-0.55, 0.2), (0, 0.8))
    draw_table_edge(after, ticks=False)
    draw_rods(after, run, [first, 0.42, 0.46, 0.5, 0.53, slap], [mix(contact, late, k / 5) for k in range(6)])
    scale_bar(after, 0.2)
    events = (f"First contact in the step to {first:.4g} s.", f"The lower end grips until {grip:.4g} s,",
              "then slides to the left.", f"Both ends touch from {slap:.4g} s;", f"at rest from {rest:.4g} s.")
    for k, words in enumerate(events):
        p.text(after.left + 4, 96 + 20 * k, words, 13, SOFT)
    return p


def scale_bar(axes, length):
    p, y = axes.picture, axes.bottom + 22
    x = axes.right - (axes.x(length) - axes.x(0))
    p.line(x, y, axes.right, y, SOFT, 1.5)
    for end in (x, axes.right):
        p.line(end, y - 4, end, y + 4, SOFT, 1.5)
    p.text(x - 8, y + 4.3, f"{length} m", 12, SOFT, "end")


def rod_velocity(runs, column, name, unit, y_range, legend, zooms):
    """Figures 3 to 5: a velocity against time for four steps.

    zooms: what to enlarge, each as (title, axes in pixels, x range, y range).
    """
    p = Picture(800, 440, f"Falling rod: {name}")
    p.text(72, 30, f"Falling rod: {name} for four steps h", 15)
    main = Axes(p, 72, 46, 700, 330, (0, 0.8), y_range)
    main.frame("time (s)", f"{name} ({unit})", x_count=8, y_count=8)
    for step, colour in STEPS.items():
        main.steps(runs[step]["time"], runs[step][column], colour, 1.6)
    for title, (left, top, width, height), xs, ys in zooms:
        x, y = main.at(xs[0], ys[1])
        p.rect(x, y, main.x(xs[1]) - x, main.y(ys[0]) - y, stroke="#777777", stroke_dasharray="3 2")
        p.rect(left - 44, top - 24, width + 64, height + 48, fill=WHITE, stroke="#c8c8c8", rx=6)
        p.text(left + width / 2, top - 8, title, 11.5, SOFT, "middle")
        inner = Axes(p, left, top, width, height, xs, ys)
        inner.frame(x_count=4, y_count=5, size=11)
        for step, colour in STEPS.items():
            inner.steps(runs[step]["time"], runs[step][column], colour, 1.8)
    main.legend([(f"h = {step} s", colour, 2) for step, colour in STEPS.items()], legend)
    return p


def main():
    pawl = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "pawl")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        balls = Run(pawl, "four_balls", "0.005", folder)
        rods = {step: Run(pawl, "falling_rod", step, folder) for step in STEPS}
        spheres = distributed.pictures(pawl, folder)
        hands = grasp.pictures(pawl, folder)
        blows = impacts.pictures(pawl, folder)
        machines = mechanisms.pictures(pawl, folder)

    pictures = {
        "four_balls": four_balls(balls),
        "four_balls_elevation": four_balls_view(balls, ELEVATION),
        "four_balls_plan": four_balls_view(balls, PLAN),
        "four_balls_impulses": four_balls_impulses(balls),
        "falling_rod": falling_rod(rods["0.0025"]),
        "rod_vertical_velocity": rod_velocity(
            rods, "rod.vy", "vertical velocity", "m/s", (-4, 0.5), "bottom left",
            [("first contact", (604, 150, 138, 186), (0.37, 0.4), (-4, 0))]),
        "rod_angular_velocity": rod_velocity(
            rods, "rod.omega", "angular velocity", "rad/s", (-0.5, 9), "top right",
            [("first contact", (130, 78, 230, 108), (0.37, 0.4), (1, 6))]),
        "rod_horizontal_velocity": rod_velocity(
            rods, "rod.vx", "horizontal velocity", "m/s", (-1.6, 0.2), "bottom left",
            [("first contact", (130, 130, 230, 108), (0.37, 0.4), (-1.6, 0.1)),
             ("slap-down", (604, 160, 138, 176), (0.535, 0.575), (-0.2, 0.05))]),
        **spheres,
        **hands,
        **blows,
        **machines,
    }
    for name, picture in pictures.items():
        path = HERE / f"{name}.svg"
        picture.write(path)
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
