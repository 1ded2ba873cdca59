#!/usr/bin/env python3
"""The references of the tests in this folder: closed forms, and smooth equations of motion integrated by Runge-Kutta.

    python3 tests/truth/references.py [NAME...]

They know nothing of Pawl, and need nothing but Python. Each prints the start that a scene of scenes/classics is given
and the figures that a test compares with. SI units. All of them take a minute or two.
"""

import sys

sys.dont_write_bytecode = True
from impact_references import dominoes, rocking_block, slider_crank_clearance, stick_slip, woodpecker
from rolling_references import ball_on_ball, eulers_disk, rattleback, rocker, rolling_coin, tippe_top
from spinning_references import heavy_top, racket

REFERENCES = (rattleback, tippe_top, eulers_disk, rolling_coin, rocker, ball_on_ball, racket, heavy_top, stick_slip,
              rocking_block, woodpecker, dominoes, slider_crank_clearance)

if __name__ == "__main__":
    for reference in REFERENCES:
        if len(sys.argv) == 1 or reference.__name__ in sys.argv[1:]:
            print(reference.__name__)
            reference()
