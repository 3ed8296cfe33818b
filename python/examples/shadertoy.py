"""A Shadertoy shader as frames of a film: `ffmpeg -i frame-%03d.png film.mp4` joins them."""
import pathlib
import sys

import numpy as np

import brokkr_render as brokkr
from shapes import grid, save

TEXT = """
void mainImage(out vec4 color, in vec2 at) {
  vec2 p = (2.0 * at - iResolution.xy) / iResolution.y;
  float r = length(p), a = atan(p.y, p.x);
  float wave = sin(8.0 * r - 4.0 * iTime + 3.0 * sin(3.0 * a + iTime));
  color = vec4(0.5 + 0.5 * cos(vec3(0, 2, 4) + wave + iTime), 1) * smoothstep(1.6, 0.2, r);
}
"""


def main(out="shadertoy.png", frames=8):
    screen = brokkr.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2], [0, 2, 3]])
    film = brokkr.Renderer().prepare(screen, size=(160, 90), shader=brokkr.Shader(TEXT))
    film.set_cameras(np.eye(4))
    pictures = []
    for i in range(frames):
        film.set_uniforms(time=i / 4)
        pictures.append(film.render().color[0])
        pictures[-1][..., 3] = 255
        save(pathlib.Path(out).with_name(f"frame-{i:03d}.png"), pictures[-1])
    save(out, grid(np.stack(pictures), 4))


if __name__ == "__main__":
    main(*sys.argv[1:])
