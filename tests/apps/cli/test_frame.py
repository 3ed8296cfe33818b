"""Small frame files (docs: the .bkf format) made with the standard library alone."""
import json
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
