"""References of impacts_test.cpp."""

import math

from reference_math import G, add, dot, integrate, quadrature, solve, text


def stick_slip():
    """Mass m on a spring k on a belt of speed v: swings about x0 = μ m g/k until it is as fast as the belt, …"""
    m, k, mu, v, start, until = 1.0, 50.0, 0.4, 0.5, 0.2, 4.0
    x0, w = mu * m * G / k, math.sqrt(k / m)
    amplitude = start - x0                              # x = x0 + A cos ωt while slower than the belt
    sticks = (math.pi + math.asin(v / (amplitude * w))) / w
    slips = sticks - amplitude * math.cos(w * sticks) / v        # then x = x0 + v/ω sin ω(t − slips)
    print(f"  middle {x0:.12g} m, amplitude {amplitude:.12g} m, of the cycle {v / w:.12g} m")
    print(f"  sticks at {sticks:.12g} s, slips again at {slips:.12g} s")
    print(f"  at {until} s: x {x0 + v / w * math.sin(w * (until - slips)):.12g} m")


def rocking_block():
    """[Housner1963]: between impacts an inverted pendulum about an edge; ω⁺ = (1 − 3/2 sin²α) ω⁻ at each."""
    height, width, tilt = 1.0, 0.25, 0.1
    alpha, r = math.atan(width / height), math.hypot(height, width) / 2
    ratio, p2 = 1 - 1.5 * math.sin(alpha)**2, 3 * G / (4 * r)       # p² = m g r/(4/3 m r²)
    print(f"  start {text([width / 2 - r * math.sin(alpha - tilt), r * math.cos(alpha - tilt)])}, ratio {ratio:.12g}")

    def quarter(top):
        return quadrature(lambda x: 1 / math.sqrt(2 * p2 * (math.cos(alpha - top) - math.cos(alpha - x))), 0, top)

    time, top = 0.0, tilt
    for k in range(4):
        # θ'² = 2 p² (cos(α − top) − cos(α − θ)), from top to 0 and from 0 to the next top.
        time += quarter(top)
        drop = (math.cos(alpha - top) - math.cos(alpha)) * ratio**2
        print(f"  impact {k + 1} at {time:.9f} s")
        top = alpha - math.acos(math.cos(alpha) + drop)
        print(f"  then up to {top:.9f} rad")
        time += quarter(top)


def woodpecker():
    """Glocker's woodpecker by Moreau's time-stepping, with small angles and without: q = (y, φ of sleeve and bird)."""
    m_m, j_m, m_s, j_s, c = 3e-4, 5e-9, 4.5e-3, 7e-7, 5.6e-3
    r_0, r_m, h_m, l_m, l_g, h_s, l_s = 2.5e-3, 3.1e-3, 5.8e-3, 0.01, 0.015, 0.02, 0.0201
    mu, restitution = 0.3, (0.5, 0.0, 0.0)

    def model(q, u, sin, cos):
        """Mass matrix, forces, gaps (beak, upper and lower edge), and the rows of normal and tangential velocity."""
        a, b = q[1], q[2]
        x, y = m_s * l_m, m_s * l_g
        mass = [[m_m + m_s, x * cos(a), y * cos(b)], [x * cos(a), j_m + x * l_m, x * l_g * cos(a - b)],
                [y * cos(b), x * l_g * cos(a - b), j_s + y * l_g]]
        bend = 0.0 if cos(1.0) == 1 else 1.0                  # products of velocities, absent for small angles
        forces = [-(m_m + m_s) * G + bend * (x * sin(a) * u[1]**2 + y * sin(b) * u[2]**2),
                  -x * G * cos(a) + c * sin(b - a) - bend * x * l_g * sin(a - b) * u[2]**2,
                  -y * G * cos(b) - c * sin(b - a) + bend * x * l_g * sin(a - b) * u[1]**2]
        d = l_g - l_s                                         # the beak is (d, h_s) from the hinge, the hinge l_m out
        gaps = [l_m * cos(a) + d * cos(b) - h_s * sin(b) - r_0, r_m * cos(a) - h_m * sin(a) - r_0,
                r_m * cos(a) + h_m * sin(a) - r_0]
        normal = [[0, -bend * l_m * sin(a), -bend * d * sin(b) - h_s * cos(b)],
                  [0, -bend * r_m * sin(a) - h_m * cos(a), 0], [0, -bend * r_m * sin(a) + h_m * cos(a), 0]]
        tangent = [[1, l_m * cos(a), d * cos(b) - bend * h_s * sin(b)],
                   [1, r_m * cos(a) - bend * h_m * sin(a), 0], [1, r_m * cos(a) + bend * h_m * sin(a), 0]]
        return mass, forces, gaps, normal, tangent

    def run(h, until, sin, cos):
        q, u = [0, -0.1, -0.2788], [-0.3411, 0, -7.4583]
        crossings = []
        for k in range(round(until / h)):
            before = q
            q = add(q, u, h / 2)
            mass, forces, gaps, normal, tangent = model(q, u, sin, cos)
            free = add(u, solve(mass, forces), h)
            closed = [i for i in range(3) if gaps[i] <= 0]
            lines = [(r, solve(mass, r)) for i in closed for r in (normal[i], tangent[i])]
            bounces = [restitution[i] * dot(normal[i], u) for i in closed]
            p, u = [0.0] * len(lines), free
            for _ in range(200 if lines else 0):              # Gauss and Seidel
                change = 0.0
                for i, (row, effect) in enumerate(lines):
                    target = dot(row, u) + (bounces[i // 2] if i % 2 == 0 else 0)
                    new = p[i] - target / dot(row, effect)
                    new = max(0.0, new) if i % 2 == 0 else max(-mu * p[i - 1], min(mu * p[i - 1], new))
                    u, change, p[i] = add(u, effect, new - p[i]), max(change, abs(new - p[i])), new
                if change < 1e-14:
                    break
            q = add(q, u, h / 2)
            if before[2] < 0 <= q[2]:                         # the bird passes the level, on its way to the pole
                s = before[2] / (before[2] - q[2])
                crossings.append(((k + s) * h, before[0] + s * (q[0] - before[0])))
        return crossings

    for words, sin, cos in (("as built", math.sin, math.cos), ("small angles", lambda x: x, lambda x: 1.0)):
        for h in (4e-5, 2e-5):
            (t1, y1), (t2, y2) = (crossings := run(h, 0.75, sin, cos))[1], crossings[-1]
            beats = len(crossings) - 2
            print(f"  {words}, h {h}: period {(t2 - t1) / beats:.5f} s, "
                  f"descent {(y1 - y2) / beats * 1000:.3f} mm a beat")


def dominoes():
    """[VanLeeuwen2010]: dominoes that lean on each other have one freedom, θ of the front; energy gives its speed.

    The corner of each slides on the face of the next: H sin(θ − θ') = (s + d) cos θ' − d. The front meets the next one
    at sin θ = s/H, and the inelastic impact keeps Σ I ω ∂θ/∂θ'.
    """
    height, d, gap, push = 0.05, 0.008, 0.02, 6.0
    inertia, weight = (height**2 + d**2) / 3, G / 2             # of a mass of 1 kg; I about the edge

    def chain(n, front):
        """The angles of n dominoes behind the front and of the front, and their rates for a front of rate 1."""
        angles, rates = [front], [1.0]
        for _ in range(n):
            b = angles[-1]
            a = b + math.asin(((gap + d) * math.cos(b) - d) / height)
            angles.append(a)
            rates.append(rates[-1] * (1 - (gap + d) * math.sin(b) / (height * math.cos(a - b))))
        return angles, rates

    def potential(angles):
        return sum(weight * (height * math.cos(a) + d * math.sin(a)) for a in angles)

    end, time, speed = math.asin(gap / height), 0.0, push
    for n in range(9):
        angles, rates = chain(n, 0.0)
        total = potential(angles) + 0.5 * inertia * speed**2 * sum(r * r for r in rates)

        def rate(x):
            angles, rates = chain(n, x)
            return math.sqrt((total - potential(angles)) / (0.5 * inertia * sum(r * r for r in rates)))

        time += quadrature(lambda x: 1 / rate(x), 0, end)
        _, before = chain(n, end)
        speed = rate(end) * sum(r * r for r in before) / (sum(r * r for r in before) + 1)
        print(f"  domino {n + 2} is hit at {time:.9f} s and starts at {speed:.6f} rad/s")


def slider_crank_clearance():
    """[FloresLeineGlocker2010]: until its first impact the slider does not turn: the linkage is a double pendulum."""
    l1, l2, m1, m2, m3, j1, j2, clearance = 0.153, 0.306, 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4, 1e-3

    def rates(y):
        a, b, u, v = y
        m11, m22 = j1 + (m1 / 4 + m2 + m3) * l1**2, j2 + (m2 / 4 + m3) * l2**2
        k = (m2 / 2 + m3) * l1 * l2
        m12, s = k * math.cos(a - b), k * math.sin(a - b)
        f1 = -s * v * v - (m1 / 2 + m2 + m3) * G * l1 * math.cos(a)
        f2 = s * u * u - (m2 / 2 + m3) * G * l2 * math.cos(b)
        d = m11 * m22 - m12 * m12
        return [u, v, (f1 * m22 - f2 * m12) / d, (f2 * m11 - f1 * m12) / d]

    n, until = 30000, 3e-3
    states = integrate(rates, [0, 0, 150.0, -75.0], until, n)
    height = [l1 * math.sin(y[0]) + l2 * math.sin(y[1]) for y in states]
    k = next(k for k in range(n) if abs(height[k + 1]) >= clearance)
    s = (clearance - abs(height[k])) / (abs(height[k + 1]) - abs(height[k]))
    print(f"  first impact at {(k + s) * until / n:.10f} s, crank {states[k][2]:.9f} rad/s")
