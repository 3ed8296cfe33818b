"""Each script of the gallery runs, and its picture shows something; the notebook and the guide run as they stand."""
import importlib
import json
import re
import sys

import numpy as np
import pytest

import brokkr_render as brokkr
from conftest import ROOT

sys.path.insert(0, str(ROOT / "python/examples"))

# Name: the least share of pixels that differ from the commonest colour, and a bound of what main returns.
GALLERY = {"orbit": (0.2, None), "dataset": (0.2, None), "shadertoy": (0.5, None), "capture_analysis": (0.3, None),
           "pattern_study": (0.2, None), "observe": (0.3, lambda total: total > 0.8), "pose_fit": (0.05, lambda e: e < 3),
           "texture_fit": (0.3, lambda e: e < 25)}


@pytest.mark.parametrize("name", GALLERY)
def test_gallery(name, tmp_path):
    returned = importlib.import_module(name).main(tmp_path / "picture.png")
    pixels = brokkr._brokkr.read_image((tmp_path / "picture.png").read_bytes(), name)
    _, counts = np.unique(pixels.reshape(-1, 4), axis=0, return_counts=True)
    share, holds = GALLERY[name]
    assert 1 - counts.max() / counts.sum() > share
    assert holds is None or holds(returned), returned


def test_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "python/examples/brokkr.ipynb").read_text())
    names = {}
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
    assert names["fit"] < 0.05


def test_guide(tmp_path, monkeypatch, root):
    """The blocks of Python in the guide, in their order."""
    monkeypatch.chdir(tmp_path)
    for file in (root / "assets").iterdir():
        (tmp_path / file.name).symlink_to(file)
    (tmp_path / "frame.bkf").symlink_to(root / "scenes/glxgears.bkf")
    names = {}
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", (root / "docs/guide/python.md").read_text(), re.S)):
        exec(compile(block, f"block {number}", "exec"), names)
    assert names["views"].depth.shape == (64, 128, 128) and 1.9 < names["views"].depth.min() < 2.1
    assert names["error"] < 0.01
