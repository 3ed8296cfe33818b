import importlib
import os
import pathlib
import sys

import numpy as np
import pytest

import brokkr_render as brokkr

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python/tests"))


def pytest_sessionstart():
    """A check of everything must not skip: BROKKR_TEST_NEEDS names modules that have to be there."""
    for name in os.environ.get("BROKKR_TEST_NEEDS", "").split():
        importlib.import_module(name)


def sphere(rings=12, sectors=16):
    """A sphere of radius 1 with smooth normals and texture coordinates."""
    th, ph = np.meshgrid(np.linspace(0, np.pi, rings + 1), np.linspace(0, 2 * np.pi, sectors + 1), indexing="ij")
    p = np.stack([np.sin(th) * np.cos(ph), np.cos(th), np.sin(th) * np.sin(ph)], axis=-1).reshape(-1, 3)
    uv = np.stack([ph / (2 * np.pi), th / np.pi], axis=-1).reshape(-1, 2)
    row, i, j = sectors + 1, *np.meshgrid(np.arange(rings), np.arange(sectors), indexing="ij")
    a = (i * row + j).ravel()
    faces = np.concatenate([np.stack([a, a + 1, a + row], 1), np.stack([a + 1, a + row + 1, a + row], 1)])
    return p.astype(np.float32), faces.astype(np.int32), p.astype(np.float32), uv.astype(np.float32)


@pytest.fixture
def mesh():
    p, f, n, uv = sphere()
    return brokkr.Mesh(p, f, normals=n, uv=uv, name="ball")


@pytest.fixture
def scene(mesh):
    second = np.eye(4, dtype=np.float32)
    second[0, 3] = 2.5
    p, f, _, _ = sphere(4, 5)
    return brokkr.Scene([mesh, brokkr.Instance(mesh, second), brokkr.Mesh(p * 0.5 + [0, 1.5, 0], f, name="small")])


@pytest.fixture(scope="session")
def renderer():
    return brokkr.Renderer("cpu")


@pytest.fixture(scope="session")
def root():
    return ROOT
