"""References of spinning_test.cpp."""

import math

from reference_math import G, elliptic_k, quadrature, root, text


def racket():
    """Euler's equations near the middle axis: T = 4 K(k)/λ, Landau and Lifshitz, Mechanics, § 37."""
    i1, i2, i3 = 1.0, 2.0, 3.0
    w = [0.01, 1.0, 0.0]
    energy2 = i1 * w[0]**2 + i2 * w[1]**2 + i3 * w[2]**2
    square = (i1 * w[0])**2 + (i2 * w[1])**2 + (i3 * w[2])**2
    # Landau and Lifshitz have I3 > I2 > I1 and M² > 2 E I2; else the roles of 1 and 3 swap.
    if square < energy2 * i2:
        i1, i3 = i3, i1
    rate = math.sqrt((i3 - i2) * (square - energy2 * i1) / (i1 * i2 * i3))
    k2 = (i2 - i1) * (energy2 * i3 - square) / ((i3 - i2) * (square - energy2 * i1))
    print(f"  k² {k2:.12g}, period {4 * elliptic_k(math.sqrt(k2)) / rate:.12g} s")


def heavy_top():
    """Lagrange's top, let go at u0 = cos θ0: u'² = (u0 − u) (β (1 − u²) − a² (u0 − u)), φ' = a (u0 − u)/(1 − u²)."""
    m, l, side, axial, tilt, spin = 1.0, 0.1, 2e-3 + 0.01, 1e-3, 0.5, 200.0
    a, beta, u0 = axial * spin / side, 2 * m * G * l / side, math.cos(tilt)
    low = root(lambda u: beta * (1 - u * u) - a * a * (u0 - u), -1, u0)
    other = a * a / beta - low          # the roots of β u² − a² u + a² u0 − β add up to a²/β

    def rate(u):                        # |u'|
        return math.sqrt((u0 - u) * beta * (u - low) * (other - u))

    period = 2 * quadrature(lambda u: 1 / rate(u), low, u0)
    angle = 2 * quadrature(lambda u: a * (u0 - u) / (1 - u * u) / rate(u), low, u0)
    print(f"  start: position {text([l * math.sin(tilt), 0, l * u0])}, angular velocity "
          f"{text([spin * math.sin(tilt), 0, spin * u0])}")
    print(f"  from cusp to cusp {period:.12g} s, it precesses by {angle:.12g} rad and falls to {l * low:.12g} m")
