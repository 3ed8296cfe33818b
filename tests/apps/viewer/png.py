"""PNG files as `brokkr` writes them: rows of bytes and text chunks. libpng decodes the rows."""
import ctypes
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
    """{key: text}, without the pixels."""
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


class Image(ctypes.Structure):
    """png_image of libpng's simplified interface."""
    _fields_ = [("opaque", ctypes.c_void_p), ("version", ctypes.c_uint32), ("width", ctypes.c_uint32), ("height", ctypes.c_uint32),
                ("format", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("colormap_entries", ctypes.c_uint32),
                ("warning_or_error", ctypes.c_uint32), ("message", ctypes.c_char * 64)]


RGB, RGBA = 2, 3  # of png_image.format


def read(path):
    """(rows of red, green, blue bytes from top to bottom, {key: text})"""
    found = texts(path)  # checks every chunk
    library, image, data = ctypes.CDLL("libpng16.so.16"), Image(version=1), path.read_bytes()
    begun = library.png_image_begin_read_from_memory(ctypes.byref(image), data, ctypes.c_size_t(len(data)))
    assert begun and image.format in (RGB, RGBA), (path, image.format, image.message)  # the format of the file
    channels = 3 if image.format == RGB else 4
    stride = image.width * channels
    raw = ctypes.create_string_buffer(stride * image.height)
    ended = library.png_image_finish_read(ctypes.byref(image), None, raw, ctypes.c_int32(stride), None)
    assert ended and image.warning_or_error == 0, (path, image.message)
    pixels = raw.raw
    if channels == 4:
        opaque = bytearray(3 * image.width * image.height)
        opaque[0::3], opaque[1::3], opaque[2::3] = pixels[0::4], pixels[1::4], pixels[2::4]
        pixels = bytes(opaque)
    stride = 3 * image.width
    return [pixels[i : i + stride] for i in range(0, len(pixels), stride)], found


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
