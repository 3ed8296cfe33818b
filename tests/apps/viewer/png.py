"""PNG files as `brokkr` writes them: rows of bytes and text chunks."""
import struct
import zlib


def read(path):
    """(rows of red, green, blue bytes from top to bottom, {key: text})"""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    position, stored, texts = 8, b"", {}
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        chunk = data[position + 8 : position + 8 + length]
        (crc,) = struct.unpack(">I", data[position + 8 + length : position + 12 + length])
        assert crc == zlib.crc32(kind + chunk), (path, kind)
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
        elif kind == b"IDAT":
            stored += chunk
        elif kind == b"iTXt":
            key, rest = chunk.split(b"\0", 1)
            texts[key.decode()] = rest[2:].split(b"\0", 2)[2].decode()
        position += length + 12
    assert depth == 8 and color in (2, 6)
    channels = 3 if color == 2 else 4
    raw, stride, rows, above = zlib.decompress(stored), width * channels, [], bytes(width * channels)
    for number in range(height):
        kind = raw[number * (stride + 1)]
        line = bytearray(raw[number * (stride + 1) + 1 : (number + 1) * (stride + 1)])
        unfilter(kind, line, above, channels)
        above = bytes(line)
        rows.append(above if channels == 3 else b"".join(above[i : i + 3] for i in range(0, stride, 4)))
    return rows, texts


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def packed(rows):
    """The rows as PNG has them, each as the difference to the one before it."""
    lines, above = [], bytes(len(rows[0]))
    for row in rows:
        lines.append(b"\2" + bytes((a - b) & 255 for a, b in zip(row, above)))
        above = row
    return zlib.compress(b"".join(lines), 9)


def write(path, rows):
    """`rows`: red, green, blue bytes from top to bottom."""
    header = struct.pack(">IIBBBBB", len(rows[0]) // 3, len(rows), 8, 2, 0, 0, 0)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", packed(rows)) + chunk(b"IEND", b""))


def unfilter(kind, line, above, channels):
    if kind == 0:
        return
    for i in range(len(line)):
        left = line[i - channels] if i >= channels else 0
        up = above[i]
        if kind == 1:
            add = left
        elif kind == 2:
            add = up
        elif kind == 3:
            add = (left + up) >> 1
        else:
            corner = above[i - channels] if i >= channels else 0
            guess = left + up - corner
            a, b, c = abs(guess - left), abs(guess - up), abs(guess - corner)
            add = left if a <= b and a <= c else up if b <= c else corner
        line[i] = (line[i] + add) & 255
