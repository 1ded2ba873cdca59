"""Separation of two convex shapes by the algorithm of Gilbert, Johnson and Keerthi, one state at a time."""

import itertools

import numpy as np


def nearest(points):
    """The point of the hull of up to four points nearest to the origin, and the points that carry it."""
    best, carriers = None, points
    for count in range(1, len(points) + 1):
        for some in itertools.combinations(points, count):
            base = some[0]
            if count == 1:
                weights, x = np.ones(1), base
            else:
                edges = np.array(some[1:]) - base
                tail, *_ = np.linalg.lstsq(edges.T, -base, rcond=1e-13)
                weights = np.append(1 - tail.sum(), tail)
                x = weights @ np.array(some)
            if weights.min() >= -1e-14 and (best is None or x @ x < best @ best):
                best, carriers = x, list(some)
    return best, carriers


def separates(pair, row, shift, rounds=80):
    """A direction along which the shapes are apart once A is moved by `shift`, or None if none is found."""
    rows = np.array([row])
    x = -pair.between[row] + shift
    points = []
    for _ in range(rounds):
        length = np.linalg.norm(x)
        if length < 1e-300:
            return None
        n = x / length
        w = pair.difference(n[None], rows)[0] + shift
        if n @ w >= 0:
            return n
        if any(np.array_equal(w, p) for p in points):
            return None
        x, points = nearest(points + [w])
        if len(points) == 4:
            return None
    return None
