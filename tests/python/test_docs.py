"""Every Python block of docs/python.md runs, in order, in one program."""

import os
import pathlib
import re

SOURCE = pathlib.Path(os.environ["PAWL_SOURCE"])


def test_the_blocks_of_the_page_run(tmp_path, monkeypatch):
    blocks = re.findall(r"```python\n(.*?)```", (SOURCE / "docs/python.md").read_text(), re.DOTALL)
    assert len(blocks) >= 5
    (tmp_path / "scenes").symlink_to(SOURCE / "scenes")
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"docs/python.md, block {number + 1}", "exec"), names)
