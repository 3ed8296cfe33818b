"""Writes a frame file (docs/reference/frame-format.md) without compression.

`brokkr import` reads the file, checks it and writes it again, compressed.
"""
import hashlib
import json
import struct

MAGIC = b"BRKF"
VERSION = 3
ALIGNMENT = 16  # bytes of the blob
BLOCK = 1 << 17  # the largest block of a zstd frame, in bytes


def zstd_of(data):
    """Returns a zstd frame whose blocks are stored as they are."""
    frame = struct.pack("<IBQ", 0xFD2FB528, 0xE0, len(data))
    for at in range(0, max(len(data), 1), BLOCK):
        part = data[at:at + BLOCK]
        is_last = at + BLOCK >= len(data)
        frame += struct.pack("<I", len(part) << 3 | is_last)[:3] + part
    return frame


class Blob:
    """The bytes that a frame file refers to. Equal contents are stored once."""

    def __init__(self):
        self.parts, self.size, self.known = [], 0, {}

    def add(self, data):
        """Returns the offset of `data` in bytes."""
        data = bytes(data)
        key = hashlib.sha256(data).digest()
        if key not in self.known:
            gap = -self.size % ALIGNMENT
            self.parts += [bytes(gap), data]
            self.known[key] = self.size + gap
            self.size += gap + len(data)
        return self.known[key]


class Numbered:
    """A list of JSON values in which equal values have one number."""

    def __init__(self):
        self.values, self.known = [], {}

    def number(self, value):
        key = json.dumps(value, sort_keys=True)
        if key not in self.known:
            self.known[key] = len(self.values)
            self.values.append(value)
        return self.known[key]


def write(path, frame, blob):
    """Writes `frame`, the JSON object without its key `blob`."""
    frame["blob"] = {"codec": "none", "size": blob.size}
    text = json.dumps(frame).encode()
    packed = zstd_of(text)
    with open(path, "wb") as file:
        file.write(MAGIC + struct.pack("<IQQQ", VERSION, len(packed), len(text), blob.size) + packed)
        for part in blob.parts:
            file.write(part)
