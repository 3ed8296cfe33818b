"""PNG files as `brokkr` writes them: rows of bytes and text chunks."""
import struct
import zlib


def chunks(path):
    """(kind, content) of each part of the file."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", path
    position = 8
    while position < len(data):
        length, kind = struct.unpack(">I4s", data[position : position + 8])
        content = data[position + 8 : position + 8 + length]
        (crc,) = struct.unpack(">I", data[position + 8 + length : position + 12 + length])
        assert crc == zlib.crc32(kind + content), (path, kind)
        yield kind, content
        position += length + 12


def texts(path):
    """{key: text}, without the pixels, which take long to decode here."""
    found = {}
    for kind, content in chunks(path):
        if kind == b"iTXt":
            key, rest = content.split(b"\0", 1)
            found[key.decode()] = rest[2:].split(b"\0", 2)[2].decode()
    return found


def without_texts(path):
    """The bytes of the file without its texts, which name files of this computer."""
    kept = [chunk(kind, content) for kind, content in chunks(path) if kind != b"iTXt"]
    return b"\x89PNG\r\n\x1a\n" + b"".join(kept)


def read(path):
    """(rows of red, green, blue bytes from top to bottom, {key: text})"""
    stored = b""
    for kind, content in chunks(path):
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", content[:10])
        elif kind == b"IDAT":
            stored += content
    assert depth == 8 and color in (2, 6)
    channels = 3 if color == 2 else 4
    raw, stride, rows, above = zlib.decompress(stored), width * channels, [], bytes(width * channels)
    for number in range(height):
        kind = raw[number * (stride + 1)]
        line = bytearray(raw[number * (stride + 1) + 1 : (number + 1) * (stride + 1)])
        unfilter(kind, line, above, channels)
        above = bytes(line)
        rows.append(above if channels == 3 else b"".join(above[i : i + 3] for i in range(0, stride, 4)))
    return rows, texts(path)


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


def added(line, above):
    """The sums of bytes at the same places, modulo 256, all at once: the highest bits are added without a carry."""
    count = len(line)
    a, b = int.from_bytes(line, "big"), int.from_bytes(above, "big")
    low, high = int.from_bytes(b"\x7f" * count, "big"), int.from_bytes(b"\x80" * count, "big")
    return (((a & low) + (b & low)) ^ ((a ^ b) & high)).to_bytes(count, "big")


def unfilter(kind, line, above, channels):
    if kind == 0:
        return
    if kind == 2:
        line[:] = added(line, above)
        return
    for channel in range(channels):
        values, left, corner = [], 0, 0
        for value, up in zip(line[channel::channels], above[channel::channels]):
            if kind == 1:
                guess = left
            elif kind == 3:
                guess = (left + up) >> 1
            else:
                a, b = up - corner, left - corner
                c = abs(a + b)
                a, b = abs(a), abs(b)
                guess = left if a <= b and a <= c else up if b <= c else corner
                corner = up
            left = (value + guess) & 255
            values.append(left)
        line[channel::channels] = bytes(values)
