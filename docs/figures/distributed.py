"""Figures 3 to 25 of Trinkle, Tzitzouris & Pang 2001 (SAND2001-0076), from runs of their scenes."""

import math

from runs import Run
from svg import GRID, INK, SOFT, Axes, Picture, mix

STEWART = "run.method=stewart-trinkle"
# As the report's programs had it: all at q, and a contact enters once it is this near [m].
LATE = ("run.method=anitescu-hart", "run.gamma=1", "run.active_gap=1e-3", "run.friction=polyhedral")
DIRECTIONS = "pairs.0.friction_set.directions="
TILTED = DIRECTIONS + "{rings: [{latitude_deg: 36, count: 3}, {latitude_deg: -36, count: 3}]}"
THREE = DIRECTIONS + "{rings: [{count: 3}, {latitude_deg: 90, count: 1}, {latitude_deg: -90, count: 1}]}"

VELOCITIES = {"vx": "#d55e00", "vy": "#0072b2", "vz": "#7a7a7a", "wx": "#009e73", "wy": "#8b5fbf", "wz": "#b8860b"}
FORCES = {"t": "#d55e00", "o": "#0072b2", "r": "#009e73", "n": "#7a7a7a"}
NAMES = {"vx": "v_x", "vy": "v_y", "vz": "v_z", "wx": "ω_x", "wy": "ω_y", "wz": "ω_z", "t": "c_t", "o": "c_o", "r": "c_r",
         "n": "c_n"}
EXACT = "#222222"


def velocity(run, name):
    return run["time"], run[f"ball.{name}"]


def force(run, name, partner=None):
    """The mean force of each step at one contact, with the ends of the steps; 0 where it is not."""
    by_time = {c["time"]: float(c[f"impulse_{name}"]) for c in run.contacts if partner in (None, c["body_b"])}
    times = run["time"]
    impulses = {float(time): impulse for time, impulse in by_time.items()}
    return times, [0.0] + [impulses.get(after, 0.0) / (after - before) for before, after in zip(times, times[1:])]


def panel(picture, column, figure, title, x_range, y_range, y_label):
    """One half of a sheet."""
    axes = Axes(picture, 66 + 400 * column, 62, 316, 250, x_range, y_range)
    picture.text(axes.left - 34, 36, f"Figure {figure}", 14, bold=True)
    picture.text(axes.left + 34 + 9 * len(str(figure)), 36, title, 13, SOFT)
    axes.frame("t (s)", y_label, x_count=6, y_count=6, size=11)
    return axes


def sheet(title):
    return Picture(816, 372, title)


def dots(axes, xs, ys, colour, r=2.6):
    for x, y in zip(xs, ys):
        if axes.x0 <= x <= axes.x1 and axes.y0 <= y <= axes.y1:
            axes.picture.circle(*axes.at(x, y), r, "#ffffff", colour, stroke_width=1.3)


def exact_line(axes, points):
    axes.polyline([x for x, _ in points], [y for _, y in points], EXACT, 1.2, stroke_dasharray="2 3")


def draw_velocities(axes, run, names, marks=True, width=1.5):
    for name in names:
        xs, ys = velocity(run, name)
        axes.polyline(xs, ys, VELOCITIES[name], width)
        if marks:
            dots(axes, xs, ys, VELOCITIES[name])


def draw_forces(axes, run, names, partner=None, width=1.6):
    for name in names:
        axes.steps(*force(run, name, partner), FORCES[name], width)


def key(axes, names, colours, corner, more=()):
    axes.legend([(NAMES[name], colours[name], 2) for name in names] + list(more), corner, 11)


# --- System 1: a sphere on a plane ----------------------------------------------------------------------------------

def spin(run, figures, words, torque_limit):
    p = sheet(f"Sphere that spins in place, {words}")
    v = panel(p, 0, figures[0], f"velocities, {words}", (0, 1.2), (-0.2, 2.2), "m/s, rad/s")
    draw_velocities(v, run, VELOCITIES)
    exact_line(v, [(0, 1.962), (1, 0), (1.2, 0)])
    key(v, ("wz",), VELOCITIES, "top right", [("exact", EXACT, 1.2), ("the rest: 0", VELOCITIES["vz"], 2)])
    f = panel(p, 1, figures[1], f"forces, {words}", (0, 1.2), (-2.0, 0.4), "N, N m")
    draw_forces(f, run, "tor")
    exact_line(f, [(0, -torque_limit), (1, -torque_limit), (1, 0), (1.2, 0)])
    key(f, "tor", FORCES, "bottom left", [("exact", EXACT, 1.2)])
    return p


def roll(run, figures, words):
    p = sheet(f"Sphere that slides until it rolls, {words}")
    t = 2 * 2 / (7 * 0.2 * 9.81)
    v = panel(p, 0, figures[0], f"velocities, {words}", (0, 0.6), (-0.2, 2.2), "m/s, rad/s")
    draw_velocities(v, run, VELOCITIES)
    exact_line(v, [(0, 2), (t, 10 / 7), (0.6, 10 / 7)])
    exact_line(v, [(0, 0), (t, 10 / 7), (0.6, 10 / 7)])
    key(v, ("vx", "wy"), VELOCITIES, "center right", [("exact", EXACT, 1.2)])
    f = panel(p, 1, figures[1], f"forces, {words}", (0, 0.6), (-2.2, 2.2), "N, N m")
    draw_forces(f, run, "tor")
    limit = 0.2 * 9.81 / math.sqrt(2)
    for sign in (-1, 1):
        exact_line(f, [(0, sign * limit), (t, sign * limit), (t, 0), (0.6, 0)])
    key(f, "tor", FORCES, "bottom right", [("exact", EXACT, 1.2)])
    return p


def slide_end(run):
    """The end of the first step that leaves the ball rolling."""
    return next(float(c["time"]) for c in run.contacts if c["state"] == "sticking")


def both(axes, draw, exact, polyhedral):
    draw(axes, exact, width=2)
    draw(axes, polyhedral, width=1)


def bowling(exact, polyhedral):
    names = ("vx", "vy", "wx", "wy", "wz")
    p = sheet("Bowling ball: velocities and friction")
    v = panel(p, 0, 14, "velocities, h = 0.05 s", (0, 8.5), (-0.4, 2.4), "m/s, rad/s")
    for run, width in ((exact, 2), (polyhedral, 1)):
        draw_velocities(v, run, names, False, width)
        v.picture.line(v.x(slide_end(run)), v.top, v.x(slide_end(run)), v.bottom, INK, width * 0.6, stroke_dasharray="5 4")
    key(v, names, VELOCITIES, "top right")
    f = panel(p, 1, 15, "friction: thick exact, thin 40 directions", (0, 8.5), (-0.12, 0.08), "N, N m")
    for run, width in ((exact, 2), (polyhedral, 1)):
        draw_forces(f, run, "tor", None, width)
    key(f, "tor", FORCES, "bottom right")
    return p


def bowling_path(exact, polyhedral):
    p = sheet("Bowling ball: path and slack")
    axes = Axes(p, 66, 62, 316, 250, (0, 8), (-0.2, 0.8))
    p.text(32, 36, "Figure 16", 14, bold=True)
    p.text(118, 36, "path: thick exact, thin 40 directions", 13, SOFT)
    axes.frame("x (m)", "y (m)", size=11)
    axes.polyline(exact["ball.x"], exact["ball.y"], FORCES["t"], 3.2)
    axes.polyline(polyhedral["ball.x"], polyhedral["ball.y"], INK, 1)
    s = panel(p, 1, 17, "40 directions: slack in the ellipsoid", (0, 8.5), (-0.002, 0.14), "N")
    times, slack = [0.0], [0.0]
    for c in polyhedral.contacts:
        h = polyhedral.step
        used = math.hypot(float(c["impulse_t"]), float(c["impulse_o"]), float(c["impulse_r"]) / 0.2)
        times.append(float(c["time"]))
        slack.append((0.01 * float(c["impulse_n"]) - used) / h)
    s.steps(times, slack, FORCES["t"], 1.6)
    sliding = [0.13 if c["state"] == "sliding" else 0.0 for c in polyhedral.contacts]
    s.steps(times, [0.0] + sliding, INK, 1)
    s.legend([("slack", FORCES["t"], 2), ("sliding", INK, 1)], "center left", 11)
    return p


# --- System 2: a sphere on two spheres ------------------------------------------------------------------------------

SEAM = ("vx", "vz", "wx", "wy", "wz")


def seam(run, figures, words, force_range):
    p = sheet(f"Sphere in the seam of two spheres, {words}")
    v = panel(p, 0, figures[0], f"velocities, {words}", (0, 4), (-8, 6), "m/s, rad/s")
    draw_velocities(v, run, VELOCITIES, False)
    key(v, VELOCITIES, VELOCITIES, "bottom left")
    f = panel(p, 1, figures[1], "forces at the sphere of radius 10", (0, 4), force_range, "N, N m")
    draw_forces(f, run, "ntor", "south")
    key(f, "ntor", FORCES, "top right")
    return p


def tangential(run):
    times, c_t = force(run, "t", "south")
    _, c_o = force(run, "o", "south")
    return times, [math.hypot(a, b) for a, b in zip(c_t, c_o)]


def compare(coarse, fine, h_fine):
    p = sheet("Sphere in the seam of two spheres: two methods")
    f = panel(p, 0, 23, "tangential friction, sphere of radius 10", (0, 4), (-0.1, 1.6), "N")
    f.steps(*tangential(coarse), FORCES["o"], 2)
    f.steps(*tangential(fine), FORCES["t"], 1.2)
    entries = [("exact set, h = 0.1", FORCES["o"], 2), (f"20 directions, h = {h_fine}", FORCES["t"], 1.2)]
    f.legend(entries, "top right", 10)
    v = panel(p, 1, 24, "selected velocities", (0, 4), (-8, 6), "m/s, rad/s")
    for name in ("vx", "vz", "wy"):
        v.polyline(*velocity(coarse, name), VELOCITIES[name], 2)
        v.polyline(*velocity(fine, name), mix(VELOCITIES[name], "#000000", 0.35), 1, stroke_dasharray="5 3")
    key(v, ("vx", "vz", "wy"), VELOCITIES, "bottom left")
    return p


def chatter(stewart, exact, h):
    p = sheet("Torsional friction as the step shrinks")
    for column, run, words in ((0, stewart, "20 directions"), (1, exact, "exact set")):
        axes = panel(p, column, 25, f"c_r, {words}, h = {h}", (0, 3.8), (-0.12, 0.12), "N m")
        axes.steps(*force(run, "r", "south"), FORCES["r"], 0.9)
    return p


# --- Friction ellipsoids --------------------------------------------------------------------------------------------

def ring_points(rings, e_r):
    """Directions as the scenes generate them: at latitudes of force space, drawn out onto the ellipsoid."""
    for latitude, count in rings:
        for k in range(count):
            longitude = 2 * math.pi * k / count
            d = (math.cos(latitude) * math.cos(longitude), math.cos(latitude) * math.sin(longitude), math.sin(latitude))
            size = math.sqrt(d[0] ** 2 + d[1] ** 2 + (d[2] / e_r) ** 2)
            yield tuple(c / size for c in d)


def ellipsoids():
    """Figures 3, 6 and 11: the ellipsoid with e_r = 0.4, seen from a little above, and the directions on it."""
    pole, tilt = math.pi / 2, math.radians(36)
    sets = ((3, ((0, 8), (0.5, 5), (-0.5, 5), (pole, 1), (-pole, 1))), (6, ((tilt, 3), (-tilt, 3))),
            (11, ((0, 3), (pole, 1), (-pole, 1))))
    p = Picture(816, 236, "Friction ellipsoids and the directions that stand for them")
    elevation, azimuth, scale = math.radians(22), math.radians(-65), 105

    def view(d):
        x = d[0] * math.cos(azimuth) - d[1] * math.sin(azimuth)
        y = d[0] * math.sin(azimuth) + d[1] * math.cos(azimuth)
        return (x, d[2] * math.cos(elevation) + y * math.sin(elevation), -y * math.cos(elevation) + d[2] * math.sin(elevation))

    for column, (figure, rings) in enumerate(sets):
        cx, cy = 136 + 272 * column, 130
        p.text(cx - 110, 30, f"Figure {figure}", 14, bold=True)
        p.text(cx - 30, 30, f"{sum(count for _, count in rings)} directions", 13, SOFT)
        for latitude in (-60, -30, 0, 30, 60):
            a = math.radians(latitude)
            circle = [(math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), 0.4 * math.sin(a))
                      for b in (2 * math.pi * k / 72 for k in range(73))]
            p.polyline([(cx + scale * x, cy - scale * y) for x, y, _ in map(view, circle)], GRID, 1)
        for longitude in range(0, 180, 30):
            b = math.radians(longitude)
            circle = [(math.cos(a) * math.cos(b), math.cos(a) * math.sin(b), 0.4 * math.sin(a))
                      for a in (2 * math.pi * k / 72 for k in range(73))]
            p.polyline([(cx + scale * x, cy - scale * y) for x, y, _ in map(view, circle)], GRID, 1)
        for axis, name in (((1.12, 0, 0), "c_t"), ((0, 1.12, 0), "c_o"), ((0, 0, 0.62), "c_r")):
            x, y, _ = view(axis)
            p.arrow(cx, cy, scale * x, -scale * y, "#9a9a9a", 1.2, 6)
            p.text(cx + 1.12 * scale * x, cy - 1.12 * scale * y + 4, name, 11.5, SOFT, "middle")
        for d in ring_points(rings, 0.4):
            x, y, depth = view(d)
            p.circle(cx + scale * x, cy - scale * y, 4, FORCES["t"] if depth > 0 else "#ffffff", FORCES["t"], stroke_width=1.4)
    return p


def pictures(pawl, folder):
    def run(scene, step, *overrides):
        return Run(pawl, scene, number_text(step), folder, *overrides)

    ball, ball_40 = run("bowling_ball", 0.05), run("bowling_ball", 0.05, STEWART)
    seam_exact, seam_late = run("two_spheres", 0.1), run("two_spheres", 0.1, *LATE)
    fine, finest = 0.1 / 81, 0.1 / 243
    return {
        "friction_ellipsoids": ellipsoids(),
        "spin_in_place": spin(run("spin_in_place", 0.07), (4, 5), "both methods", 0.7848),
        "spin_in_place_tilted": spin(run("spin_in_place", 0.07, STEWART, TILTED), (7, 8), "directions of (6)", 0.7848),
        "slide_to_roll": roll(run("slide_to_roll", 0.12), (9, 10), "both methods"),
        "slide_to_roll_three": roll(run("slide_to_roll", 0.12, STEWART, THREE), (12, 13), "three in the plane"),
        "bowling_ball": bowling(ball, ball_40),
        "bowling_ball_path": bowling_path(ball, ball_40),
        "two_spheres_late": seam(seam_late, (19, 20), "late contacts", (-2, 14)),
        "two_spheres_all": seam(run("two_spheres", 0.1, *LATE, "run.active_gap=1"), (19, 20), "all contacts", (-2, 14)),
        "two_spheres": seam(seam_exact, (21, 22), "exact set, h = 0.1", (-2, 14)),
        "two_spheres_methods": compare(seam_exact, run("two_spheres", fine, *LATE), number_text(round(fine, 4))),
        "two_spheres_chatter": chatter(run("two_spheres", finest, *LATE), run("two_spheres", finest), number_text(round(finest, 4))),
    }


def number_text(x):
    return f"{x:.17g}" if f"{x:g}" != repr(x) else f"{x:g}"
