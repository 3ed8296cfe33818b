"""Small frame files (docs: the .bkf format) made with the standard library alone."""
import json
import math
import struct


def zstd_raw(data):
    """A zstd frame of raw blocks."""
    frame = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))  # single segment, 8-byte content size
    blocks = [data[i : i + 65536] for i in range(0, len(data), 65536)] or [b""]
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        frame += struct.pack("<I", int(last) | len(block) << 3)[:3] + block
    return frame


def container(text, blob=b"", magic=b"BRKF", version=1):
    """The file around a JSON text and an uncompressed blob."""
    text = text if isinstance(text, bytes) else text.encode()
    stored = zstd_raw(text)
    return magic + struct.pack("<IQQQ", version, len(stored), len(text), len(blob)) + stored + blob


STATE = {"viewport": [0, 0, 8, 8], "depthRange": [0, 1], "scissor": None,
         "depth": {"test": True, "write": True, "func": "less"}, "cull": "none", "frontFace": "ccw",
         "polygonMode": "fill", "polygonOffset": None, "blend": None,
         "colorMask": [True, True, True, True], "alphaTest": None, "stencil": None}

TRIANGLE = struct.pack("<12f", -1, -1, 0, 1, 1, -1, 0, 1, -1, 1, 0, 1)


def draw(**changes):
    base = {"type": "draw", "label": "a", "target": 0, "state": 0, "mode": "triangles",
            "position": {"offset": 0, "type": "f32x4", "count": 3}, "flags": []}
    return {**base, **changes}


def frame(size=8, blob_size=len(TRIANGLE), **changes):
    """The JSON of a frame with one triangle over the lower left half, with some keys changed."""
    base = {"asset": {"generator": "test", "application": "test", "frame": 0, "license": "none"},
            "window": [size, size], "blob": {"codec": "none", "size": blob_size},
            "targets": [{"id": 0, "size": [size, size], "samples": 0}],
            "states": [{**STATE, "viewport": [0, 0, size, size]}],
            "commands": [{"type": "clear", "target": 0, "color": [0, 0, 0, 1], "depth": 1.0}, draw()],
            "skipped": {"draws": 0, "triangles": 0, "reasons": {}}, "references": []}
    return json.dumps({**base, **changes})


GAME_SIZE = 320
GAME_VERTEX = """#version 330
in vec3 place;
uniform mat4 camera;
uniform vec4 tint;
out vec4 color;
void main() { gl_Position = camera * vec4(place, 1.0); color = tint * vec4(1.0, 0.5 + 0.1 * place.y, 1.0, 1.0); }
"""
GAME_FRAGMENT = """#version 330
in vec4 color;
out vec4 result;
void main() { result = color; }
"""
FLOOR = [(-4, -1, -3), (4, -1, -3), (4, -1, -12), (-4, -1, -3), (4, -1, -12), (-4, -1, -12)]
WALL = [(-1, -1, -8), (1, -1, -8), (1, 2, -9), (-1, -1, -8), (1, 2, -9), (-1, 2, -9)]


def game():
    """The bytes of a file with two draws whose vertex program shares a perspective camera: a floor and a wall."""
    blob = b""

    def add(data):
        nonlocal blob
        blob += b"\0" * (-len(blob) % 16)
        offset = len(blob)
        blob += data
        return offset

    focal, near, far = 1 / math.tan(math.radians(25)), 0.5, 50.0
    camera = [focal, 0, 0, 0, 0, focal, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]
    draws = []
    for points, tint in ((FLOOR, (1, 0.4, 0.1, 1)), (WALL, (0.2, 0.6, 1, 1))):
        places = add(struct.pack(f"<{3 * len(points)}f", *[value for point in points for value in point]))
        uniforms = add(struct.pack("<20f", *camera, *tint))
        one = draw(program=0, uniforms={"offset": 0, "type": "u32", "count": 0}, vertexProgram=0,
                   vertexUniforms={"offset": uniforms, "type": "u32", "count": 20},
                   attributes=[{"offset": places, "type": "f32", "count": 3 * len(points)}],
                   vertexCount=len(points))
        del one["position"]
        draws.append(one)
    clear = {"type": "clear", "target": 0, "color": [0.1, 0.1, 0.1, 1], "depth": 1.0}
    text = frame(
        size=GAME_SIZE, blob_size=len(blob), commands=[clear, *draws],
        programs=[{"fragment": [GAME_FRAGMENT], "version": 330, "varyings": [{"name": "color", "type": "vec4", "offset": 0}]}],
        vertexPrograms=[{"vertex": [GAME_VERTEX], "version": 330, "attributes": [{"name": "place", "type": "vec3"}],
                         "uniforms": [{"name": "camera", "type": "mat4", "offset": 0},
                                      {"name": "tint", "type": "vec4", "offset": 64}]}],
        targets=[{"id": 0, "size": [GAME_SIZE, GAME_SIZE], "samples": 0, "colors": [["rgba8", "rgba"]], "depth": "depth24"}])
    return container(text, blob, version=3)
