"""What a call of step() costs in Python: the processor time of a step, less that of the same step in pawl.rollout().

    PYTHONPATH=build/release/python /usr/bin/python3 bench/python_step.py
"""

import gc
import time
import timeit

import pawl

STEPS, REPEATS = 5000, 60
gc.disable()
for joint in ("prismatic, parent: world, axis: [1, 0, 0]", "free"):
    model = pawl.loads(f"""
pawl: 1
world: {{gravity: [0, 0, 0]}}
bodies:
  body: {{mass: 1, inertia: 0.1, joint: {{type: {joint}}}}}
run: {{step: 1ms, until: 1000}}
""").compile()
    sim, start, python, cpp = pawl.Simulation(model), [model.state()], [], []
    for _ in range(REPEATS):
        python.append(timeit.timeit(sim.step, number=STEPS, timer=time.process_time) / STEPS)
        cpp.append(timeit.timeit(lambda: pawl.rollout(model, start, STEPS, threads=1), number=1,
                                 timer=time.process_time) / STEPS)
    print(f"{joint.split(',')[0]}: {min(python) * 1e6:.2f} µs in Python, {min(cpp) * 1e6:.2f} µs in C++")
