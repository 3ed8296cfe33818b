"""Reads what a SPIR-V module declares, and changes modules for Brokkr's conventions.

Brokkr names inputs and outputs by location (`@3`), and blocks, images and samplers by set and binding (`@0.1`); see
docs/concepts/programs.md. A changed module has no names of its own.
"""
import numpy

MAGIC = 0x07230203
HEADER = 5  # words

# Instructions.
SOURCE_CONTINUED, SOURCE, SOURCE_EXTENSION, NAME, MEMBER_NAME, LINE, NO_LINE, PROCESSED = 2, 3, 4, 5, 6, 8, 317, 330
ENTRY_POINT, EXECUTION_MODE, EXECUTION_MODE_ID, CAPABILITY = 15, 16, 331, 17
TYPE_BOOL, TYPE_INT, TYPE_FLOAT, TYPE_VECTOR, TYPE_MATRIX, TYPE_IMAGE, TYPE_SAMPLER = 20, 21, 22, 23, 24, 25, 26
TYPE_SAMPLED_IMAGE, TYPE_ARRAY, TYPE_RUNTIME_ARRAY, TYPE_STRUCT, TYPE_POINTER = 27, 28, 29, 30, 32
CONSTANT, SPEC_TRUE, SPEC_FALSE, SPEC_CONSTANT, SPEC_OP = 43, 48, 49, 50, 52
FUNCTION, FUNCTION_END, VARIABLE, LOAD, STORE, ACCESS_CHAIN = 54, 56, 59, 61, 62, 65
DECORATE, MEMBER_DECORATE, EXTRACT, INSERT, NEGATE, SAMPLED_IMAGE, RETURN = 71, 72, 81, 82, 127, 86, 253
BOOL_OR, LESS, SELECTION_MERGE, LABEL, BRANCH_IF, KILL = 166, 184, 247, 248, 250, 252
CHANGES_IN_Y = (208, 211, 214)  # OpDPdy, OpDPdyFine, OpDPdyCoarse

# Decorations, built-ins, storage classes, execution modes.
SPEC_ID, BLOCK, BUFFER_BLOCK, ROW_MAJOR, ARRAY_STRIDE, MATRIX_STRIDE, BUILT_IN = 1, 2, 3, 4, 6, 7, 11
NO_PERSPECTIVE, FLAT, CENTROID, LOCATION, COMPONENT, BINDING, SET, OFFSET = 13, 14, 16, 30, 31, 33, 34, 35
POSITION, POINT_SIZE, CLIP_DISTANCE, CULL_DISTANCE, VERTEX_INDEX = 0, 1, 3, 4, 42
UNIFORM_CONSTANT, INPUT, UNIFORM, OUTPUT, PUSH_CONSTANT, STORAGE_BUFFER = 0, 1, 2, 3, 9, 12
ORIGIN_UPPER_LEFT, ORIGIN_LOWER_LEFT, EARLY_TESTS = 7, 8, 9
MODELS = {"vertex": 0, "fragment": 4}
KINDS = {(0, 0): "1d", (1, 0): "2d", (2, 0): "3d", (3, 0): "cube", (4, 0): "rectangle", (5, 0): "buffer",
         (0, 1): "1d_array", (1, 1): "2d_array", (3, 1): "cube_array"}
SUBPASS = 6  # dimension of input attachments


def empty_fragment_shader(name):
    """The bytes of a fragment shader that does nothing, with an entry point of this name."""
    text = name.encode() + b"\0" * (4 - len(name.encode()) % 4)
    words = [MAGIC, 0x10000, 0, 5, 0, 2 << 16 | CAPABILITY, 1, 3 << 16 | 14, 0, 1,
             (3 + len(text) // 4) << 16 | ENTRY_POINT, MODELS["fragment"], 1,
             *numpy.frombuffer(text, "<u4").tolist(), 3 << 16 | EXECUTION_MODE, 1, ORIGIN_UPPER_LEFT,
             2 << 16 | 19, 2, 3 << 16 | 33, 3, 2, 5 << 16 | FUNCTION, 2, 1, 0, 3, 2 << 16 | 248, 4, 1 << 16 | RETURN,
             1 << 16 | FUNCTION_END]
    return numpy.array(words, "<u4").tobytes()


class Unsupported(Exception):
    """The module has something that a frame file cannot hold."""


class Type:
    def __init__(self, op, words):
        self.op, self.words = op, words


class Resource:
    """A block, image or sampler: `kind` is block, storage, push, sampled, image, sampler or other."""

    def __init__(self, kind, variable, place, binding, count, is_array):
        self.kind, self.variable, self.set, self.binding = kind, variable, place, binding
        self.count, self.is_array = count, is_array  # an array may have one element
        self.size = 0  # bytes of a block
        self.texture, self.shadow, self.numbers = "2d", False, "float"

    def name(self):
        return "@push" if self.kind == "push" else f"@{self.set}.{self.binding}"


class Module:
    """A module as words, with its types, decorations and variables."""

    def __init__(self, data, stage, entry):
        if len(data) % 4:
            raise Unsupported("a SPIR-V module is cut short")
        self.words = numpy.frombuffer(data, "<u4")
        if len(self.words) < HEADER or self.words[0] != MAGIC:
            raise Unsupported("a shader is not a SPIR-V module")
        self.stage = stage
        self.types, self.constants, self.decorations, self.members = {}, {}, {}, {}
        self.variables, self.capabilities, self.modes = {}, set(), []
        self.entry, self.interface = 0, ()
        for op, words in self.instructions():
            self._note(op, words, entry)
        if not self.entry:
            raise Unsupported(f"a module has no entry point {entry} for its stage")

    def instructions(self):
        at = HEADER
        words = self.words.tolist()
        while at < len(words):
            count = words[at] >> 16
            if count == 0 or at + count > len(words):
                raise Unsupported("a SPIR-V module is cut short")
            yield words[at] & 0xffff, words[at:at + count]
            at += count

    def _note(self, op, w, entry):
        if TYPE_BOOL <= op <= TYPE_POINTER:
            self.types[w[1]] = Type(op, w[2:])
        elif op in (CONSTANT, SPEC_CONSTANT):
            self.constants[w[2]] = w[3]
        elif op == CAPABILITY:
            self.capabilities.add(w[1])
        elif op == VARIABLE:
            self.variables[w[2]] = (w[1], w[3])
        elif op == DECORATE:
            self.decorations[w[1], w[2]] = w[3] if len(w) > 3 else 1
        elif op == MEMBER_DECORATE:
            self.members[w[1], w[2], w[3]] = w[4] if len(w) > 4 else 1
        elif op == EXECUTION_MODE:
            self.modes.append((w[1], w[2]))
        elif op == ENTRY_POINT and w[1] == MODELS[self.stage]:
            text = b"".join(word.to_bytes(4, "little") for word in w[3:])
            name = text[:text.index(b"\0")]
            if name.decode(errors="replace") == entry:
                self.entry, self.interface = w[2], tuple(w[3 + len(name) // 4 + 1:])

    # The interface of the stage.

    def pointee(self, variable):
        return self.types[self.variables[variable][0]].words[1]

    def shape(self, type_id):
        """Returns a type of the file's shaders and the number of array elements."""
        count = 1
        type_ = self.types[type_id]
        while type_.op == TYPE_ARRAY:
            count *= self.constants.get(type_.words[1], 1)
            type_ = self.types[type_.words[0]]
        if type_.op == TYPE_MATRIX:
            rows = self.types[type_.words[0]].words[1]
            columns = type_.words[1]
            return (f"mat{columns}" if rows == columns else f"mat{columns}x{rows}"), count
        size = 1
        if type_.op == TYPE_VECTOR:
            size = type_.words[1]
            type_ = self.types[type_.words[0]]
        if type_.op == TYPE_FLOAT and type_.words[0] == 32:
            names = ("float", "vec")
        elif type_.op == TYPE_INT and type_.words[0] == 32:
            names = ("int", "ivec") if type_.words[1] else ("uint", "uvec")
        else:
            raise Unsupported("a shader's inputs have other than 32 bits, or structures")
        return (names[0] if size == 1 else f"{names[1]}{size}"), count

    def _locations(self, type_id):
        type_ = self.types[type_id]
        if type_.op == TYPE_MATRIX:
            return type_.words[1]
        if type_.op == TYPE_ARRAY:
            return self.constants.get(type_.words[1], 1) * self._locations(type_.words[0])
        if type_.op == TYPE_STRUCT:
            return sum(self._locations(member) for member in type_.words)
        return 1

    def inputs(self):
        """Yields (name, location, type, count, decorations) of inputs by location, and (None, built-in, …)."""
        for variable, (_, storage) in self.variables.items():
            if storage != INPUT or variable not in self.interface:
                continue
            built_in = self.decorations.get((variable, BUILT_IN))
            pointee = self.pointee(variable)
            type_ = self.types[pointee]
            if built_in is not None:
                yield None, built_in, None, 1, {}
            elif type_.op == TYPE_STRUCT and (pointee, BLOCK) in self.decorations:
                yield from self._block_inputs(variable, pointee)
            elif (variable, LOCATION) in self.decorations:
                marks = {mark for of, mark in self.decorations if of == variable}
                yield self._input(self.decorations[variable, LOCATION],
                                  self.decorations.get((variable, COMPONENT), 0), pointee, marks)

    def _block_inputs(self, variable, block):
        place = self.decorations.get((variable, LOCATION), 0)
        for i, member in enumerate(self.types[block].words):
            marks = {mark for of, which, mark in self.members if (of, which) == (block, i)}
            marks |= {mark for of, mark in self.decorations if of == variable}
            if BUILT_IN in marks:
                yield None, self.members[block, i, BUILT_IN], None, 1, {}
                continue
            place = self.members.get((block, i, LOCATION), place)
            yield self._input(place, self.members.get((block, i, COMPONENT), 0), member, marks)
            place += self._locations(member)

    def _input(self, location, component, type_id, marks):
        name = f"@{location}" if component == 0 else f"@{location}.{component}"
        type_, count = self.shape(type_id)
        return name, location, type_, count, marks

    def built_in_outputs(self):
        found = set()
        for variable, (_, storage) in self.variables.items():
            if storage != OUTPUT:
                continue
            found.add(self.decorations.get((variable, BUILT_IN)))
            pointee = self.pointee(variable)
            for i in range(len(self.types[pointee].words)) if self.types[pointee].op == TYPE_STRUCT else ():
                found.add(self.members.get((pointee, i, BUILT_IN)))
        return found

    def locations_end(self):
        """The first location after all inputs and outputs of the stage."""
        end = 0
        for variable, (_, storage) in self.variables.items():
            if storage not in (INPUT, OUTPUT) or variable not in self.interface:
                continue
            pointee = self.pointee(variable)
            places = [self.decorations[variable, LOCATION]] if (variable, LOCATION) in self.decorations else []
            places += [place for (of, _, mark), place in self.members.items() if (of, mark) == (pointee, LOCATION)]
            if places:
                end = max(end, max(places) + self._locations(pointee))
        return end

    def clip_distances(self):
        return self._distances(CLIP_DISTANCE)

    def cull_distances(self):
        return self._distances(CULL_DISTANCE)

    def _distances(self, built_in):
        """The distances that a vertex shader writes: (variable, member of its block or None, their number), or None."""
        for variable, (_, storage) in self.variables.items():
            if storage != OUTPUT or variable not in self.interface:
                continue
            pointee, member = self.pointee(variable), None
            if (variable, BUILT_IN) not in self.decorations and self.types[pointee].op == TYPE_STRUCT:
                member = next((i for i in range(len(self.types[pointee].words))
                               if self.members.get((pointee, i, BUILT_IN)) == built_in), None)
                if member is None or not self._uses_member(variable, member):
                    continue
                pointee = self.types[pointee].words[member]
            elif self.decorations.get((variable, BUILT_IN)) != built_in:
                continue
            return variable, member, self.constants.get(self.types[pointee].words[1], 1)
        return None

    def _uses_member(self, variable, member):
        """Whether the code points into a member. Compilers declare all built-in outputs of a block."""
        return any(op in (ACCESS_CHAIN, 66) and w[3] == variable and len(w) > 4 and self.constants.get(w[4]) == member
                   for op, w in self.instructions())

    # Data that the stage reads.

    def _size(self, type_id, matrix_stride=16, row_major=False):
        """Bytes of a type in a block, without padding at its end."""
        type_ = self.types[type_id]
        if type_.op in (TYPE_INT, TYPE_FLOAT):
            return type_.words[0] // 8
        if type_.op == TYPE_VECTOR:
            return type_.words[1] * self._size(type_.words[0])
        if type_.op == TYPE_MATRIX:
            columns, rows = type_.words[1], self.types[type_.words[0]].words[1]
            lines, each = (rows, columns) if row_major else (columns, rows)
            return (lines - 1) * matrix_stride + 4 * each
        if type_.op == TYPE_ARRAY:
            stride = self.decorations.get((type_id, ARRAY_STRIDE), 16)
            count = self.constants.get(type_.words[1], 1)
            return (count - 1) * stride + self._size(type_.words[0], matrix_stride, row_major)
        if type_.op == TYPE_STRUCT:
            return max((self.members.get((type_id, i, OFFSET), 0) +
                        self._size(member, self.members.get((type_id, i, MATRIX_STRIDE), 16),
                                   (type_id, i, ROW_MAJOR) in self.members)
                        for i, member in enumerate(type_.words)), default=0)
        return 0

    def resources(self):
        """Returns all blocks, images and samplers that the module declares."""
        found = []
        for variable, (_, storage) in self.variables.items():
            if storage not in (UNIFORM_CONSTANT, UNIFORM, PUSH_CONSTANT, STORAGE_BUFFER):
                continue
            pointee, count = self.pointee(variable), 1
            is_array = self.types[pointee].op == TYPE_ARRAY
            while self.types[pointee].op == TYPE_ARRAY:
                count *= self.constants.get(self.types[pointee].words[1], 1)
                pointee = self.types[pointee].words[0]
            one = Resource("other", variable, self.decorations.get((variable, SET), 0),
                           self.decorations.get((variable, BINDING), 0), count, is_array)
            type_ = self.types[pointee]
            if storage == PUSH_CONSTANT:
                one.kind = "push"
            elif storage == STORAGE_BUFFER or (pointee, BUFFER_BLOCK) in self.decorations:
                one.kind = "storage"
            elif storage == UNIFORM:
                one.kind = "block"
            elif type_.op == TYPE_SAMPLER:
                one.kind = "sampler"
            elif type_.op in (TYPE_SAMPLED_IMAGE, TYPE_IMAGE):
                image = self.types[type_.words[0]] if type_.op == TYPE_SAMPLED_IMAGE else type_
                one.kind = "sampled" if type_.op == TYPE_SAMPLED_IMAGE else "image"
                self._describe(one, image)
            if one.kind in ("block", "push"):
                one.size = (self._size(pointee) + 3) // 4 * 4
            found.append(one)
        return found

    def _describe(self, one, image):
        numbers, dimension, depth, arrayed, several, sampled = image.words[:6]
        if dimension == SUBPASS or several or sampled == 2 or (dimension, arrayed) not in KINDS:
            one.kind = "other"
            return
        one.texture, one.shadow = KINDS[dimension, arrayed], depth == 1
        texel = self.types[numbers]
        if texel.op == TYPE_INT:
            one.numbers = "int" if texel.words[1] else "uint"

    def pairs(self):
        """Yields (image, sampler) variables that the code combines; None for a sampler of unknown origin."""
        source = {}  # id: variable that it was loaded from or points into
        for op, w in self.instructions():
            if op in (ACCESS_CHAIN, 66) or op == LOAD:
                source[w[2]] = source.get(w[3], w[3])
            elif op == SAMPLED_IMAGE:
                yield source.get(w[3]), source.get(w[4])

    # Changes.

    def changed(self, constants, flips, negates, clips=()):
        """Returns the module's bytes with one entry point and without names.

        `constants`: words by specialization number, the new defaults. `flips`: the target's rows are counted from the
        bottom, so that changes in y have the other sign; otherwise gl_FragCoord counts rows as the target does.
        `negates`: a vertex shader's positions have the other y, as for a viewport of negative height. `clips`: a
        location for each clip distance. A vertex shader also writes the distances there; a fragment shader reads them and
        discards the fragment if one is negative.
        """
        declared = dict(self.types)
        try:
            return self._changed(constants, flips, negates, clips)
        finally:
            self.types = declared  # without the types that the changed module gained

    def _changed(self, constants, flips, negates, clips):
        special = {of: number for (of, mark), number in self.decorations.items() if mark == SPEC_ID}
        out, self.bound = [], int(self.words[3])
        head = list(self.words[:HEADER].tolist())
        types, function, entered = [], 0, None
        clip = Clip(self, clips) if clips else None
        for op, w in self.instructions():
            if op in (SOURCE_CONTINUED, SOURCE, SOURCE_EXTENSION, NAME, MEMBER_NAME, LINE, NO_LINE, PROCESSED):
                continue
            if op == ENTRY_POINT and (w[2] != self.entry or w[1] != MODELS[self.stage]):
                continue
            if op in (EXECUTION_MODE, EXECUTION_MODE_ID) and w[1] != self.entry:
                continue
            if clip and op == EXECUTION_MODE and w[2] == EARLY_TESTS:
                continue  # a fragment that is clipped away leaves no depth
            if clip and op == ENTRY_POINT:
                w = [w[0] + (len(clip.variables) << 16), *w[1:], *clip.variables]
            if clip and TYPE_BOOL - 1 <= op <= TYPE_POINTER and not clip.is_decorated:
                out += clip.decorations()
            if op == EXECUTION_MODE and w[2] == ORIGIN_UPPER_LEFT and not flips:
                w[2] = ORIGIN_LOWER_LEFT
            if op in (SPEC_TRUE, SPEC_FALSE) and special.get(w[2]) in constants:
                w[0] = 3 << 16 | (SPEC_TRUE if constants[special[w[2]]] else SPEC_FALSE)
            if op == SPEC_CONSTANT and len(w) == 4 and special.get(w[2]) in constants:
                w[3] = constants[special[w[2]]]
            if op == FUNCTION:
                if not types and not function:
                    types = [len(out)]
                    made = clip.declarations() if clip else []
                    out += made
                    types[0] += len(made)
                function = w[2]
            if clip and self.stage == "fragment" and function == self.entry:
                # A new first block discards the fragment or goes on to the shader's first block.
                if op == LABEL and entered is None:
                    entered = w[1]
                    out += [2 << 16 | LABEL, self._id()]
                    continue
                if entered and op != VARIABLE:
                    out += clip.discard(entered)
                    entered = 0
            if op in CHANGES_IN_Y and self.stage == "fragment" and flips:
                result, w[2] = w[2], self._id()
                out += w + [4 << 16 | NEGATE, w[1], result, w[2]]
                continue
            if op == RETURN and clip and self.stage == "vertex" and function == self.entry:
                out += clip.writes()
            if op == RETURN and negates and self.stage == "vertex" and function == self.entry:
                made = self._negate_y(out)
                out[types[0]:types[0]] = made
                types[0] += len(made)
            out += w
        head[3] = self.bound
        return numpy.array(head + out, "<u4").tobytes()

    def _id(self):
        self.bound += 1
        return self.bound - 1

    def _negate_y(self, out):
        """Appends code to `out` that negates the position's y. Returns new types and constants."""
        made = []
        variable = member = None
        for one, (_, storage) in self.variables.items():
            if storage != OUTPUT or one not in self.interface:
                continue
            pointee = self.pointee(one)
            if self.decorations.get((one, BUILT_IN)) == POSITION:
                variable, vector = one, pointee
            for i in range(len(self.types[pointee].words)) if self.types[pointee].op == TYPE_STRUCT else ():
                if self.members.get((pointee, i, BUILT_IN)) == POSITION:
                    variable, member, vector = one, i, self.types[pointee].words[i]
        if variable is None:
            raise Unsupported("a vertex shader has no position")
        number = self.types[vector].words[0]
        pointer = variable
        if member is not None:
            pointer_type, index = self._id(), self._id()
            whole = next((i for i, t in self.types.items() if t.op == TYPE_INT and t.words[0] == 32), None)
            if whole is None:
                whole = self._id()
                made += [4 << 16 | TYPE_INT, whole, 32, 1]
                self.types[whole] = Type(TYPE_INT, [32, 1])
            made += [4 << 16 | CONSTANT, whole, index, member]
            known = next((i for i, t in self.types.items()
                          if t.op == TYPE_POINTER and t.words == [OUTPUT, vector]), None)
            if known is None:
                made += [4 << 16 | TYPE_POINTER, pointer_type, OUTPUT, vector]
                self.types[pointer_type] = Type(TYPE_POINTER, [OUTPUT, vector])
            else:
                pointer_type = known
            pointer = self._id()
            out += [5 << 16 | ACCESS_CHAIN, pointer_type, pointer, variable, index]
        before, y, negated, after = self._id(), self._id(), self._id(), self._id()
        out += [4 << 16 | LOAD, vector, before, pointer, 5 << 16 | EXTRACT, number, y, before, 1,
                4 << 16 | NEGATE, number, negated, y, 6 << 16 | INSERT, vector, after, negated, before, 1,
                3 << 16 | STORE, pointer, after]
        return made


class Clip:
    """What a module gains so that fragments with a negative clip distance are discarded."""

    def __init__(self, module, locations):
        self.module, self.locations, self.is_decorated = module, locations, False
        self.variables = [module._id() for _ in locations]
        self.ids = {}

    def decorations(self):
        self.is_decorated = True
        return [word for variable, location in zip(self.variables, self.locations)
                for word in (4 << 16 | DECORATE, variable, LOCATION, location)]

    def _declared(self, made, op, words):
        """The id of a type: that of the module, or a new one, appended to `made`. A module may not declare one twice."""
        known = next((i for i, t in self.module.types.items() if t.op == op and list(t.words) == words), None)
        if known is None:
            known = self.module._id()
            made += [(2 + len(words)) << 16 | op, known, *words]
            self.module.types[known] = Type(op, words)
        return known

    def declarations(self):
        made, ids = [], self.ids
        is_vertex = self.module.stage == "vertex"
        ids["float"] = self._declared(made, TYPE_FLOAT, [32])
        pointer = self._declared(made, TYPE_POINTER, [OUTPUT if is_vertex else INPUT, ids["float"]])
        ids["pointer"] = pointer
        for variable in self.variables:
            made += [4 << 16 | VARIABLE, pointer, variable, OUTPUT if is_vertex else INPUT]
        if is_vertex:
            ids["int"] = self._declared(made, TYPE_INT, [32, 0])
            self.indices = {}
            variable, member, count = self.module.clip_distances()
            for number in {*range(count), *([] if member is None else [member])}:
                self.indices[number] = self.module._id()
                made += [4 << 16 | CONSTANT, ids["int"], self.indices[number], number]
        else:
            ids["bool"] = self._declared(made, TYPE_BOOL, [])
            ids["zero"] = self.module._id()
            made += [4 << 16 | CONSTANT, ids["float"], ids["zero"], 0]
        return made

    def writes(self):
        """Code of a vertex shader that copies the distances."""
        variable, member, _ = self.module.clip_distances()
        made = []
        for number, out in enumerate(self.variables):
            at, value = self.module._id(), self.module._id()
            path = ([] if member is None else [self.indices[member]]) + [self.indices[number]]
            made += [(4 + len(path)) << 16 | ACCESS_CHAIN, self.ids["pointer"], at, variable, *path,
                     4 << 16 | LOAD, self.ids["float"], value, at, 3 << 16 | STORE, out, value]
        return made

    def discard(self, first):
        """The end of a fragment shader's new first block. `first`: the label of the block that follows."""
        made, clipped = [], None
        for variable in self.variables:
            value, less = self.module._id(), self.module._id()
            made += [4 << 16 | LOAD, self.ids["float"], value, variable,
                     5 << 16 | LESS, self.ids["bool"], less, value, self.ids["zero"]]
            if clipped is not None:
                either = self.module._id()
                made += [5 << 16 | BOOL_OR, self.ids["bool"], either, clipped, less]
                less = either
            clipped = less
        end = self.module._id()
        return made + [3 << 16 | SELECTION_MERGE, first, 0, 4 << 16 | BRANCH_IF, clipped, end, first,
                       2 << 16 | LABEL, end, 1 << 16 | KILL, 2 << 16 | LABEL, first]
