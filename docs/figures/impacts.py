"""The figures of docs/impacts.md: the double pendulum of Morgan 2011 over its floor, and a ball that bounces to rest."""

import math

from runs import Run
from svg import SOFT, Axes, Picture, mix

FLOOR, UPPER, LOWER, STRUCK = "#d5d5d5", "#12355b", "#0072b2", "#d55e00"
KINETIC, POTENTIAL, TOTAL = "#0072b2", "#009e73", "#222222"
HEIGHT = -1.6                               # of the floor, m; the support is at the origin


# --- Double pendulum ------------------------------------------------------------------------------------------------

def points(run, i):
    """The hinge between the bars, and the tip."""
    first = run["upper.q"][i]
    second = first + run["lower.q"][i]
    hinge = (math.cos(first), math.sin(first))
    return hinge, (hinge[0] + math.cos(second), hinge[1] + math.sin(second))


def struck(run):
    """Numbers of the states just after impacts."""
    return [i + 1 for i, step in enumerate(run.steps) if int(step["impacts"]) > 0]


def draw_pendulum(axes, run, i, fade):
    hinge, tip = points(run, i)
    for (a, b), colour in ((((0, 0), hinge), UPPER), ((hinge, tip), LOWER)):
        axes.polyline([a[0], b[0]], [a[1], b[1]], mix(colour, "#ffffff", fade), 3)
    for joint in ((0, 0), hinge):
        axes.picture.circle(*axes.at(*joint), 3.2, mix(UPPER, "#ffffff", fade))


def double_pendulum(run):
    hits = struck(run)
    last = len(run["time"]) - 1
    p = Picture(860, 556, "Double pendulum over a floor: motion, height of the tip, energy")
    p.text(36, 34, "A double pendulum falls onto a floor and bounces to rest (h = 1 ms, μ = 0.4, e = 0.6)", 15)
    panels = (("falls, and strikes first", 0, hits[0], 7), ("the impacts that follow", hits[0], hits[5], 9),
              ("then to rest", hits[5], last, 9))
    for column, (title, begin, end, count) in enumerate(panels):
        axes = Axes.equal(p, 30 + 272 * column, 80, 76, (-1.68, 1.68), (-1.75, 0.2))
        p.text(axes.left, 66, f"{title}: {run['time'][begin]:.2f} to {run['time'][end]:.2f} s", 12.5, SOFT)
        p.rect(axes.left, axes.y(HEIGHT), axes.width, axes.bottom - axes.y(HEIGHT), fill=FLOOR)
        for k in range(count):
            time = run["time"][begin] + (run["time"][end] - run["time"][begin]) * k / (count - 1)
            draw_pendulum(axes, run, run.index(time), 0.75 * (1 - k / (count - 1)))
        for i in hits:
            if begin < i <= end:
                p.circle(*axes.at(*points(run, i)[1]), 3, STRUCK)

    tips = [1000 * (points(run, i)[1][1] - HEIGHT) for i in range(last + 1)]
    height = Axes(p, 84, 294, 330, 200, (0, 3), (0, 800))
    height.frame("time (s)", "height of the tip (mm)", y_count=5, size=11)
    shown = [i for i in range(last + 1) if run["time"][i] <= 3]
    height.polyline([run["time"][i] for i in shown], [min(tips[i], 800) for i in shown], LOWER, 1.6)
    for i in hits:
        p.circle(*height.at(run["time"][i], 0), 2.4, STRUCK)
    p.text(84, 284, f"dots: the {len(hits)} impacts", 12, STRUCK)

    energy = Axes(p, 496, 294, 330, 200, (0, 3), (-20, 15))
    energy.frame("time (s)", "energy (J)", y_count=6, size=11)
    times = [run["time"][i] for i in shown]
    for column, colour in (("kinetic", KINETIC), ("potential", POTENTIAL)):
        energy.polyline(times, [run[column][i] for i in shown], colour, 1.3)
    energy.polyline(times, [run["kinetic"][i] + run["potential"][i] for i in shown], TOTAL, 1.8)
    energy.legend([("kinetic", KINETIC, 2), ("potential", POTENTIAL, 2), ("both", TOTAL, 2)], "top right", 11.5)
    return p


# --- Bouncing ball --------------------------------------------------------------------------------------------------

def bouncing_ball(run):
    p = Picture(860, 330, "A ball bounces to rest: height and energy over time")
    p.text(36, 34, "A ball falls from 1 m and bounces to rest (h = 1 ms, e = 0.8)", 15)
    heights = [z - 0.05 for z in run["ball.z"]]
    left = Axes(p, 74, 62, 340, 200, (0, 4.5), (0, 1.05))
    left.frame("time (s)", "height (m)", y_count=6, size=11)
    left.polyline(run["time"], heights, LOWER, 1.5)
    right = Axes(p, 496, 62, 330, 200, (0, 4.5), (-8, 1.2))
    right.frame("time (s)", "log₁₀ of energy above rest (J)", y_count=6, size=11)
    above = [k + v - 9.81 * 0.05 for k, v in zip(run["kinetic"], run["potential"])]
    right.polyline(run["time"], [math.log10(max(e, 1e-8)) for e in above], TOTAL, 1.5)
    rest = math.sqrt(2 / 9.81) * 9
    for axes, low, high in ((left, 0, 1.05), (right, -8, 1.2)):
        axes.polyline([rest, rest], [low, high], STRUCK, 1.2)
    p.text(left.x(rest) - 6, left.top + 16, f"√(2 h/g) (1 + e)/(1 - e) = {rest:.4f} s", 12, STRUCK, "end")
    return p


def pictures(pawl, folder):
    return {"double_pendulum": double_pendulum(Run(pawl, "double_pendulum", "0.001", folder)),
            "bouncing_ball": bouncing_ball(Run(pawl, "../bouncing_ball", "0.001", folder))}
