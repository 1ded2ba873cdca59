"""Vectors, fourth-order Runge-Kutta, roots and quadrature, for the references of this folder. SI units."""

import math

G = 9.81


def add(a, b, s=1.0):
    return [x + s * y for x, y in zip(a, b)]


def scale(s, a):
    return [s * x for x in a]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def solve(m, b):
    """x with m x = b, for three rows, by Cramer's rule."""
    c = [[row[i] for row in m] for i in range(3)]
    d = dot(c[0], cross(c[1], c[2]))
    return [dot(b, cross(c[1], c[2])) / d, dot(c[0], cross(b, c[2])) / d, dot(c[0], cross(c[1], b)) / d]


def integrate(f, y, until, n):
    """The states at the n + 1 times of [0, until] of y' = f(y)."""
    h, states = until / n, [y]
    for _ in range(n):
        k1 = f(y)
        k2 = f(add(y, k1, h / 2))
        k3 = f(add(y, k2, h / 2))
        k4 = f(add(y, k3, h))
        y = [a + h / 6 * (p + 2 * q + 2 * r + s) for a, p, q, r, s in zip(y, k1, k2, k3, k4)]
        states.append(y)
    return states


def quadrature(f, a, b, n=2000):
    """The integral of f from a to b, where f may grow like 1/sqrt at both ends: midpoints in x = m − d cos u."""
    m, d = (a + b) / 2, (b - a) / 2
    angles = [(k + 0.5) * math.pi / n for k in range(n)]
    return sum(f(m - d * math.cos(u)) * d * math.sin(u) for u in angles) * math.pi / n


def elliptic_k(k):
    """The complete elliptic integral of the first kind, of modulus k, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - k * k)
    while abs(a - b) > 1e-15:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def rotate(q, a):
    """From the body's axes to the world's, by the unit quaternion q = (w, x, y, z)."""
    t = scale(2, cross(q[1:], a))
    return add(add(a, t, q[0]), cross(q[1:], t))


def rotate_back(q, a):
    return rotate([q[0], -q[1], -q[2], -q[3]], a)


def turn(axis, angle):
    return [math.cos(angle / 2)] + scale(math.sin(angle / 2), axis)


def text(a):
    return "[" + ", ".join(f"{x:.17g}" for x in a) + "]"


def root(f, a, b):
    for _ in range(200):
        middle = (a + b) / 2
        a, b = (middle, b) if f(a) * f(middle) > 0 else (a, middle)
    return (a + b) / 2
