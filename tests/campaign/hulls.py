"""Convex hulls of few points by brute force: faces, edges, mass properties."""

import numpy as np


def polygon_ring(points):
    """Vertices of a planar hull, counter-clockwise."""
    pts = sorted(map(tuple, points[:, :2]))

    def chain(seq):
        out = []
        for p in seq:
            while len(out) > 1 and ((out[-1][0] - out[-2][0]) * (p[1] - out[-2][1])
                                    - (out[-1][1] - out[-2][1]) * (p[0] - out[-2][0])) <= 0:
                out.pop()
            out.append(p)
        return out[:-1]
    return np.array(chain(pts) + chain(pts[::-1]))


def polygon_mass(points):
    a = polygon_ring(points)
    b = np.roll(a, -1, axis=0)
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    area = cross.sum() / 2
    centre = ((a + b) * cross[:, None]).sum(0) / (6 * area)
    moment = (cross * ((a * a).sum(1) + (a * b).sum(1) + (b * b).sum(1))).sum() / 12 - area * centre @ centre
    return area, np.append(centre, 0.0), np.eye(3) * moment


def hull_faces(points):
    """Outward normals [F, 3] and offsets of the faces of a convex hull: every plane through three points."""
    n = len(points)
    scale = np.abs(points - points.mean(0)).max()
    i, j, k = np.array([(a, b, c) for a in range(n) for b in range(a) for c in range(b)]).T
    normal = np.cross(points[j] - points[i], points[k] - points[i])
    length = np.linalg.norm(normal, axis=1)
    keep = length > 1e-9 * scale ** 2
    normal, start = normal[keep] / length[keep, None], points[i[keep]]
    side = normal @ points.T - np.einsum("ij,ij->i", normal, start)[:, None]
    faces = []
    for sign in (1, -1):
        outer = np.all(sign * side < 1e-9 * scale, axis=1)
        faces.append(sign * normal[outer])
    normals = np.vstack(faces)
    unique = []
    for v in normals:
        if not any(v @ u > 1 - 1e-12 for u in unique):
            unique.append(v)
    normals = np.array(unique)
    return normals, np.max(normals @ points.T, axis=1)


def hull_normals(points, planar):
    if planar:
        ring = polygon_ring(points)
        d = np.roll(ring, -1, axis=0) - ring
        n = np.stack([d[:, 1], -d[:, 0], 0 * d[:, 0]], 1)
        return n / np.linalg.norm(n, axis=1, keepdims=True), np.zeros((0, 3))
    normals, offsets = hull_faces(points)
    edges = []
    for a in range(len(normals)):
        for b in range(a):
            e = np.cross(normals[a], normals[b])
            on = (np.abs(points @ normals[a] - offsets[a]) + np.abs(points @ normals[b] - offsets[b])
                  < 1e-9 * np.abs(points).max())
            if on.sum() >= 2 and np.linalg.norm(e) > 1e-9:
                edges.append(e / np.linalg.norm(e))
    return normals, np.array(edges).reshape(-1, 3)


def hull_mass(points):
    """Sum of tetrahedra from an inner point to a fan of each face."""
    inner = points.mean(0)
    normals, offsets = hull_faces(points)
    volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
    for n, offset in zip(normals, offsets):
        face = points[np.abs(points @ n - offset) < 1e-9 * np.abs(points - inner).max()] - inner
        u = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
        flat = np.stack([face @ u, face @ np.cross(n, u)], 1)
        centre = flat.mean(0)
        order = np.argsort(np.arctan2(*(flat - centre).T[::-1]))
        face = face[order]
        for b, c in zip(face[1:-1], face[2:]):
            a = face[0]
            v = abs(np.dot(a, np.cross(b, c))) / 6
            total = a + b + c
            volume, first = volume + v, first + v * total / 4
            second += v / 20 * (sum(np.outer(x, x) for x in (a, b, c)) + np.outer(total, total))
    centre = first / volume
    second -= volume * np.outer(centre, centre)
    return volume, inner + centre, np.trace(second) * np.eye(3) - second
