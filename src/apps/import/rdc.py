"""rdc.py CAPTURE.rdc FRAME.bkf: reads a Vulkan frame from a RenderDoc capture.

`brokkr import` starts this program. It replays the capture, and writes an uncompressed frame file. A line of JSON on
its output says what was imported; an error is one line on stderr and exit code 1.

Rows: the picture that the program presents is an OpenGL picture in the file, with rows from the bottom; its draws have
the flag origin-upper-left. So is a picture that the program only copies or resolves there; if it has several samples a
pixel, their places are mirrored. All other targets keep Vulkan's rows, the first row first, so that lookups in them need
no change.
"""
import json
import struct
import sys
import time
import zlib

try:
    import numpy
    import renderdoc as rd

    import follow
    import frame_file
    import replay
    import spirv
except ImportError as error:
    sys.exit(f"{error.name} is not installed for {sys.executable}; "
             "install the Debian packages python3-renderdoc and python3-numpy")


def named(kind, pairs):
    return {int(getattr(kind, name)): text for name, text in pairs.items()}


COMPARE = named(rd.CompareFunction, {
    "Never": "never", "AlwaysTrue": "always", "Less": "less", "LessEqual": "lequal", "Greater": "greater",
    "GreaterEqual": "gequal", "Equal": "equal", "NotEqual": "notequal"})
FACTORS = named(rd.BlendMultiplier, {
    "Zero": "zero", "One": "one", "SrcCol": "src_color", "InvSrcCol": "one_minus_src_color", "DstCol": "dst_color",
    "InvDstCol": "one_minus_dst_color", "SrcAlpha": "src_alpha", "InvSrcAlpha": "one_minus_src_alpha",
    "DstAlpha": "dst_alpha", "InvDstAlpha": "one_minus_dst_alpha", "SrcAlphaSat": "src_alpha_saturate",
    "FactorRGB": "constant_color", "InvFactorRGB": "one_minus_constant_color", "FactorAlpha": "constant_alpha",
    "InvFactorAlpha": "one_minus_constant_alpha", "Src1Col": "src1_color", "InvSrc1Col": "one_minus_src1_color",
    "Src1Alpha": "src1_alpha", "InvSrc1Alpha": "one_minus_src1_alpha"})
EQUATIONS = named(rd.BlendOperation, {"Add": "add", "Subtract": "subtract", "ReversedSubtract": "reverse_subtract",
                                      "Minimum": "min", "Maximum": "max"})
LOGIC = named(rd.LogicOperation, {
    "Clear": "clear", "And": "and", "AndReverse": "and_reverse", "Copy": "copy", "AndInverted": "and_inverted",
    "NoOp": "noop", "Xor": "xor", "Or": "or", "Nor": "nor", "Equivalent": "equiv", "Invert": "invert",
    "OrReverse": "or_reverse", "CopyInverted": "copy_inverted", "OrInverted": "or_inverted", "Nand": "nand",
    "Set": "set"})
STENCIL = named(rd.StencilOperation, {
    "Keep": "keep", "Zero": "zero", "Replace": "replace", "IncSat": "increment", "DecSat": "decrement",
    "IncWrap": "increment_wrap", "DecWrap": "decrement_wrap", "Invert": "invert"})
CULL = named(rd.CullMode, {"NoCull": "none", "Front": "front", "Back": "back", "FrontAndBack": "front_and_back"})
FILL = named(rd.FillMode, {"Solid": "fill", "Wireframe": "line", "Point": "point"})
WRAP = named(rd.AddressMode, {"Wrap": "repeat", "Mirror": "mirrored_repeat", "ClampEdge": "clamp_to_edge",
                              "ClampBorder": "clamp_to_border", "MirrorOnce": "mirror_clamp_to_edge"})
SWIZZLE = named(rd.TextureSwizzle, {"Red": "r", "Green": "g", "Blue": "b", "Alpha": "a", "Zero": "0", "One": "1"})
TOPOLOGIES = named(rd.Topology, {
    "PointList": "points", "LineList": "lines", "LineStrip": "line_strip", "TriangleList": "triangles",
    "TriangleStrip": "triangle_strip", "TriangleFan": "triangle_fan"})
COMP, FORMAT = rd.CompType, rd.ResourceFormatType
BLOCKS = named(FORMAT, {"BC1": "bc1", "BC2": "bc2", "BC3": "bc3", "BC4": "bc4", "BC5": "bc5", "BC6": "bc6h",
                        "BC7": "bc7"})
SPECIAL = named(FORMAT, {"R10G10B10A2": "rgb10_a2", "R11G11B10": "r11g11b10f", "R9G9B9E5": "rgb9_e5",
                         "D24S8": "depth24", "D32S8": "depth32f", "D16S8": "depth16", "S8": "stencil8"})
# Uses of a resource that may change it.
WRITES = [int(getattr(rd.ResourceUsage, name)) for name in (
    "ColorTarget", "DepthStencilTarget", "Copy", "CopyDst", "Resolve", "ResolveDst", "GenMips", "Clear", "Discard",
    "StreamOut", "CPUWrite", "VS_RWResource", "HS_RWResource", "DS_RWResource", "GS_RWResource", "PS_RWResource",
    "CS_RWResource", "All_RWResource")]
# Uses of a picture by which shaders read it.
READS = [int(getattr(rd.ResourceUsage, f"{stage}_{kind}")) for stage in ("VS", "HS", "DS", "GS", "PS", "CS", "All")
         for kind in ("Resource", "RWResource")] + [int(rd.ResourceUsage.InputTarget)]
MOST_SIDE = 16384  # pixels of a target
MOST_SECONDS = 20  # for the replays of a pass with its own shaders


class Skipped(Exception):
    """A draw cannot be imported: the reason."""


def is_null(resource):
    return resource == rd.ResourceId.Null()


class Texels:
    """How a format's texels become those of a file."""

    def __init__(self, fmt):
        self.name, self.base, self.change = None, "rgba", None
        kind, width, count = int(fmt.type), fmt.compByteWidth, fmt.compCount
        srgb = fmt.compType == COMP.UNormSRGB
        if kind in BLOCKS:
            self.name = BLOCKS[kind]
            if srgb:
                self.name += "_srgb"
            elif fmt.compType == COMP.SNorm:
                self.name += "_signed" if self.name == "bc6h" else "_snorm"
            elif self.name == "bc6h" and fmt.compType == COMP.Float:
                self.name += "_signed" if "SFLOAT" in fmt.Name() else ""
        elif kind in SPECIAL:
            self.name = SPECIAL[kind]
            if fmt.compType == COMP.UInt and self.name == "rgb10_a2":
                self.name += "ui"
            if self.name == "rgb10_a2" and fmt.BGRAOrder():
                self.change = self._swap_10
        elif kind == int(FORMAT.Regular) and fmt.compType == COMP.Depth:
            self.name = {2: "depth16", 4: "depth32f", 3: "depth24"}.get(width)
        elif kind == int(FORMAT.Regular):
            self._regular(fmt, width, count, srgb)
        elif kind == int(FORMAT.A8):
            self.name, self.base = "r8", "alpha"
        elif kind in (int(FORMAT.R5G6B5), int(FORMAT.R5G5B5A1), int(FORMAT.R4G4B4A4)):
            self.name, self.change = "rgba8", lambda data: self._small(kind, data, fmt.BGRAOrder())
        if self.name is None:
            raise Skipped(f"texels of format {fmt.Name()}")
        if self.name.startswith("depth"):
            self.base = "depth"
        if self.name == "stencil8":
            self.base = "stencil"
        if self.name in ("bc4", "bc4_snorm"):
            self.base = "red"
        if self.name in ("bc5", "bc5_snorm"):
            self.base = "rg"
        if self.name in ("bc6h", "bc6h_signed", "r11g11b10f", "rgb9_e5"):
            self.base = "rgb"

    def _regular(self, fmt, width, count, srgb):
        ending = {int(COMP.UNorm): "", int(COMP.SNorm): "_snorm", int(COMP.Float): "f", int(COMP.UInt): "ui",
                  int(COMP.SInt): "i", int(COMP.UNormSRGB): "_srgb"}.get(int(fmt.compType))
        if ending is None or width not in (1, 2, 4):
            return
        self.base = {1: "red", 2: "rg", 3: "rgb", 4: "rgba"}[count]
        stored = {1: 1, 2: 2, 3: 4, 4: 4}[4 if srgb else count]
        self.name = {1: "r", 2: "rg", 4: "rgba"}[stored] + str(8 * width) + ending
        if stored != count or fmt.BGRAOrder():
            def change(data, swap=fmt.BGRAOrder()):
                texels = numpy.frombuffer(data, numpy.uint8).reshape(-1, count, width)
                result = numpy.zeros((len(texels), stored, width), numpy.uint8)
                order = [2, 1, 0, 3][:count] if swap else range(count)
                for to, of in enumerate(order):
                    result[:, to] = texels[:, of]
                if stored > count and count == 3:
                    result[:, 3] = numpy.frombuffer(one_of(fmt, width), numpy.uint8)
                return result.tobytes()
            self.change = change

    @staticmethod
    def _swap_10(data):
        words = numpy.frombuffer(data, "<u4")
        return (words & 0xc00ffc00 | words << 20 & 0x3ff00000 | words >> 20 & 0x3ff).astype("<u4").tobytes()

    @staticmethod
    def _small(kind, data, swaps):
        words = numpy.frombuffer(data, "<u2").astype(numpy.uint32)
        bits = {int(FORMAT.R5G6B5): (5, 6, 5, 0), int(FORMAT.R5G5B5A1): (5, 5, 5, 1),
                int(FORMAT.R4G4B4A4): (4, 4, 4, 4)}[kind]
        result = numpy.full((len(words), 4), 255, numpy.uint8)
        shift = 0
        for channel, size in enumerate(bits):
            if size:
                most = (1 << size) - 1
                result[:, channel] = ((words >> shift & most) * 255 * 2 + most) // (2 * most)
            shift += size
        return (result[:, [2, 1, 0, 3]] if swaps else result).tobytes()

    def take(self, data):
        if self.name == "depth24" or self.change is None:
            return data
        return self.change(data)


def one_of(fmt, width):
    """The bytes of a missing fourth channel."""
    if fmt.compType == COMP.Float:
        return struct.pack({2: "<e", 4: "<f"}[width], 1.0)
    if fmt.compType == COMP.SNorm:
        return ((1 << 8 * width - 1) - 1).to_bytes(width, "little")
    if fmt.compType in (COMP.UInt, COMP.SInt):
        return (1).to_bytes(width, "little")
    return b"\xff" * width


def attribute_values(fmt, data, first, stride, numbers, type_):
    """Values of a vertex attribute as words, filled with (0, 0, 0, 1) to the components of `type_`.

    `first`: the byte of element 0. Elements beyond the end of `data` are 0.
    """
    size = fmt.ElementSize()
    at = first + numbers.astype(numpy.int64) * stride
    padded = numpy.frombuffer(bytes(data) + bytes(size), numpy.uint8)
    at = numpy.where((at >= 0) & (at + size <= len(data)), at, len(data))
    raw = numpy.ascontiguousarray(padded[at[:, None] + numpy.arange(size)])
    kind, comp = int(fmt.type), fmt.compType
    if kind == int(FORMAT.R10G10B10A2):
        words = raw.view("<u4")[:, 0]
        shifts, sizes = ((20, 10, 0, 30) if fmt.BGRAOrder() else (0, 10, 20, 30)), (10, 10, 10, 2)
        values = numpy.stack([words >> s & (1 << b) - 1 for s, b in zip(shifts, sizes)], 1).astype(numpy.int64)
        most = numpy.array([(1 << b) - 1 for b in sizes])
        if comp in (COMP.SNorm, COMP.SInt, COMP.SScaled):
            values = numpy.where(values > most // 2, values - most - 1, values)
            most = most // 2
        if comp in (COMP.UNorm, COMP.SNorm):
            values = numpy.maximum((values / most).astype(numpy.float32), -1)
    elif kind == int(FORMAT.Regular):
        letter = {int(COMP.Float): "f", int(COMP.SInt): "i", int(COMP.SNorm): "i",
                  int(COMP.SScaled): "i"}.get(int(comp), "u")
        values = raw.view(f"<{letter}{fmt.compByteWidth}")
        if fmt.BGRAOrder():
            values = values[:, [2, 1, 0, 3]]
        if comp in (COMP.UNorm, COMP.SNorm):
            most = numpy.iinfo(values.dtype).max
            values = numpy.maximum((values.astype(numpy.float64) / most).astype(numpy.float32), -1)
    else:
        raise Skipped(f"attributes of format {fmt.Name()}")
    is_number = type_.startswith(("float", "vec"))
    words = int(type_[-1]) if type_[-1].isdigit() else 1
    result = numpy.zeros((len(numbers), 4), numpy.float32 if is_number else numpy.int64)
    result[:, 3] = 1
    result[:, :values.shape[1]] = values[:, :4]
    result = result[:, :words]
    return (result if is_number else result.astype(numpy.uint32)).astype("<f4" if is_number else "<u4").tobytes()


class Pass:
    """The draws of a render pass between its begin and its end."""

    def __init__(self, begin):
        self.begin, self.actions, self.end = begin, [], begin


class Target:
    def __init__(self, number, size, colors, depth, stencil, samples):
        self.number, self.size, self.colors, self.depth, self.stencil = number, size, colors, depth, stencil
        self.samples, self.shown, self.upright = samples, False, False  # upright: rows from the bottom, as in OpenGL
        self.held = {}  # by plane: the driver's content at the end of the last pass, and the texels' resource


class Importer:
    def __init__(self, capture, controller):
        self.capture, self.c = capture, controller
        self.file = controller.GetStructuredFile()
        self.blob = frame_file.Blob()
        self.states, self.programs, self.vertex_programs = (frame_file.Numbered() for _ in range(3))
        self.textures, self.samplers = frame_file.Numbered(), frame_file.Numbered()
        self.commands, self.skipped, self.notes = [], {}, {}
        self.triangles_skipped = 0
        self.targets, self.modules, self.cache, self.usage = {}, {}, {}, {}
        self.images = {str(one.resourceId): one for one in controller.GetTextures()}
        self.buffers = {str(one.resourceId): one for one in controller.GetBuffers()}
        # The event of which states and contents are read, and that to which RenderDoc has replayed.
        self.event, self.replayed_to = 0, 0
        self.is_empty, self.empty, self.sets, self.replays = False, None, None, 0
        self.submits, self.passes, self.actions, self.presented = [], [], [], None
        self._walk(controller.GetRootActions(), None)
        self.events = sorted((event.eventId, event.chunkIndex) for one in self.actions for event in one.events)
        self.drawn = {}  # (image, mip, slice): target, plane, texels and version that the frame has drawn
        self.depth = None  # the window's last depth: number of the next command, format, texels

    # The order of events.

    def _walk(self, actions, inside):
        for one in actions:
            flags = one.flags
            self.actions.append(one)
            if flags & rd.ActionFlags.CommandBufferBoundary:
                self.submits.append(one.eventId)
            if flags & rd.ActionFlags.Present:
                self.presented = one
            if flags & rd.ActionFlags.EndPass and inside is not None:
                inside.end, inside = one.eventId, None
            if flags & rd.ActionFlags.BeginPass and not flags & rd.ActionFlags.CommandBufferBoundary:
                inside = Pass(one.eventId)
                self.passes.append(inside)
            elif inside is not None and flags & (rd.ActionFlags.Drawcall | rd.ActionFlags.Clear):
                if not one.children:
                    inside.actions.append(one)
                    inside.end = one.eventId
            inside = self._walk(one.children, inside)
        return inside

    def go(self, event):
        if event != self.replayed_to:
            self.c.SetFrameEvent(event, False)
        self.event = self.replayed_to = event

    def _reach(self, resource):
        """Replays to the current event if the resource may have another content there."""
        if self.replayed_to != self.event and self._version(resource, self.replayed_to) != self._version(resource):
            self.go(self.event)

    def _version(self, resource, at=None):
        """A number that changes when the resource may have changed before the event, the current one without `at`."""
        at = self.event if at is None else at
        key = str(resource)
        if key not in self.usage:
            self.usage[key] = sorted(one.eventId for one in self.c.GetUsage(resource) if int(one.usage) in WRITES)
        writes = sum(event <= at for event in self.usage[key])
        return writes, sum(event <= at for event in self.submits) if key in self.buffers else 0

    def buffer(self, resource):
        key = (str(resource), self._version(resource))
        if key not in self.cache:
            self._reach(resource)
            self.cache[key] = bytes(self.c.GetBufferData(resource, 0, 0))
        return self.cache[key]

    def image(self, resource, mip, layer, sample=0):
        """The texels of one level and layer at the current event, rows in Vulkan's order."""
        version = self._version(resource)
        key = (str(resource), version, mip, layer, sample)
        if key not in self.cache:
            if self.is_empty and version[0] > 0:
                before = self.drawn.get((key[0], mip, layer))
                if before is None or before[3] != version[0]:
                    raise Skipped("a draw in a slow pass reads a picture that the frame wrote without drawing")
                return before[2]
            self._reach(resource)
            self.cache[key] = bytes(self.c.GetTextureData(resource, rd.Subresource(mip, layer, sample)))
        return self.cache[key]

    def note(self, what):
        self.notes[what] = self.notes.get(what, 0) + 1

    # Targets.

    def target_of(self, state):
        """The target of the current render pass, and the images of its planes."""
        attached, current = state.currentPass.framebuffer.attachments, state.currentPass.renderpass
        planes = {}
        for i, number in enumerate(current.colorAttachments):
            if number < len(attached) and not is_null(attached[number].imageResourceId):
                planes[f"color{i}"] = attached[number]
        number = current.depthstencilAttachment
        if 0 <= number < len(attached) and not is_null(attached[number].imageResourceId):
            planes["depth"] = attached[number]
        if not planes:
            raise Skipped("a render pass without attachments")
        key = tuple((plane, str(one.imageResourceId), one.firstMip, one.firstSlice) for plane, one in planes.items())
        if key not in self.targets:
            self._add_target(key, planes, Attachments(state, planes).resolved)
        return self.targets[key], planes

    def _add_target(self, key, planes, resolved):
        """`resolved`: the attachment to which the render pass resolves the first colour, or None."""
        first = next(iter(planes.values()))
        image = self.images[str(first.imageResourceId)]
        size = [max(image.width >> first.firstMip, 1), max(image.height >> first.firstMip, 1)]
        if max(size) > MOST_SIDE:
            raise Skipped(f"a target of {size[0]} x {size[1]} pixels")
        count = max((int(plane[5:]) + 1 for plane in planes if plane != "depth"), default=0)
        colors = []
        for i in range(count):
            texels = Texels(planes[f"color{i}"].viewFormat) if f"color{i}" in planes else None
            colors.append([texels.name, texels.base] if texels else ["rgba8", "rgba"])
        depth = stencil = None
        if "depth" in planes:
            fmt = self.images[str(planes["depth"].imageResourceId)].format
            depth = Texels(fmt).name
            if int(fmt.type) in [int(FORMAT.D24S8), int(FORMAT.D32S8), int(FORMAT.D16S8), int(FORMAT.S8)]:
                stencil = "stencil8"
            if depth == "stencil8":
                depth = None
        target = Target(len(self.targets) + 1, size, colors, depth, stencil, max(image.msSamp, 1))
        if "color0" in planes:
            of = str(planes["color0"].imageResourceId)
            target.shown = of == str(self.presented.copyDestination)
            if resolved is not None and str(resolved.imageResourceId) in self.upright and \
                    not self._is_read(planes["color0"].imageResourceId):
                self.upright.add(of)
            target.upright = of in self.upright
        self.targets[key] = target

    def _plane_data(self, plane, attachment):
        """Yields (plane of the file, format, texels) of an attachment at the current event."""
        image = self.images[str(attachment.imageResourceId)]
        data = self.image(attachment.imageResourceId, attachment.firstMip, attachment.firstSlice)
        if plane != "depth":
            texels = Texels(attachment.viewFormat)
            return [(plane, texels.name, texels.take(data))]
        kind = int(image.format.type)
        if kind == int(FORMAT.D24S8):
            words = packed_words(image, attachment.firstMip, data)
            return [("depth", "depth24", (words & 0xffffff).astype("<u4").tobytes()),
                    ("stencil", "stencil8", (words >> 24).astype(numpy.uint8).tobytes())]
        if kind == int(FORMAT.D32S8):
            words = numpy.frombuffer(data, "<u4").reshape(-1, 2)
            return [("depth", "depth32f", words[:, 0].tobytes()),
                    ("stencil", "stencil8", words[:, 1].astype(numpy.uint8).tobytes())]
        if kind == int(FORMAT.S8):
            return [("stencil", "stencil8", data)]
        return [("depth", Texels(image.format).name, data)]

    def begin_pass(self, target, planes, begin):
        """Gives the target's planes what the driver's have at the begin of the pass, unless they have it already."""
        clear = {"type": "clear", "target": target.number}
        if target.samples > 1:
            self._begin_of_samples(planes, begin, clear)
            planes = {}
        for plane, attachment in planes.items():
            for name, fmt, data in self._plane_data(plane, attachment):
                if target.held.get(name) == data:
                    continue
                value = uniform_value(fmt, data)
                if value is None or (name.startswith("color") and name != "color0"):
                    self._load(target, name, fmt, data)
                elif name == "color0":
                    clear["color"] = value
                else:
                    clear[name] = value[0]
        if len(clear) > 2:
            self.commands.append(clear)

    def _begin_of_samples(self, planes, begin, clear):
        """Fills `clear` with the clear values of a pass with several samples. RenderDoc cannot replay on after it has
        read such a picture, so what the pass loads is missing."""
        action = next(one for one in self.actions if one.eventId == begin)
        chunk = self.file.chunks[action.events[-1].chunkIndex]
        whole = chunk.FindChild("pRenderingInfo")
        values = {}
        if whole is not None:
            colors = whole.FindChild("pColorAttachments")
            values = {f"color{i}": colors.GetChild(i) for i in range(colors.NumChildren())}
            values["depth"] = whole.FindChild("pDepthAttachment")
        else:
            listed = chunk.FindChild("RenderPassBegin").FindChild("pClearValues")
            values = {plane: listed.GetChild(i) for i, plane in enumerate(planes) if i < listed.NumChildren()}
        clears = action.GetName(self.file)
        for plane in planes:
            one = values.get(plane)
            if one is None or ("C=Clear" if plane != "depth" else "D=Clear") not in clears.replace("DS=", "D="):
                self.note("what several samples of a pixel held before the frame")
                continue
            one = one if whole is None else one.FindChild("clearValue")
            if plane == "depth":
                clear["depth"] = one.FindChild("depthStencil").FindChild("depth").AsFloat()
                clear["stencil"] = one.FindChild("depthStencil").FindChild("stencil").AsInt() & 255
            elif plane == "color0":
                color = one.FindChild("color").FindChild("float32")
                clear["color"] = [color.GetChild(c).AsFloat() for c in range(4)]

    def _load(self, target, plane, fmt, data):
        rows = flipped(data, target.size[1]) if target.upright else data
        base = {"depth": "depth", "stencil": "stencil"}.get(plane, "rgba")
        texture = {"kind": "2d", "format": fmt, "size": [*target.size, 1],
                   "data": {"offset": self.blob.add(rows), "type": "u8", "size": len(rows)}}
        if base != "rgba":
            texture["base"] = base
        self.commands.append({"type": "load", "target": target.number, "plane": plane,
                              "texture": self.textures.number(texture)})

    def end_pass(self, target, planes):
        if target.samples > 1:
            return self._resolve(target, planes)
        for plane, attachment in planes.items():
            key = (str(attachment.imageResourceId), attachment.firstMip, attachment.firstSlice)
            contents = self._plane_data(plane, attachment)
            for name, fmt, data in contents:
                target.held[name] = data
                if name == "depth" and target.shown:
                    self.depth = len(self.commands), fmt, flipped(data, target.size[1])
            data = self.image(attachment.imageResourceId, *key[1:])
            self.drawn[key] = (target, plane, data, self._version(attachment.imageResourceId)[0])

    def _resolve(self, target, planes):
        """Copies a target of several samples to that of one to which the render pass resolves it."""
        if planes.resolved is None:
            return
        one = planes.resolved
        key = (("color0", str(one.imageResourceId), one.firstMip, one.firstSlice),)
        if key not in self.targets:
            texels = Texels(one.viewFormat)
            to = Target(len(self.targets) + 1, target.size, [[texels.name, texels.base]], None, None, 1)
            to.shown = key[0][1] == str(self.presented.copyDestination)
            to.upright = key[0][1] in self.upright
            self.targets[key] = to
        to = self.targets[key]
        self._blit(target, to.number, to.size)
        data = self.image(one.imageResourceId, one.firstMip, one.firstSlice)
        to.held["color0"] = Texels(one.viewFormat).take(data)
        self.drawn[key[0][1:]] = (to, "color0", data, self._version(one.imageResourceId)[0])

    # Clears inside a pass.

    def clear(self, action, target):
        chunk = self.file.chunks[action.events[-1].chunkIndex]
        if chunk.name != "vkCmdClearAttachments":
            raise Skipped(f"{chunk.name} inside a render pass")
        rects = chunk.FindChild("pRects")
        attachments = chunk.FindChild("pAttachments")
        for i in range(attachments.NumChildren()):
            one = attachments.GetChild(i)
            aspects = one.FindChild("aspectMask").AsInt()
            value = one.FindChild("clearValue")
            command = {"type": "clear", "target": target.number}
            if aspects & 1:
                number = one.FindChild("colorAttachment").AsInt()
                color = value.FindChild("color").FindChild("float32")
                color = [color.GetChild(c).AsFloat() for c in range(4)]
                if number == 0:
                    command["color"] = color
                else:
                    command["otherColors"] = [{"plane": f"color{number}", "color": color}]
            if aspects & 2:
                command["depth"] = value.FindChild("depthStencil").FindChild("depth").AsFloat()
            if aspects & 4:
                command["stencil"] = value.FindChild("depthStencil").FindChild("stencil").AsInt() & 255
            for r in range(rects.NumChildren()):
                rect = rects.GetChild(r).FindChild("rect")
                x, y = (rect.FindChild("offset").FindChild(k).AsInt() for k in ("x", "y"))
                w, h = (rect.FindChild("extent").FindChild(k).AsInt() for k in ("width", "height"))
                self.commands.append({**command, "scissor": place(target, x, y, w, h)})

    # Draws.

    def module(self, shader, stage):
        key = (str(shader.resourceId), shader.entryPoint, stage)
        if key not in self.modules:
            self._add_module(key, shader.reflection)
        return self.modules[key]

    def _add_module(self, key, reflection):
        self.modules[key] = spirv.Module(bytes(reflection.rawBytes), key[2], key[1])
        self.modules[key].constant_places = [variable.byteOffset for block in reflection.constantBlocks
                                             if block.compileConstants for variable in block.variables]

    @staticmethod
    def constants(shader, module):
        """Words of specialization constants by number."""
        data = bytes(shader.specializationData)
        return {number: int.from_bytes(data[at:at + 4], "little")
                for number, at in zip(shader.specializationIds, module.constant_places) if data[at:at + 4]}

    # Slow passes. RenderDoc replays the frame for each draw whose state is asked for. Without fragment shaders, that
    # takes a fraction of the time.

    def empty_shaders(self, is_empty):
        """Replaces all fragment shaders by empty ones, or undoes it. Texels that the frame draws are then wrong."""
        if is_empty and self.empty is None:
            self.empty = []
            for resource in self.c.GetResources():
                if resource.type != rd.ResourceType.Shader:
                    continue
                for entry in self.c.GetShaderEntryPoints(resource.resourceId):
                    if entry.stage == rd.ShaderStage.Pixel:
                        self._know_shader(resource.resourceId, entry)
                        made, _ = self.c.BuildTargetShader(entry.name, rd.ShaderEncoding.SPIRV,
                                                           spirv.empty_fragment_shader(entry.name),
                                                           rd.ShaderCompileFlags(), rd.ShaderStage.Pixel)
                        if not is_null(made):
                            self.empty.append((resource.resourceId, rd.ResourceId(made)))
        if is_empty == self.is_empty:
            return
        self.go(1)  # each call below replays to the event that the replay is at
        for shader, made in self.empty:
            if is_empty:
                self.c.ReplaceResource(shader, made)
            else:
                self.c.RemoveReplacement(shader)
        self.event = self.replayed_to = 0
        self.is_empty = is_empty

    def _know_shader(self, resource, entry):
        """Reads a fragment shader before it is replaced."""
        key = (str(resource), entry.name, "fragment")
        if key not in self.modules:
            try:
                self._add_module(key, self.c.GetShader(rd.ResourceId.Null(), resource, entry))
            except spirv.Unsupported:
                pass  # its draws say so

    def texture(self, bound, resource):
        """The number of a file's texture with the contents that the draw reads, or -1."""
        key = str(bound.resourceResourceId)
        if key not in self.images:
            return -1
        image = self.images[key]
        kind = resource.texture
        levels = max(min(bound.numMips, image.mips - bound.firstMip), 1)
        layers = max(min(bound.numSlices, image.arraysize - bound.firstSlice), 1)
        if kind in ("1d", "2d", "3d", "rectangle"):
            layers = 1
        if kind == "cube":
            layers = 6
        texels = Texels(bound.viewFormat if bound.viewFormat.type != FORMAT.Undefined else image.format)
        width, height = max(image.width >> bound.firstMip, 1), max(image.height >> bound.firstMip, 1)
        depth = max(image.depth >> bound.firstMip, 1) if kind == "3d" else layers
        texture = {"label": key.split("::")[-1], "kind": kind, "format": texels.name, "size": [width, height, depth]}
        if levels > 1:
            texture["levels"] = levels
        if texels.base != "rgba":
            texture["base"] = texels.base
        parts, drawn = [], []
        for level in range(levels):
            for layer in range(layers):
                mip, slice_ = bound.firstMip + level, bound.firstSlice + layer
                data = self.image(bound.resourceResourceId, mip, slice_)
                before = self.drawn.get((key, mip, slice_))
                if before and before[2] == data and not before[0].upright and before[0].samples == 1:
                    drawn.append({"level": level, "layer": layer, "target": before[0].number, "plane": before[1]})
                if texels.base == "depth":
                    data = depth_only(image, mip, data)
                parts.append(texels.take(data))
        if drawn:
            texture["images"] = drawn
        if len(drawn) < levels * layers:
            data = b"".join(parts)
            texture["data"] = {"offset": self.blob.add(data), "type": "u8", "size": len(data)}
        return self.textures.number(texture)

    def sampler(self, bound, swizzle, of_texture):
        filters = bound.filter
        linear = int(rd.FilterMode.Linear), int(rd.FilterMode.Anisotropic), int(rd.FilterMode.Cubic)
        wraps = [WRAP[int(one)] for one in (bound.addressU, bound.addressV, bound.addressW)]
        if bound.unnormalized:
            self.note("samplers of unnormalized coordinates")
        sampler = {"magnifyLinear": int(filters.magnify) in linear, "minifyLinear": int(filters.minify) in linear,
                   "mip": "linear" if int(filters.mip) in linear else "nearest", "wrap": wraps, "seamless": True,
                   "minLod": clamp_lod(bound.minLOD), "maxLod": clamp_lod(bound.maxLOD), "lodBias": bound.mipBias,
                   "border": list(bound.borderColor), "swizzle": swizzle}
        if bound.maxAnisotropy > 1:
            sampler["anisotropy"] = bound.maxAnisotropy
        if filters.filter == rd.FilterFunction.Comparison:
            sampler["compare"] = COMPARE[int(bound.compareFunction)]
        return self.samplers.number(sampler)

    def stage_inputs(self, state, shader, module):
        """The samplers and blocks of a program, and what a draw binds to them."""
        samplers, bound, blocks, places = [], [], [], []
        resources = module.resources()
        by_variable = {one.variable: one for one in resources}
        for one in resources:
            if one.kind == "other":
                self.note(f"{one.name()}: an image that shaders store to, or of several samples")
            elif one.kind == "push":
                blocks.append({"name": "@push", "size": one.size})
                data = bytes(state.pushconsts)[:one.size]
                places.append(self.blob.add(data + bytes(one.size - len(data))))
            elif one.kind in ("block", "storage"):
                self._bind_block(state, one, samplers, bound, blocks, places)
            elif one.kind == "sampled":
                self._bind_samplers(state, one, one, one.name(), samplers, bound)
        pairs = {}
        for image, sampler in module.pairs():
            if image in by_variable and sampler in by_variable and by_variable[image].kind == "image":
                pairs[image, sampler] = None
        for image, sampler in pairs:
            of_image, of_sampler = by_variable[image], by_variable[sampler]
            self._bind_samplers(state, of_image, of_sampler, of_image.name() + of_sampler.name(), samplers, bound)
        for one in resources:
            if one.kind == "image":
                self._bind_samplers(state, one, None, one.name(), samplers, bound)
        return samplers, bound, blocks, places

    def elements(self, state, one):
        sets = state.graphics.descriptorSets
        if one.set >= len(sets) or one.binding >= len(sets[one.set].bindings):
            return []
        return sets[one.set].bindings[one.binding].binds

    def _bind_block(self, state, one, samplers, bound, blocks, places):
        binds = self.elements(state, one)
        for i in range(one.count):
            data = b""
            if i < len(binds) and binds[i].inlineBlock:
                inline = bytes(state.graphics.descriptorSets[one.set].inlineData)
                data = inline[binds[i].byteOffset:binds[i].byteOffset + binds[i].byteSize]
            elif i < len(binds) and not is_null(binds[i].resourceResourceId):
                begin = binds[i].byteOffset
                size = min(binds[i].byteSize, 1 << 40)
                data = self.buffer(binds[i].resourceResourceId)[begin:begin + size]
            name = f"{one.name()}[{i}]" if one.is_array else one.name()
            if one.kind == "block":
                data = data[:one.size]
                blocks.append({"name": name, "size": one.size})
                places.append(self.blob.add(data + bytes(one.size - len(data))))
                continue
            data += bytes(-len(data) % 4)
            samplers.append({"name": name, "kind": "buffer", "type": "uint"})
            texture = {"kind": "buffer", "format": "r32ui", "base": "red", "size": [max(len(data) // 4, 1), 1, 1],
                       "data": {"offset": self.blob.add(data or bytes(4)), "type": "u8", "size": max(len(data), 4)}}
            bound.append([self.textures.number(texture), self.samplers.number(NEAREST)])

    def _bind_samplers(self, state, image, sampler, name, samplers, bound):
        entry = {"name": name, "kind": image.texture}
        if image.numbers != "float":
            entry["type"] = image.numbers
        if image.shadow:
            entry["shadow"] = True
        if image.count > 1:
            entry["count"] = image.count
        samplers.append(entry)
        images = self.elements(state, image)
        others = self.elements(state, sampler) if sampler is not None else []
        for i in range(image.count):
            if i >= len(images) or is_null(images[i].resourceResourceId):
                bound.append([-1, -1])
                continue
            one = images[i]
            if image.texture == "buffer":
                bound.append([self._texel_buffer(one), self.samplers.number(NEAREST)])
                continue
            swizzle = [SWIZZLE[int(getattr(one.swizzle, c))] for c in ("red", "green", "blue", "alpha")]
            texture = self.texture(one, image)
            if sampler is None:
                bound.append([texture, self.samplers.number({**NEAREST, "swizzle": swizzle})])
                continue
            of = one if sampler is image else others[0] if others else one
            bound.append([texture, self.sampler(of, swizzle, one)])

    def _texel_buffer(self, one):
        texels = Texels(one.viewFormat)
        data = self.buffer(one.resourceResourceId)[one.byteOffset:one.byteOffset + min(one.byteSize, 1 << 40)]
        data = data[:len(data) // one.viewFormat.ElementSize() * one.viewFormat.ElementSize()]
        count = len(data) // one.viewFormat.ElementSize()
        data = texels.take(data)
        texture = {"kind": "buffer", "format": texels.name, "size": [count, 1, 1],
                   "data": {"offset": self.blob.add(data), "type": "u8", "size": len(data)}}
        if texels.base != "rgba":
            texture["base"] = texels.base
        return self.textures.number(texture)

    def vertices(self, action, state):
        """Vertex numbers of the draw, and its indices or None."""
        if not action.flags & rd.ActionFlags.Indexed:
            return numpy.arange(action.vertexOffset, action.vertexOffset + action.numIndices), None, False
        at = state.inputAssembly.indexBuffer
        if is_null(at.resourceId):
            raise Skipped("an indexed draw without an index buffer")
        size = at.byteStride
        data = self.buffer(at.resourceId)[at.byteOffset + action.indexOffset * size:][:action.numIndices * size]
        indices = numpy.frombuffer(data[:len(data) // size * size], f"<u{size}").astype(numpy.uint32)
        most = (1 << 8 * size) - 1
        restart = state.inputAssembly.primitiveRestartEnable
        is_restart = indices == most if restart else numpy.zeros(len(indices), bool)
        if is_restart.all():
            raise Skipped("a draw without vertices")
        numbers, places = numpy.unique(indices[~is_restart], return_inverse=True)
        result = numpy.full(len(indices), 0xffffffff, numpy.uint32)
        result[~is_restart] = places
        return numbers.astype(numpy.int64) + action.baseVertex, result, bool(restart and is_restart.any())

    def attributes(self, action, state, module, numbers):
        """The attributes of the vertex program, and the arrays of a draw."""
        listed, arrays = [], []
        for name, location, type_, count, _ in module.inputs():
            if name is None:
                if location == spirv.VERTEX_INDEX:
                    listed.append({"name": "gl_VertexIndex", "type": "int"})
                    arrays.append(self._array(numbers.astype("<u4").tobytes(), "i32", 0))
                continue
            # Each element of an array is an attribute of the file, and each column of a matrix has a location.
            columns, column = columns_of(type_)
            number_type = ("f32" if type_.startswith(("float", "vec", "mat")) else
                           "i32" if type_.startswith("i") else "u32")
            for element in range(count):
                listed.append({"name": f"{name}[{element}]" if count > 1 else name, "type": type_})
                first = location + element * columns
                values, divisor = joined_columns([self._column(action, state, first + c, column, number_type, numbers)
                                                  for c in range(columns)])
                arrays.append(self._array(values, number_type, divisor))
        return listed, arrays

    def _column(self, action, state, location, type_, number_type, numbers):
        """Returns rows of bytes, one for each vertex or instance, and the divisor; None for a single value."""
        attribute = next((one for one in state.vertexInput.attributes if one.location == location), None)
        buffers = state.vertexInput.vertexBuffers
        if attribute is None or attribute.binding >= len(buffers):
            one = struct.pack("<f", 1.0) if number_type == "f32" else struct.pack("<I", 1)
            return numpy.frombuffer((bytes(12) + one)[:4 * components(type_)], numpy.uint8)[None], None
        source = buffers[attribute.binding]
        binding = next(one for one in state.vertexInput.bindings if one.vertexBufferBinding == attribute.binding)
        data = b"" if is_null(source.resourceId) else self.buffer(source.resourceId)
        elements, divisor = numbers, 0
        if binding.perInstance:
            step = binding.instanceDivisor
            divisor = max(step, 1)
            many = 1 if step == 0 else (max(action.numInstances, 1) + step - 1) // step
            elements = action.instanceOffset + numpy.arange(many)
        values = attribute_values(attribute.format, data, source.byteOffset + attribute.byteOffset,
                                  source.byteStride, elements, type_)
        return numpy.frombuffer(values, numpy.uint8).reshape(len(elements), -1), divisor

    def _array(self, values, type_, divisor):
        array = {"offset": self.blob.add(values), "type": type_, "count": len(values) // 4}
        if divisor:
            array["divisor"] = divisor
        return array

    def state(self, state, target, number_of_buffers):
        view, raster, depth = state.viewportScissor.viewportScissors[0], state.rasterizer, state.depthStencil
        port, scissor = view.vp, view.scissor
        y, height = (port.y, port.height) if port.height >= 0 else (port.y + port.height, -port.height)
        result = {
            "viewport": [port.x, (target.size[1] - y - height) if target.upright else y, port.width, height],
            "depthRange": [min(max(port.minDepth, 0), 1), min(max(port.maxDepth, 0), 1)],
            "scissor": place(target, scissor.x, scissor.y, scissor.width, scissor.height),
            "depth": {"test": bool(depth.depthTestEnable), "write": bool(depth.depthWriteEnable),
                      "func": COMPARE[int(depth.depthFunction)]},
            "cull": CULL[int(raster.cullMode)], "frontFace": "cw" if raster.frontCCW else "ccw",
            "polygonMode": FILL[int(raster.fillMode)], "polygonOffset": None, "blend": None,
            "colorMask": [True] * 4, "alphaTest": None, "stencil": None, "pointSprites": True}
        x, y, w, h = result["scissor"]
        if x <= 0 and y <= 0 and x + w >= target.size[0] and y + h >= target.size[1]:
            result["scissor"] = None
        if not target.upright:
            result["pointOriginLow"] = True
        if raster.lineWidth != 1:
            result["lineWidth"] = raster.lineWidth
        if raster.depthBiasEnable and (raster.depthBias or raster.slopeScaledDepthBias):
            result["polygonOffset"] = [raster.slopeScaledDepthBias, raster.depthBias]
            if raster.depthBiasClamp:
                self.note("draws whose depth bias has a limit")
        if any(name.endswith("_srgb") for name, _ in target.colors):
            result["framebufferSrgb"] = True
        for name, enabled in (("draws with depth bounds", depth.depthBoundsEnable),
                              ("draws whose alpha becomes coverage", state.colorBlend.alphaToCoverageEnable)):
            if enabled:
                self.note(name)
        logic = [LOGIC[int(blend.logicOperation)] for blend in state.colorBlend.blends if blend.logicOperationEnabled]
        if logic:
            result["logicOp"] = logic[0]
        buffers = [self._buffer(state, i, blend) for i, blend in enumerate(state.colorBlend.blends)]
        if buffers:
            result["blend"], result["colorMask"] = buffers[0]["blend"], buffers[0]["colorMask"]
        if len(target.colors) > 1:
            while len(buffers) < len(target.colors):
                buffers.append({"plane": -1, "blend": None, "colorMask": [False] * 4})
            result["buffers"] = buffers[:len(target.colors)]
        return result

    def _buffer(self, state, number, blend):
        mask = [bool(blend.writeMask >> i & 1) for i in range(4)]
        result = {"plane": number, "blend": None, "colorMask": mask}
        if blend.enabled:
            def terms(one):
                return [FACTORS[int(one.source)], FACTORS[int(one.destination)], EQUATIONS[int(one.operation)]]
            result["blend"] = {"color": terms(blend.colorBlend), "alpha": terms(blend.alphaBlend),
                               "constant": list(state.colorBlend.blendFactor)}
        return result

    @staticmethod
    def _stencil(face):
        return {"func": COMPARE[int(face.function)], "ref": face.reference & 255, "mask": face.compareMask & 255,
                "writeMask": face.writeMask & 255,
                "ops": [STENCIL[int(one)] for one in (face.failOperation, face.depthFailOperation,
                                                      face.passOperation)]}

    def draw(self, action, target, state):
        for shader, name in ((state.geometryShader, "a geometry shader"),
                             (state.tessEvalShader, "a tessellation shader")):
            if not is_null(shader.resourceId):
                raise Skipped(f"{name} generates the primitives")
        if state.rasterizer.rasterizerDiscardEnable or action.numIndices == 0 or action.numInstances == 0:
            return
        if int(state.inputAssembly.topology) not in TOPOLOGIES:
            raise Skipped("primitives with neighbours, or patches")
        if not state.viewportScissor.viewportScissors:
            raise Skipped("a draw without a viewport")
        port = state.viewportScissor.viewportScissors[0].vp
        if port.width < 1 or abs(port.height) < 1:
            return
        topology = TOPOLOGIES[int(state.inputAssembly.topology)]
        module = self.module(state.vertexShader, "vertex")
        numbers, indices, restart = self.vertices(action, state)
        listed, arrays = self.attributes(action, state, module, numbers)
        samplers, bound, blocks, places = self.stage_inputs(state, state.vertexShader, module)
        clips = self.clips(state, module)
        words = module.changed(self.constants(state.vertexShader, module), target.upright, port.height < 0, clips)
        vertex_program = {"spirv": self._words(words), "version": 450, "attributes": listed, "samplers": samplers,
                          "blocks": blocks}
        draw = {"type": "draw", "label": f"#{action.eventId}", "target": target.number, "mode": topology,
                "vertexCount": len(numbers), "instances": max(action.numInstances, 1),
                "vertexProgram": self.vertex_programs.number(vertex_program), "vertexUniforms": NOTHING,
                "vertexBlocks": places, "vertexTextures": bound, "attributes": arrays,
                "baseInstance": action.instanceOffset, "drawNumber": action.drawIndex}
        if indices is not None:
            draw["indices"] = {"offset": self.blob.add(indices.astype("<u4").tobytes()), "type": "u32",
                               "count": len(indices)}
            draw["baseVertex"] = action.baseVertex
            draw["restart"] = restart
        flags = ["z-zero-to-one", "provoking-first"]
        if state.viewportScissor.depthNegativeOneToOne:
            flags.remove("z-zero-to-one")
        if state.rasterizer.depthClampEnable or not state.rasterizer.depthClipEnable:
            flags.append("depth-clamp")
        if target.upright:
            flags.append("origin-upper-left")
        draw["flags"] = flags
        buffers = self.state(state, target, len(target.colors))
        if is_null(state.fragmentShader.resourceId):
            buffers["colorMask"] = [False] * 4
            for one in buffers.get("buffers", []):
                one["colorMask"] = [False] * 4
        if clips or not is_null(state.fragmentShader.resourceId):
            self._add_fragments(draw, target, state, (module, clips), topology)
        self._append(draw, buffers, state)

    def clips(self, state, vertex_module):
        """A location for each clip distance of the vertex shader: inputs of the fragment shader, which discards."""
        if vertex_module.cull_distances():
            self.note("draws with cull distances, which are not applied")
        found = vertex_module.clip_distances()
        if found is None:
            return []
        end = vertex_module.locations_end()
        if not is_null(state.fragmentShader.resourceId):
            end = max(end, self.module(state.fragmentShader, "fragment").locations_end())
        return list(range(end, end + found[2]))

    def _add_fragments(self, draw, target, state, vertices, topology):
        """`vertices`: the module of the vertex shader, and the locations of its clip distances."""
        vertex_module, clips = vertices
        constants = {}
        if is_null(state.fragmentShader.resourceId):
            module = spirv.Module(spirv.empty_fragment_shader("main"), "fragment", "main")
        else:
            module = self.module(state.fragmentShader, "fragment")
            constants = self.constants(state.fragmentShader, module)
        varyings, offset = [], 0
        shapes = []
        for name, _, type_, count, marks in module.inputs():
            if name is not None:
                shapes.append((name, type_, count, marks))
        if topology == "points" and spirv.POINT_SIZE in vertex_module.built_in_outputs():
            shapes.append(("gl_PointSize", "float", 1, set()))
        shapes += [(f"@{location}", "float", 1, set()) for location in clips]
        for name, type_, count, marks in shapes:
            varying = {"name": name, "type": type_, "offset": offset}
            if count > 1:
                varying["count"] = count
            if spirv.FLAT in marks or not type_.startswith(("float", "vec", "mat")):
                varying["interpolation"] = "flat"
            elif spirv.NO_PERSPECTIVE in marks:
                varying["interpolation"] = "noperspective"
            if spirv.CENTROID in marks:
                varying["centroid"] = True
            varyings.append(varying)
            offset += count * components(type_)
        samplers, bound, blocks, places = self.stage_inputs(state, state.fragmentShader, module)
        words = module.changed(constants, target.upright, False, clips)
        program = {"spirv": self._words(words), "version": 450, "varyings": varyings, "samplers": samplers,
                   "blocks": blocks}
        draw.update({"program": self.programs.number(program), "uniforms": NOTHING, "blocks": places,
                     "textures": bound})

    def _words(self, data):
        return {"offset": self.blob.add(data), "type": "u32", "count": len(data) // 4}

    def _append(self, draw, fixed, state):
        """Appends the draw; twice if the stencil test of its back faces differs."""
        depth = state.depthStencil
        faces = [(fixed["cull"], None)]
        if depth.stencilTestEnable:
            front, back = self._stencil(depth.frontFace), self._stencil(depth.backFace)
            cull = fixed["cull"]
            if front == back or cull in ("back", "front_and_back"):
                faces = [(cull, front)]
            elif cull == "front":
                faces = [(cull, back)]
            else:
                faces = [("back", front), ("front", back)]
        for cull, stencil in faces:
            self.commands.append({**draw, "state": self.states.number({**fixed, "cull": cull, "stencil": stencil})})

    # The frame.

    def run(self):
        if self.presented is None:
            sys.exit(f"{self.capture}: the capture presents no picture; capture a frame that the program shows")
        self.upright = {str(self.presented.copyDestination)}
        self.copied = self._last_copy()
        if self.copied is not None and not self._is_read(self.copied.copySource):
            self.upright.add(str(self.copied.copySource))
        for one in self.passes:
            self._run_pass(one)
        return self._finish()

    def _is_slow(self, one):
        """Whether the replays of the pass's draws take long. Reads what the pass draws, as long as all shaders run."""
        if len(one.actions) < 2:
            return False
        begin = time.monotonic()
        self.go(one.actions[-1].eventId)
        seconds = (time.monotonic() - begin) * len(one.actions)
        try:
            target, planes = self.target_of(self.c.GetVulkanPipelineState())
        except Skipped:
            return False
        if seconds < MOST_SECONDS or target.samples > 1:
            return False
        for plane, attachment in Attachments(self.c.GetVulkanPipelineState(), planes).items():
            self._plane_data(plane, attachment)
        self._read_pictures(one)
        return True

    def _read_pictures(self, one):
        """Reads the pictures that the frame writes before the pass, and that the pass's shaders read."""
        before = max((action.eventId for action in self.actions if action.eventId < one.begin), default=0)
        for image in self.images.values():
            reads = [int(use.usage) in READS and one.begin <= use.eventId <= one.end
                     for use in self.c.GetUsage(image.resourceId)]
            if not any(reads) or image.msSamp > 1 or self._version(image.resourceId, before)[0] == 0:
                continue
            self.go(before)
            for mip in range(image.mips):
                for layer in range(image.arraysize):
                    self.image(image.resourceId, mip, layer)

    def _run_pass(self, one):
        target = planes = None
        is_slow = self._is_slow(one)
        if self.sets is None:
            self.sets = follow.DescriptorSets(self)
        follower = follow.Follower(self, self.sets, one.begin)
        for action in one.actions:
            state = follower.at(action)
            try:
                if target is None or state.currentPass.renderpass.subpass != self.subpass:
                    if target is not None:
                        self.end_pass(target, planes)
                    self.empty_shaders(False)
                    self.go(action.eventId)
                    target, planes = self._begin(one, action, self.c.GetVulkanPipelineState())
                    self.empty_shaders(is_slow)
                    state = follower.replayed(action)
                if action.flags & rd.ActionFlags.Drawcall:
                    self.draw(action, target, state)
                else:
                    self.clear(action, target)
            except (Skipped, spirv.Unsupported) as reason:
                self.skipped[str(reason)] = self.skipped.get(str(reason), 0) + 1
            except (KeyError, IndexError, ValueError, AttributeError, struct.error) as error:
                reason = f"a state that the import does not know ({type(error).__name__}: {error})"
                self.skipped[reason] = self.skipped.get(reason, 0) + 1
        self.replays += follower.replays
        if target is not None:
            self.go(one.actions[-1].eventId)
            try:
                self.end_pass(target, planes)
            except Skipped as reason:
                self.note(str(reason))
        self.empty_shaders(False)

    def _begin(self, one, action, state):
        target, planes = self.target_of(state)
        self.subpass = state.currentPass.renderpass.subpass
        copies = Attachments(state, planes)
        # Before the first draw of the pass: what the pass loads or clears.
        before = max((a.eventId for a in self.actions if a.eventId < action.eventId), default=one.begin)
        self.go(max(before, one.begin))
        self.begin_pass(target, copies, one.begin)
        return target, copies

    def _finish(self):
        shown = self.presented.copyDestination
        image = self.images[str(shown)]
        window = [target for target in self.targets.values() if target.shown]
        self.go(max(a.eventId for a in self.actions if a.eventId < self.presented.eventId))
        size = [image.width, image.height]
        texels = Texels(image.format)
        data = texels.take(self.image(shown, 0, 0))
        if window:
            window[-1].number, old = 0, window[-1].number
            renumber(self.commands, self.textures.values, old)
        else:
            self._copy_to_window(image)
        targets = [self._target_json(target) for target in self.targets.values()]
        if not window:
            targets.append({"id": 0, "size": size, "samples": 0, "colors": [[texels.name, texels.base]]})
        references = []
        if texels.name in ("rgba8", "rgba8_srgb"):
            picture = png(size, data)
            references.append({"target": 0, "before": len(self.commands),
                               "color": {"offset": self.blob.add(picture), "size": len(picture), "type": "png"}})
        else:
            self.note(f"presented picture of format {image.format.Name()}, which references cannot hold")
        if self.depth:
            before, fmt, data = self.depth
            depths = depth_values(fmt, data)
            references.append({"target": 0, "before": before,
                               "depth": {"offset": self.blob.add(depths), "type": "f32", "size": window[-1].size,
                                         "origin": "bottom-left"}})
        draws = sum(one["type"] == "draw" for one in self.commands)
        frame = {"asset": {"generator": "brokkr import"}, "window": size, "targets": targets,
                 "states": self.states.values, "programs": self.programs.values,
                 "vertexPrograms": self.vertex_programs.values, "textures": self.textures.values,
                 "samplers": self.samplers.values, "commands": self.commands,
                 "skipped": {"draws": sum(self.skipped.values()), "triangles": 0,
                             "reasons": {**self.notes, **self.skipped}},
                 "references": references}
        return frame, {"draws": draws, "passes": len(self.passes), "replays": self.replays, "skipped": self.skipped,
                       "notes": self.notes}

    def _last_copy(self):
        """The last action that copies a picture into the presented one, or None."""
        kinds = rd.ActionFlags.Copy | rd.ActionFlags.Resolve
        for action in reversed(self.actions):
            if action.flags & kinds and action.copyDestination == self.presented.copyDestination:
                return action
        return None

    def _is_read(self, image):
        """Whether shaders read the image."""
        return any(int(one.usage) in READS for one in self.c.GetUsage(image))

    def _blit(self, source, to, size):
        """Appends a copy of a whole target's colour."""
        width, height = size
        turns = source.upright != (to == 0 or any(one.upright for one in self.targets.values() if one.number == to))
        self.commands.append({"type": "blit", "from": source.number, "to": to, "planes": ["color"],
                              "source": [0, 0, *source.size],
                              "destination": [0, height, width, -height] if turns else [0, 0, width, height]})

    def _copy_to_window(self, image):
        """Copies the target that the program copied into the presented picture."""
        for key, target in self.targets.items():
            if self.copied is None or target.samples != self.images[str(self.copied.copySource)].msSamp:
                continue
            if any(plane == "color0" and of == str(self.copied.copySource) for plane, of, _, _ in key):
                self._blit(target, 0, [image.width, image.height])
                return
        sys.exit(f"{self.capture}: no draw and no copy of a drawn picture goes to the presented one; "
                 "capture another frame")

    @staticmethod
    def _target_json(target):
        result = {"id": target.number, "size": target.size, "samples": 0}
        if target.colors:
            result["colors"] = target.colors
        for key in ("depth", "stencil"):
            if getattr(target, key):
                result[key] = getattr(target, key)
        if target.samples > 1:
            result["coverageSamples"] = target.samples
            if target.upright:
                result["mirroredSamples"] = True  # their places are those of Vulkan's rows
        return result


class Attachment:
    """A copy of an attachment; RenderDoc's own is gone when the replay goes on."""

    def __init__(self, one):
        self.imageResourceId, self.viewFormat = rd.ResourceId(one.imageResourceId), rd.ResourceFormat(one.viewFormat)
        self.firstMip, self.firstSlice = one.firstMip, one.firstSlice


class Attachments(dict):
    """Copies of a pass's attachments by plane. `resolved`: the first colour's picture of one sample, or None."""

    def __init__(self, state, planes):
        super().__init__({plane: Attachment(at) for plane, at in planes.items()})
        attached, numbers = state.currentPass.framebuffer.attachments, state.currentPass.renderpass.resolveAttachments
        self.resolved = Attachment(attached[numbers[0]]) if len(numbers) and numbers[0] < len(attached) else None


NEAREST = {"magnifyLinear": False, "minifyLinear": False, "mip": "none", "wrap": ["clamp_to_edge"] * 3}
NOTHING = {"offset": 0, "type": "u32", "count": 0}


def components(type_):
    if type_.startswith("mat"):
        sides = [int(side) for side in type_[3:].split("x")]
        return sides[0] * sides[-1]
    return int(type_[-1]) if type_[-1].isdigit() else 1


def columns_of(type_):
    """The number of columns of a type, and the type of one."""
    if not type_.startswith("mat"):
        return 1, type_
    sides = type_[3:].split("x")
    return int(sides[0]), f"vec{sides[-1]}"


def joined_columns(columns):
    """The values of a matrix, column by column, from (rows of bytes, divisor) of each column; and their divisor."""
    divisors = {divisor for _, divisor in columns if divisor is not None}
    if len(divisors) > 1:
        raise Skipped("a matrix attribute whose columns advance differently")
    most = max(len(rows) for rows, _ in columns)
    if len(divisors) == 1 and any(divisor is not None and len(rows) < most for rows, divisor in columns):
        raise Skipped("a matrix attribute whose columns have different lengths")
    rows = [numpy.broadcast_to(rows, (most, rows.shape[1])) for rows, _ in columns]
    return numpy.concatenate(rows, 1).tobytes(), divisors.pop() if divisors else 1


def place(target, x, y, width, height):
    """A rectangle of Vulkan's rows in the rows of the target."""
    return [x, target.size[1] - y - height if target.upright else y, width, height]


def clamp_lod(value):
    return min(max(value, -1000.0), 1000.0)


def flipped(data, rows):
    size = len(data) // rows
    return b"".join(data[size * row:size * (row + 1)] for row in reversed(range(rows)))


def packed_words(image, mip, data):
    """The words of 24-bit depth and stencil of a level. RenderDoc 1.24 leaves the stencil's own bytes behind them."""
    return numpy.frombuffer(data, "<u4", max(image.width >> mip, 1) * max(image.height >> mip, 1))


def depth_only(image, mip, data):
    """The depths of texels that also have a stencil."""
    if image.format.type == FORMAT.D24S8:
        return (packed_words(image, mip, data) & 0xffffff).astype("<u4").tobytes()
    if image.format.type == FORMAT.D32S8:
        return numpy.frombuffer(data, "<u4").reshape(-1, 2)[:, 0].tobytes()
    return data


def depth_values(fmt, data):
    """Window depths as floats."""
    if fmt == "depth32f":
        return data
    kind, most = {"depth16": ("<u2", 0xffff), "depth24": ("<u4", 0xffffff)}[fmt]
    return (numpy.frombuffer(data, kind).astype(numpy.float64) / most).astype("<f4").tobytes()


def uniform_value(fmt, data):
    """The clear value of texels that are all equal, or None."""
    size = {"rgba8": 4, "depth16": 2, "depth24": 4, "depth32f": 4, "stencil8": 1, "rgba16f": 8, "rgba32f": 16}.get(fmt)
    if size is None or not data or data != data[:size] * (len(data) // size):
        return None
    if fmt == "rgba8":
        return [byte / 255 for byte in data[:4]]
    if fmt == "stencil8":
        return [data[0]]
    if fmt == "depth16":
        return [int.from_bytes(data[:2], "little") / 65535]
    if fmt == "depth24":
        return [int.from_bytes(data[:3], "little") / 16777215]
    return list(struct.unpack({"depth32f": "<f", "rgba16f": "<4e", "rgba32f": "<4f"}[fmt], data[:size]))


def renumber(commands, textures, old):
    for one in commands:
        for key in ("target", "from", "to"):
            if one.get(key) == old:
                one[key] = 0
    for texture in textures:
        for image in texture.get("images", []):
            if image["target"] == old:
                image["target"] = 0


def png(size, data):
    """A PNG file of RGBA8 texels, the top row first."""
    def part(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
    row = 4 * size[0]
    rows = b"".join(b"\0" + data[row * y:row * (y + 1)] for y in range(size[1]))
    return (b"\x89PNG\r\n\x1a\n" + part(b"IHDR", struct.pack(">IIBBBBB", *size, 8, 6, 0, 0, 0)) +
            part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b""))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: rdc.py CAPTURE.rdc FRAME.bkf")
    path, out = sys.argv[1:]
    controller = replay.open_capture(path, ("Vulkan",))
    importer = Importer(path, controller)
    frame, facts = importer.run()
    frame_file.write(out, frame, importer.blob)
    print(json.dumps(facts))


if __name__ == "__main__":
    replay.run(main)
