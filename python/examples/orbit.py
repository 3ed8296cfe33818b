"""Sixteen views around a torus, drawn in one launch, on one sheet."""
import sys

import brokkr_render as brokkr
from shapes import grid, save, torus


def main(out="orbit.png"):
    p, t, n, uv = torus()
    mesh = brokkr.Mesh(p, t, normals=n, material=brokkr.Material((0.9, 0.45, 0.15), metallic=0.3, roughness=0.4))
    camera = brokkr.Camera.orbit(16, distance=4, elevation=30)
    r = brokkr.Renderer().render(mesh, size=(128, 128), camera=camera, background=(0.1, 0.11, 0.13, 1))
    save(out, grid(r.color, 4))
    print(f"16 views in {r.statistics.frame_ms:.1f} ms")


if __name__ == "__main__":
    main(*sys.argv[1:])
