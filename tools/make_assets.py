#!/usr/bin/env python3
"""Writes the example scenes assets/courtyard.{obj,mtl}, with its textures, and assets/spheres.glb.

Needs nothing but Python's standard library; the output is the same on every run. Usage:
    tools/make_assets.py [FOLDER]      (default: assets/ beside this script's folder)
"""
import json
import math
import pathlib
import struct
import sys
import zlib

TAU = 2 * math.pi


# --- values -----------------------------------------------------------------------------------------------------

def hash32(value):
    """Finalizer of MurmurHash3 (public domain)."""
    value &= 0xffffffff
    value = (value ^ value >> 16) * 0x85ebca6b & 0xffffffff
    value = (value ^ value >> 13) * 0xc2b2ae35 & 0xffffffff
    return value ^ value >> 16


def random_at(x, y, seed):
    return hash32(hash32(x * 73856093 ^ y * 19349663) + seed) / 4294967296.0


def smooth_noise(x, y, period, seed):
    """Returns value noise that repeats after `period`."""
    x0, y0 = math.floor(x), math.floor(y)
    fx, fy = x - x0, y - y0
    fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)

    def at(i, j):
        return random_at((x0 + i) % period, (y0 + j) % period, seed)

    low = at(0, 0) + (at(1, 0) - at(0, 0)) * fx
    high = at(0, 1) + (at(1, 1) - at(0, 1)) * fx
    return low + (high - low) * fy


# --- pictures ---------------------------------------------------------------------------------------------------

def png_file(size, pixel, channels):
    """Returns a PNG file. `pixel(x, y)` returns `channels` values in 0..1; y increases downwards."""
    rows = bytearray()
    previous = bytes(size * channels)
    for y in range(size):
        row = bytearray()
        for x in range(size):
            row += bytes(max(0, min(255, round(255 * value))) for value in pixel(x, y))
        # Filter "up": differences to the row above compress better than the values.
        rows += b'\x02' + bytes((a - b) & 255 for a, b in zip(row, previous))
        previous = bytes(row)

    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    header = struct.pack('>IIBBBBB', size, size, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', header) + chunk(b'IDAT', zlib.compress(bytes(rows), 9)) +
            chunk(b'IEND', b''))


def tint(color, value):
    return tuple(channel * value for channel in color)


def paving(x, y, size=256):
    """Stones in courses, four by four, with dark joints."""
    stone = size // 4
    course = y // stone
    shifted = (x + course % 2 * stone // 2) % size
    edge = min(y % stone, stone - 1 - y % stone, shifted % stone, stone - 1 - shifted % stone)
    grain = 0.8 * smooth_noise(x / 8, y / 8, size // 8, 1) + 0.2 * random_at(x, y, 2)
    tone = 0.52 + 0.22 * random_at(shifted // stone, course, 3) + 0.2 * (grain - 0.5)
    return tint((1.0, 0.96, 0.88), tone if edge > 1 else 0.25 + 0.1 * grain)


def planks(x, y, size=256):
    """Four boards with a frame and nails: one side of a crate."""
    board = size // 4
    border = min(x, y, size - 1 - x, size - 1 - y)
    on_frame = border < size // 10
    along, across = (y, x) if on_frame and min(x, size - 1 - x) < size // 10 else (x, y)
    rings = smooth_noise(along / 64, across / 4, 64, 4 + (0 if on_frame else across // board))
    tone = 0.5 + 0.3 * rings + 0.05 * random_at(x, y, 5)
    if not on_frame and across % board < 2:
        tone *= 0.4
    if on_frame and border in (size // 10 - 1, 0):
        tone *= 0.55
    corner = (min(x, size - 1 - x) - size // 20) ** 2 + (min(y, size - 1 - y) - size // 20) ** 2
    if corner < 12:
        return (0.3, 0.3, 0.32)
    return tint((0.85, 0.6, 0.36) if on_frame else (0.78, 0.52, 0.3), tone * 1.35)


def plaster(x, y, size=256):
    """A pale wall with stains and a few bricks showing through."""
    stain = 0.6 * smooth_noise(x / 32, y / 32, size // 32, 6) + 0.4 * smooth_noise(x / 8, y / 8, size // 8, 7)
    if stain > 0.68:
        row = y // 16
        joint = y % 16 < 2 or (x + row % 2 * 16) % 32 < 2
        return (0.6, 0.58, 0.55) if joint else tint((0.75, 0.36, 0.26), 0.75 + 0.3 * random_at(x // 4, y // 4, 8))
    return tint((0.93, 0.88, 0.78), 0.78 + 0.25 * stain + 0.04 * random_at(x, y, 9))


def make_leaves(size=256):
    """A branch with leaves: colour and coverage of each pixel. Uncovered pixels keep a leaf's colour, so that mip maps
    do not become darker at the edges."""
    canvas = [[(0.22, 0.42, 0.13, 0.0)] * size for _ in range(size)]
    for number in range(90):
        t = number / 90
        side = -1 if number % 2 else 1
        x0 = size * (0.5 + 0.03 * math.sin(9 * t))
        y0 = size * (0.97 - 0.88 * t)
        reach = size * (0.36 * (1 - t) ** 0.6 + 0.08) * (0.75 + 0.5 * random_at(number, 0, 10))
        angle = side * (1.15 - 0.5 * t + 0.4 * (random_at(number, 1, 10) - 0.5))
        dx, dy = math.sin(angle), -math.cos(angle)
        shade = 0.65 + 0.6 * random_at(number, 2, 10)
        width = reach * 0.17
        for y in range(max(0, int(y0 - reach)), min(size, int(y0 + reach))):
            for x in range(max(0, int(x0 - reach)), min(size, int(x0 + reach))):
                u = ((x - x0) * dx + (y - y0) * dy) / reach
                v = (-(x - x0) * dy + (y - y0) * dx) / width
                if 0 < u < 1 and abs(v) < 4 * u * (1 - u) ** 0.7:
                    vein = 0.8 if abs(v) < 0.12 else 1.0
                    canvas[y][x] = (*tint((0.3, 0.58, 0.17), shade * vein * (0.8 + 0.3 * u)), 1.0)
    for y in range(int(size * 0.1), size):
        x0 = size * (0.5 + 0.03 * math.sin(9 * (0.97 - y / size) / 0.88))
        for x in range(int(x0 - 2), int(x0 + 3)):
            canvas[y][x] = (0.3, 0.2, 0.1, 1.0)
    return lambda x, y: canvas[y][x]


# --- meshes -----------------------------------------------------------------------------------------------------

class Obj:
    """Collects an OBJ file's lines; indices count from 1."""

    def __init__(self, library):
        self.lines = ['# Made by tools/make_assets.py; CC0.', f'mtllib {library}']
        self.counts = {'v': 0, 'vt': 0, 'vn': 0}

    def begin(self, name, material):
        self.lines += [f'o {name}', f'usemtl {material}']

    def add(self, kind, *values):
        self.lines.append(kind + ' ' + ' '.join(f'{value:.5g}' for value in values))
        self.counts[kind] += 1
        return self.counts[kind]

    def face(self, corners):
        """Corners are (v, vt, vn) with vn 0 for none."""
        self.lines.append('f ' + ' '.join(f'{v}/{t}/{n}' if n else f'{v}/{t}' for v, t, n in corners))

    def quad(self, origin, right, up, repeat_u, repeat_v):
        """Adds a quad without normals; the reader computes them."""
        corners = []
        for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
            position = [origin[k] + u * right[k] + v * up[k] for k in range(3)]
            corners.append((self.add('v', *position), self.add('vt', u * repeat_u, v * repeat_v), 0))
        self.face(corners)

    def box(self, center, size, turn, per_unit=None):
        """Adds a box, rotated by `turn` degrees around y. `center` is that of the lower side. The texture covers each
        side once, or repeats `per_unit` times."""
        cos, sin = math.cos(math.radians(turn)), math.sin(math.radians(turn))

        def at(x, y, z):
            x, y, z = x * size[0] / 2, y * size[1], z * size[2] / 2
            return (center[0] + x * cos + z * sin, center[1] + y, center[2] - x * sin + z * cos)

        for a, b, c in (((-1, 0, 1), (1, 0, 1), (-1, 1, 1)), ((1, 0, -1), (-1, 0, -1), (1, 1, -1)),
                        ((1, 0, 1), (1, 0, -1), (1, 1, 1)), ((-1, 0, -1), (-1, 0, 1), (-1, 1, -1)),
                        ((-1, 1, 1), (1, 1, 1), (-1, 1, -1)), ((-1, 0, -1), (1, 0, -1), (-1, 0, 1))):
            a, b, c = at(*a), at(*b), at(*c)
            right, up = [b[k] - a[k] for k in range(3)], [c[k] - a[k] for k in range(3)]
            repeat = [per_unit * math.hypot(*side) if per_unit else 1 for side in (right, up)]
            self.quad(a, right, up, *repeat)

    def surface(self, point, normal, steps_u, steps_v, repeat_u, repeat_v):
        """Adds a grid over u, v in 0..1 with the given normals. Faces are counter-clockwise if u goes right and v goes
        up."""
        grid = []
        for j in range(steps_v + 1):
            row = []
            for i in range(steps_u + 1):
                u, v = i / steps_u, j / steps_v
                row.append((self.add('v', *point(u, v)), self.add('vt', u * repeat_u, v * repeat_v),
                            self.add('vn', *normal(u, v))))
            grid.append(row)
        for j in range(steps_v):
            for i in range(steps_u):
                self.face([grid[j][i], grid[j][i + 1], grid[j + 1][i + 1], grid[j + 1][i]])

    def lathe(self, center, profile, steps, repeat_u, repeat_v):
        """Rotates a profile of (radius, height) around y."""
        last = len(profile) - 1

        def at(v):
            k = min(int(v * last), last - 1)
            t = v * last - k
            return [profile[k][m] + (profile[k + 1][m] - profile[k][m]) * t for m in range(2)]

        def point(u, v):
            radius, height = at(v)
            return (center[0] + radius * math.sin(TAU * u), center[1] + height, center[2] + radius * math.cos(TAU * u))

        def normal(u, v):
            low, high = at(max(0, v - 0.5 / last)), at(min(1, v + 0.5 / last))
            dr, dh = high[0] - low[0], high[1] - low[1]
            length = math.hypot(dr, dh) or 1
            return (dh / length * math.sin(TAU * u), -dr / length, dh / length * math.cos(TAU * u))

        self.surface(point, normal, steps, last, repeat_u, repeat_v)

    def sphere(self, center, radius, steps):
        def normal(u, v):
            latitude = math.pi * (v - 0.5)
            return (math.cos(latitude) * math.sin(TAU * u), math.sin(latitude),
                    math.cos(latitude) * math.cos(TAU * u))

        self.surface(lambda u, v: [c + radius * n for c, n in zip(center, normal(u, v))], normal, 2 * steps, steps, 4, 2)

    def torus(self, center, radius, tube, steps):
        def normal(u, v):
            return (math.cos(TAU * v) * math.sin(TAU * u), math.sin(TAU * v), math.cos(TAU * v) * math.cos(TAU * u))

        def point(u, v):
            n = normal(u, v)
            return (center[0] + radius * math.sin(TAU * u) + tube * n[0], center[1] + tube * n[1],
                    center[2] + radius * math.cos(TAU * u) + tube * n[2])

        self.surface(point, normal, 2 * steps, steps, 8, 2)


MATERIALS = {
    'paving': 'Kd 1 1 1\nKs 0.12 0.12 0.12\nNs 20\nmap_Kd paving.png',
    'plaster': 'Kd 1 1 1\nKs 0 0 0\nNs 1\nmap_Kd plaster.png',
    'crate': 'Kd 1 1 1\nKs 0.08 0.08 0.08\nNs 12\nmap_Kd crate.png',
    'leaves': 'Kd 1 1 1\nKs 0.05 0.05 0.05\nNs 8\nmap_Kd leaves.png',
    'clay': 'Kd 0.72 0.36 0.22\nKs 0.1 0.1 0.1\nNs 15',
    'brass': 'Kd 0.75 0.55 0.2\nKs 0.9 0.8 0.5\nNs 80',
    'lamp': 'Kd 0.2 0.2 0.2\nKe 0.9 0.75 0.45\nKs 0 0 0\nNs 1',
    'glass': 'Kd 0.55 0.75 0.8\nKs 1 1 1\nNs 200\nd 0.35',
}


def make_courtyard():
    obj = Obj('courtyard.mtl')
    obj.begin('ground', 'paving')
    for i in range(6):  # several quads, so that for most eyes one of them is behind and others are not
        for j in range(6):
            obj.quad((-6 + 2 * i, 0, 6 - 2 * j), (2, 0, 0), (0, 0, -2), 1, 1)
    obj.begin('walls', 'plaster')
    obj.box((0, 0, -6.2), (12.8, 3.2, 0.4), 0, 0.5)
    obj.box((-6.2, 0, 0), (0.4, 3.2, 12), 0, 0.5)
    obj.begin('columns', 'plaster')
    column = [(0.42, 0), (0.42, 0.15), (0.3, 0.25), (0.28, 1.6), (0.26, 2.9), (0.4, 3.05), (0.4, 3.2), (0, 3.2)]
    for x in (-3.6, 0, 3.6):
        obj.lathe((x, 0, -4.6), column, 24, 2, 2)
    obj.begin('crates', 'crate')
    obj.box((-3.4, 0, -1.2), (1.2, 1.2, 1.2), 12)
    obj.box((-2.2, 0, -2.2), (1.0, 1.0, 1.0), -25)
    obj.box((-3.2, 1.2, -1.3), (0.8, 0.8, 0.8), 40)
    obj.begin('pot', 'clay')
    obj.lathe((2.6, 0, -1.6), [(0, 0.02), (0.38, 0.02), (0.45, 0.4), (0.58, 0.75), (0.66, 0.78), (0.66, 0.9),
                               (0.56, 0.9), (0.5, 0.7), (0, 0.68)], 32, 1, 1)
    obj.begin('plant', 'leaves')
    for k in range(5):
        angle = math.pi * k / 5 + 0.2
        dx, dz = 1.1 * math.cos(angle), 1.1 * math.sin(angle)
        obj.quad((2.6 - dx, 0.6, -1.6 - dz), (2 * dx, 0, 2 * dz), (0, 2.2, 0), 1, 1)
    obj.begin('ring', 'brass')
    obj.torus((0.1, 0.22, 0.9), 0.75, 0.22, 24)
    obj.begin('ball', 'brass')
    obj.sphere((-0.9, 0.45, 2.6), 0.45, 20)
    obj.begin('lamps', 'lamp')
    for x in (-3.6, 0, 3.6):
        obj.sphere((x, 3.5, -4.6), 0.3, 12)
    obj.begin('glass-ball', 'glass')
    obj.sphere((0.1, 0.95, 0.9), 0.7, 28)
    obj.begin('glass-screen', 'glass')
    # Above the ground: with two faces in one plane, rounding would decide which is visible.
    obj.box((3.4, 0.05, 1.8), (0.08, 1.85, 2.6), 20)
    return '\n'.join(obj.lines) + '\n'


# --- spheres.glb ------------------------------------------------------------------------------------------------

class Glb:
    """Collects the binary chunk of a .glb, and the JSON that describes it."""

    def __init__(self):
        self.binary = b''
        self.json = {'asset': {'version': '2.0', 'generator': 'tools/make_assets.py', 'copyright': 'CC0'},
                     'scene': 0, 'scenes': [{'nodes': []}], 'nodes': [], 'meshes': [], 'materials': [], 'cameras': [],
                     'textures': [], 'images': [], 'accessors': [], 'bufferViews': []}

    def add(self, kind, value):
        self.json[kind].append(value)
        return len(self.json[kind]) - 1

    def view(self, data):
        number = self.add('bufferViews', {'buffer': 0, 'byteOffset': len(self.binary), 'byteLength': len(data)})
        self.binary += data + bytes(-len(data) % 4)
        return number

    def accessor(self, rows, kind):
        """Adds rows of floats, or numbers, which are 16-bit indices."""
        value = {'bufferView': None, 'componentType': 5123, 'count': len(rows), 'type': kind}
        if kind == 'SCALAR':
            data = struct.pack(f'<{len(rows)}H', *rows)
        else:
            data = b''.join(struct.pack(f'<{len(row)}f', *row) for row in rows)
            value |= {'componentType': 5126, 'min': list(map(min, *rows)), 'max': list(map(max, *rows))}
        value['bufferView'] = self.view(data)
        return self.add('accessors', value)

    def texture(self, size, color):
        source = self.add('images', {'bufferView': self.view(png_file(size, color, 3)), 'mimeType': 'image/png'})
        return {'index': self.add('textures', {'source': source})}

    def node(self, **values):
        self.json['scenes'][0]['nodes'].append(self.add('nodes', values))

    def to_bytes(self):
        text = json.dumps(self.json | {'buffers': [{'byteLength': len(self.binary)}]}, separators=(',', ':')).encode()
        text += b' ' * (-len(text) % 4)
        chunks = struct.pack('<I', len(text)) + b'JSON' + text + struct.pack('<I', len(self.binary)) + b'BIN\0' + self.binary
        return b'glTF' + struct.pack('<II', 2, 12 + len(chunks)) + chunks


def round_mesh(glb, around=40, high=20):
    """Returns the attributes and indices of a unit sphere."""
    points, texcoords, indices = [], [], []
    for j in range(high + 1):
        for i in range(around + 1):
            a, b = TAU * i / around, math.pi * j / high
            points.append((math.sin(b) * math.sin(a), math.cos(b), math.sin(b) * math.cos(a)))
            texcoords.append((4 * i / around, 2 * j / high))
            if i < around and j < high:
                k = j * (around + 1) + i
                indices += [k, k + around + 1, k + 1, k + 1, k + around + 1, k + around + 2]
    number = glb.accessor(points, 'VEC3')
    return ({'POSITION': number, 'NORMAL': number, 'TEXCOORD_0': glb.accessor(texcoords, 'VEC2')},
            glb.accessor(indices, 'SCALAR'))


def make_spheres():
    """Two rows of spheres, of metal and of plastic, from smooth to rough; one with textures; a floor."""
    def dents(x, y, size=64):
        u, v = (x % 32 - 15.5) / 15.5, (y % 32 - 15.5) / 15.5
        inside = u * u + v * v < 0.64
        return (0.5 + 0.35 * u, 0.5 - 0.35 * v, 0.9) if inside else (0.5, 0.5, 1)

    def worn(x, y, size=64):
        wear = smooth_noise(x / 8, y / 8, size // 8, 11)
        return (0, 0.25 + 0.6 * wear, 1 if wear < 0.55 else 0)

    glb = Glb()
    attributes, indices = round_mesh(glb)

    def mesh(name, **material):
        number = glb.add('materials', {'name': name} | material)
        primitive = {'attributes': attributes, 'indices': indices, 'material': number}
        return glb.add('meshes', {'name': name, 'primitives': [primitive]})

    for row, (name, color, metallic) in enumerate((('gold', (1, 0.77, 0.34, 1), 1), ('plastic', (0.1, 0.3, 0.7, 1), 0))):
        for i in range(5):
            surface = {'baseColorFactor': color, 'metallicFactor': metallic, 'roughnessFactor': 0.1 + 0.2 * i}
            glb.node(mesh=mesh(f'{name} {i}', pbrMetallicRoughness=surface), translation=(2.3 * (i - 2), 1 + 2.3 * row, 0))
    dented = mesh('dented', normalTexture=glb.texture(64, dents), pbrMetallicRoughness={
        'baseColorFactor': (0.9, 0.6, 0.5, 1), 'metallicRoughnessTexture': glb.texture(64, worn)})
    for x in (-3.4, 3.4):
        glb.node(mesh=dented, translation=(x, 0.8, 2.4), scale=(0.8, 0.8, 0.8))
    glass = mesh('glass', alphaMode='BLEND', pbrMetallicRoughness={
        'baseColorFactor': (0.7, 0.9, 0.8, 0.35), 'metallicFactor': 0, 'roughnessFactor': 0.1})
    glb.node(mesh=glass, translation=(0, 0.9, 2.6), scale=(0.9, 0.9, 0.9))
    corners = glb.accessor([(-8, 0, 5), (8, 0, 5), (8, 0, -4), (-8, 0, -4)], 'VEC3')
    floor = {'attributes': {'POSITION': corners}, 'mode': 6, 'material': glb.add('materials', {
        'name': 'floor', 'pbrMetallicRoughness': {'baseColorFactor': (0.45, 0.43, 0.4, 1), 'metallicFactor': 0,
                                                  'roughnessFactor': 0.5}})}
    glb.node(mesh=glb.add('meshes', {'name': 'floor', 'primitives': [floor]}))
    lens = {'type': 'perspective', 'perspective': {'yfov': 0.7, 'znear': 0.1}}
    glb.node(camera=glb.add('cameras', lens), translation=(0, 4.2, 12.5), rotation=(-0.09, 0, 0, 0.996))
    return glb.to_bytes()


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent / 'assets'
    folder.mkdir(parents=True, exist_ok=True)
    (folder / 'paving.png').write_bytes(png_file(256, paving, 3))
    (folder / 'crate.png').write_bytes(png_file(256, planks, 3))
    (folder / 'plaster.png').write_bytes(png_file(256, plaster, 3))
    (folder / 'leaves.png').write_bytes(png_file(256, make_leaves(), 4))
    materials = '\n'.join(f'newmtl {name}\n{text}\n' for name, text in MATERIALS.items())
    (folder / 'courtyard.mtl').write_text('# Made by tools/make_assets.py; CC0.\n\n' + materials)
    (folder / 'courtyard.obj').write_text(make_courtyard())
    (folder / 'spheres.glb').write_bytes(make_spheres())


if __name__ == '__main__':
    main()
