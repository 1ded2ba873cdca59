"""The checker must accept good runs and object to damaged ones: check_test.py PROGRAM."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np
import yaml

from check import check
from shapes import Shape

PROGRAM = ""
SCENE = """
pawl: 1
materials: {m: {friction: 0.3}}
bodies:
  floor: {joint: {type: weld}, shapes: [{type: half-space}]}
  block: {mass: 1, position: [0, 0, 0.05], velocity: [0.5, 0, 0], shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}
  ball: {mass: 0.5, position: [0.3, 0, 0.4], shapes: [{type: sphere, radius: 0.05}]}
  door:
    {mass: 1, position: [2, 0, 1], joint: {type: revolute, anchor: [2, 0, 1.2], axis: [0, 1, 0], velocity: 0.1,
     lower: -0.1, upper: 0.1}, shapes: [{type: box, size: [0.1, 0.1, 0.1]}]}
  bob: {mass: 1, position: [4, 0, 1], shapes: [{type: capsule, radius: 0.05, length: 0.1}]}
joints:
  - {type: ball, between: [bob, world], anchor: [4, 0.2, 1.2]}
run: {step: 0.005, until: 0.5}
"""


class Checker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.good = os.path.join(cls.folder, "good.h5")
        cls.scene = yaml.safe_load(SCENE)
        path = os.path.join(cls.folder, "scene.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(SCENE)
        subprocess.run([PROGRAM, "run", path, "-o", cls.good, "--quiet"], check=True, timeout=60)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def violations(self, damage=None):
        """Checks that fail once `damage` has changed the file."""
        path = os.path.join(self.folder, "damaged.h5")
        shutil.copy(self.good, path)
        if damage:
            with h5py.File(path, "r+") as f:
                damage(f)
        return set(check(self.scene, path, 0).violations)

    def column(self, f, table, name):
        return list(f[table].attrs["columns"]).index(name)

    def test_good_run_holds(self):
        self.assertEqual(self.violations(), set())

    def test_sunken_body_overlaps(self):
        def damage(f):
            f["q"][50:, self.column(f, "q", "block.z")] -= 1e-6
        self.assertIn("overlap", self.violations(damage))

    def test_ball_in_block_overlaps(self):
        def damage(f):
            for a in "xyz":
                f["q"][60, self.column(f, "q", f"ball.{a}")] = f["q"][60, self.column(f, "q", f"block.{a}")] + 0.05
        self.assertIn("overlap", self.violations(damage))

    def test_body_that_jumps_over_another_passes_through(self):
        def damage(f):
            x, z = (self.column(f, "q", f"ball.{a}") for a in "xz")
            f["q"][30:, z] = f["q"][30, self.column(f, "q", "block.z")]
            f["q"][:30, z] = f["q"][30, z]
            f["q"][:30, x], f["q"][30:, x] = -0.5, 1.5
        self.assertIn("passes through", self.violations(damage))

    def test_scaled_impulse_breaks_momentum(self):
        def damage(f):
            f["contacts/impulse"][:, 0] *= 1 + 1e-8
        self.assertIn("linear momentum", self.violations(damage))

    def test_friction_outside_its_set(self):
        def damage(f):
            f["contacts/impulse"][:, 1] *= 1.1
        self.assertIn("friction set", self.violations(damage))

    def test_pulling_contact(self):
        def damage(f):
            f["contacts/impulse"][:, 0] *= -1
        self.assertIn("tension", self.violations(damage))

    def test_added_energy(self):
        def damage(f):
            f["v"][40:, self.column(f, "v", "block.vx")] += 0.1
            f["energy/kinetic"][40:] += 0.5 * ((f["v"][40:, self.column(f, "v", "block.vx")]) ** 2
                                               - (f["v"][40:, self.column(f, "v", "block.vx")] - 0.1) ** 2)
        failed = self.violations(damage)
        self.assertTrue({"growth", "ledger", "linear momentum"} <= failed, failed)

    def test_wrong_kinetic_energy(self):
        def damage(f):
            f["energy/kinetic"][:] *= 1 + 1e-6
        self.assertIn("kinetic", self.violations(damage))

    def test_open_joint(self):
        def damage(f):
            f["q"][70, self.column(f, "q", "bob.y")] += 1e-7
        self.assertIn("joint", self.violations(damage))

    def test_passed_limit(self):
        def damage(f):
            f["q"][70:, self.column(f, "q", "door.q")] = 0.1 + 1e-6
        self.assertIn("limit", self.violations(damage))

    def test_spin_from_nowhere(self):
        def damage(f):
            f["v"][10, self.column(f, "v", "ball.wx")] += 1e-9
        self.assertIn("angular momentum", self.violations(damage))

    def test_number_that_is_none(self):
        def damage(f):
            f["q"][10, 0] = np.nan
        self.assertIn("finite", self.violations(damage))


class Shapes(unittest.TestCase):
    def test_mass_of_a_cube_as_hull(self):
        corners = [[x, y, z] for x in (0, 2.0) for y in (0, 2.0) for z in (0, 2.0)]
        volume, centre, inertia = Shape({"type": "hull", "points": corners}, False).mass_properties()
        self.assertAlmostEqual(volume, 8)
        np.testing.assert_allclose(centre, [1, 1, 1])
        np.testing.assert_allclose(inertia, np.eye(3) * 8 * 8 / 12, atol=1e-12)

    def test_cone_has_its_centroid_at_a_quarter(self):
        volume, centre, _ = Shape({"type": "cone", "radius": 1.0, "height": 4.0}, False).mass_properties()
        self.assertAlmostEqual(volume, np.pi * 4 / 3)
        self.assertAlmostEqual(centre[2], -1)

    def test_support_point_reaches_support(self):
        d = np.random.default_rng(0).normal(size=(50, 3))
        d /= np.linalg.norm(d, axis=1, keepdims=True)
        for spec in ({"type": "sphere", "radius": 1}, {"type": "capsule", "radius": 1, "length": 2},
                     {"type": "box", "size": [1, 2, 3], "margin": 0.1}, {"type": "cone", "radius": 1, "height": 2},
                     {"type": "frustum", "radius": 1, "top_radius": 2, "height": 3},
                     {"type": "ellipsoid", "semi_axes": [1, 2, 3]},
                     {"type": "hull", "points": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}):
            shape = Shape(spec, False)
            np.testing.assert_allclose(np.sum(d * shape.support_point(d), 1), shape.support(d), atol=1e-12)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
