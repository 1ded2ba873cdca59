"""References of rolling_test.cpp."""

import math

from reference_math import (G, add, cross, dot, integrate, quadrature, root, rotate, rotate_back, scale, solve, text,
                            turn)


class Rolling:
    """A body that rolls on the plane z = 0 without slip.

    Its states are (quaternion, angular velocity in the body's axes, x and y of the centre of mass). contact(n) is the
    vector from the centre of mass to the lowest point if the body's axes see the vertical as n; rate(n, dn) its rate.
    From I ω' + ω × I ω = r × F, F = m (v' + ω × v) + m g n and v = r × ω, all in the body's axes:
    (I + m (r² − r rᵀ)) ω' = −ω × I ω + m r × (r' × ω + ω × (r × ω) + g n).
    """

    def __init__(self, mass, inertia, contact, rate):
        self.mass, self.inertia, self.contact, self.rate = mass, inertia, contact, rate

    def of(self, state):
        """n, r and ω of a state."""
        n = rotate_back(state[:4], [0, 0, 1])
        return n, self.contact(n), state[4:7]

    def velocity(self, state):
        """Of the centre of mass, in the world."""
        _, r, w = self.of(state)
        return rotate(state[:4], cross(r, w))

    def height(self, state):
        n, r, _ = self.of(state)
        return -dot(r, n)

    def __call__(self, state):
        q = state[:4]
        n, r, w = self.of(state)
        dr = self.rate(n, cross(n, w))
        m, rr = self.mass, dot(r, r)
        matrix = [[self.inertia[i][j] + m * ((rr if i == j else 0) - r[i] * r[j]) for j in range(3)] for i in range(3)]
        moment = cross(r, scale(m, add(add(cross(dr, w), cross(w, cross(r, w))), n, G)))
        gyro = cross(w, [dot(row, w) for row in self.inertia])
        dw = solve(matrix, add(moment, gyro, -1))
        dq = scale(0.5, [-dot(q[1:], w)] + add(scale(q[0], w), cross(q[1:], w)))
        v = rotate(q, cross(r, w))
        return dq + dw + v[:2]


def ellipsoid(axes, centre):
    """contact and rate of an ellipsoid with its centre at `centre` from the centre of mass."""
    squares = [a * a for a in axes]

    def contact(n):
        s = math.sqrt(sum(k * x * x for k, x in zip(squares, n)))
        return [c - k * x / s for c, k, x in zip(centre, squares, n)]

    def rate(n, dn):
        s2 = sum(k * x * x for k, x in zip(squares, n))
        ds = sum(k * x * y for k, x, y in zip(squares, n, dn)) / math.sqrt(s2)
        return [-k * (y / math.sqrt(s2) - x * ds / s2) for k, x, y in zip(squares, n, dn)]

    return contact, rate


def rattleback():
    """[KaneLevinson1982] without their damping; spun by 2 rad/s the way it does not like."""
    body = Rolling(1, [[2e-4, -2e-5, 0], [-2e-5, 1.6e-3, 0], [0, 0, 1.7e-3]],
                   *ellipsoid((0.2, 0.03, 0.02), (0, 0, 0.01)))
    q = turn([0, 1, 0], math.radians(0.5))
    start, n, until = q + rotate_back(q, [0, 0, -2.0]) + [0, 0], 15000, 3
    states = integrate(body, start, until, n)
    spin = [rotate(s[:4], s[4:7])[2] for s in states]
    turned = next(k for k in range(n) if spin[k + 1] > 0)
    print(f"  start: z {body.height(start) + rotate(q, [0, 0, 0.01])[2]:.17g}, velocity {text(body.velocity(start))}")
    print(f"  turns back at {(turned + spin[turned] / (spin[turned] - spin[turned + 1])) * until / n:.6f} s")
    for t in (1, 2, 2.5, 3):
        print(f"  spin at {t} s: {spin[round(t / until * n)]:.9f} rad/s")
    return [k * until / n for k in range(n + 1)], spin


def tippe_top():
    """A ball with its mass a below its centre that slides with Coulomb's friction, [Cohen1977]; e is its axis."""
    m, radius, a, side, axial, mu = 0.02, 0.02, 0.004, 3.0e-6, 3.2e-6, 0.15

    def contact(e):
        return [a * e[0], a * e[1], a * e[2] - radius]

    def rates(y):
        e, w, v = y[:3], y[3:6], y[6:8]
        r, spin = contact(e), dot(w, e)
        momentum = add(scale(side, w), e, (axial - side) * spin)
        de = cross(w, e)
        vz = -a * de[2]
        slip = add([v[0], v[1], vz], cross(w, r))
        s = math.hypot(slip[0], slip[1])
        force = [-mu * slip[0] / s, -mu * slip[1] / s, 1.0]           # for N = 1

        # dL/dt = r × F with L = A ω + (C − A) (ω·e) e, and d(ω·e)/dt = e · (r × F)/C.
        def dw(n):
            moment = scale(n, cross(r, force))
            return scale(1 / side, add(add(moment, e, -(axial - side) / axial * dot(moment, e)),
                                       de, -(axial - side) * spin))

        # z = R − a e_z, so m (g − a e_z'') = N, where e'' = ω' × e + ω × e'; linear in N.
        def lift(n):
            return m * (G - a * add(cross(dw(n), e), cross(w, de))[2]) - n

        n = lift(0) / (lift(0) - lift(1))
        return de + dw(n) + [n / m * force[0], n / m * force[1]] + v, n, s, momentum

    tilt, spin = 0.3, 160.0
    e = [math.sin(tilt), 0, math.cos(tilt)]
    start, until, n = e + [0, 0, spin] + [0, 0, 0, 0], 2.0, 20000
    states = integrate(lambda y: rates(y)[0], start, until, n)
    for t in (0.5, 1.0, 1.5, 2.0):
        y = states[round(t / until * n)]
        _, normal, slip, momentum = rates(y)
        print(f"  t {t}: e_z {y[2]:.9f}, spin {y[5]:.9f} rad/s, N {normal:.4f}, slip {slip:.4f} m/s, "
              f"Jellett's constant {-dot(momentum, contact(y[:3])):.9g}")
    print(f"  least slip {min(rates(y)[2] for y in states[1:]):.2e} m/s, "
          f"least N {min(rates(y)[1] for y in states[1:]):.4f} N")
    return [k * until / n for k in range(n + 1)], [y[2] for y in states]


def steady_rolling(m, radius, height, side, axial, tilt, rate, spin):
    """Residual (N m) of a steady rolling disc, and its state. The disc's axis is tilted by `tilt` from the vertical.

    The disc precesses by `rate` about z and spins by `spin` about its axis e = (0, −sin, cos): ω = rate z + spin e. Its
    lowest point, r from the centre, is on the lower rim.
    """
    s, c = math.sin(tilt), math.cos(tilt)
    e, down = [0, -s, c], [0, -c, -s]         # down: along the disc, towards its lowest point
    r = add(scale(radius, down), e, -height / 2)
    w = add([0, 0, rate], e, spin)
    v = cross(r, w)
    momentum = add(scale(side, w), e, (axial - side) * dot(w, e))
    force = add(scale(m, cross([0, 0, rate], v)), [0, 0, m * G])
    residual = add(cross([0, 0, rate], momentum), cross(r, force), -1)
    return residual[0], -r[2], v, w


def eulers_disk():
    """The centre stands still, so ω points to the lowest point; a thin disc has Ω² = 4 g/(R sin α)."""
    m, radius, height, tilt = 0.4, 0.04, 0.006, math.radians(15)
    side, axial = m * (radius**2 / 4 + height**2 / 12), m * radius**2 / 2
    s, c = math.sin(tilt), math.cos(tilt)
    # z = −s down + c e, so ω = −Ω s down + (Ω c + σ) e. It is along r = R down − H/2 e if (Ω c + σ) R = Ω s H/2.
    ratio = s * height / 2 / radius - c
    rate = root(lambda x: steady_rolling(m, radius, height, side, axial, tilt, x, ratio * x)[0], 5, 200)
    _, z, v, w = steady_rolling(m, radius, height, side, axial, tilt, rate, ratio * rate)
    print(f"  inertia {text([side, side, axial])}, start: z {z:.17g}, velocity {text(v)}, angular velocity {text(w)}")
    print(f"  rate of precession {rate:.12g} rad/s; of a thin disc {math.sqrt(4 * G / (radius * s)):.6g} rad/s")


def rolling_coin():
    """A coin that rolls steadily around a circle, tilted by 20° from upright."""
    m, radius, height, tilt, rate = 0.0075, 0.012, 0.002, math.radians(70), 8.0
    side, axial = m * (radius**2 / 4 + height**2 / 12), m * radius**2 / 2
    spin = root(lambda x: steady_rolling(m, radius, height, side, axial, tilt, rate, x)[0], -500, 0)
    _, z, v, w = steady_rolling(m, radius, height, side, axial, tilt, rate, spin)
    print(f"  inertia {text([side, side, axial])}, start: z {z:.17g}, velocity {text(v)}, angular velocity {text(w)}")
    print(f"  spin {spin:.12g} rad/s, radius of the centre's circle {abs(v[0]) / rate:.12g} m")


def rocker():
    """A body with a spherical foot of radius R, its mass a below the middle: E = ½ (I + m r²) θ'² − m g a cos θ."""
    m, radius, a, inertia, top = 1.0, 0.1, 0.04, 2e-3, 1.0
    f = lambda x: math.sqrt((inertia + m * (radius**2 + a**2 - 2 * radius * a * math.cos(x)))
                            / (2 * m * G * a * (math.cos(x) - math.cos(top))))
    print(f"  period {2 * quadrature(f, -top, top):.12g} s; of small swings "
          f"{2 * math.pi * math.sqrt((inertia + m * (radius - a)**2) / (m * G * a)):.12g} s")


def ball_on_ball():
    """A solid ball on a fixed one, L between their centres; y(θ) = θ'² is known in closed form.

    It rolls with y = 10/7 g/L (cos θ0 − cos θ) while friction 2/7 m g sin θ ≤ μ N = μ m (g cos θ − L y). Then it slips:
    dy/dθ = 2 g/L (sin θ − μ cos θ) + 2 μ y. It leaves when N = 0.
    """
    length, mu, start, until = 0.5, 0.5, 0.2, 0.8

    def rolling(x):
        return 10 / 7 * G / length * (math.cos(start) - math.cos(x))

    def normal(x, y):
        return G * math.cos(x) - length * y

    slips = root(lambda x: 2 / 7 * G * math.sin(x) - mu * normal(x, rolling(x)), start, 1)
    # A particular solution of the slipping part is a cos θ + b sin θ.
    a = 2 * G / length * (2 * mu * mu - 1) / (1 + 4 * mu * mu)
    b = 2 * G / length * -3 * mu / (1 + 4 * mu * mu)
    c = (rolling(slips) - a * math.cos(slips) - b * math.sin(slips)) / math.exp(2 * mu * slips)

    def slipping(x):
        return a * math.cos(x) + b * math.sin(x) + c * math.exp(2 * mu * x)

    leaves = root(lambda x: normal(x, slipping(x)), slips, 1.5)
    time = (quadrature(lambda x: 1 / math.sqrt(rolling(x)), start, slips, 20000)
            + quadrature(lambda x: 1 / math.sqrt(slipping(x)), slips, leaves, 20000))
    v = length * math.sqrt(slipping(leaves))
    flight = until - time
    x = length * math.sin(leaves) + v * math.cos(leaves) * flight
    z = length * math.cos(leaves) - v * math.sin(leaves) * flight - G / 2 * flight**2
    print(f"  start {text([length * math.sin(start), 0, length * math.cos(start)])}")
    print(f"  slips from {slips:.9f} rad, leaves at {leaves:.9f} rad and {time:.9f} s with {v:.9f} m/s")
    rolled = integrate(lambda y: [y[1], 5 / 7 * G / length * math.sin(y[0])], [start, 0.0], 0.5, 2000)[-1][0]
    print(f"  at 0.5 s: {rolled:.12g} rad; at {until} s: x {x:.12g}, z {z:.12g}")
    print(f"  rolling all the way it would leave at {math.acos(10 / 17):.6f} rad, "
          f"without friction at {math.acos(2 / 3):.6f} rad")
