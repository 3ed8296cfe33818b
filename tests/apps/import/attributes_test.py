#!/usr/bin/env python3
"""rdc.py of `brokkr import`: attributes that are matrices and arrays, depth bias, and depths beside stencils.

Needs Debian's python3-renderdoc and python3-numpy, and spirv-as of spirv-tools. Exit code 77: they are missing.
"""
import struct
import types
import unittest

from modules import module, skip

try:
    import numpy
    import rdc
    from rdc import rd
except (ImportError, SystemExit) as error:
    skip(error)

VERTEX = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %out %turn %pair
OpDecorate %out BuiltIn Position
OpDecorate %turn Location 1
OpDecorate %pair Location 4
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%uint = OpTypeInt 32 0
%vec2 = OpTypeVector %float 2
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%mat3 = OpTypeMatrix %vec3 3
%two = OpConstant %uint 2
%list = OpTypeArray %vec2 %two
%to_out = OpTypePointer Output %vec4
%to_mat = OpTypePointer Input %mat3
%to_list = OpTypePointer Input %list
%out = OpVariable %to_out Output
%turn = OpVariable %to_mat Input
%pair = OpVariable %to_list Input
%main = OpFunction %void None %function
%1 = OpLabel
OpReturn
OpFunctionEnd
"""
INSTANCES = 3


def vertex_input(location, binding, offset, size):
    fmt = rd.ResourceFormat()
    fmt.type, fmt.compType, fmt.compByteWidth, fmt.compCount = rd.ResourceFormatType.Regular, rd.CompType.Float, 4, size
    return types.SimpleNamespace(location=location, binding=binding, byteOffset=offset, format=fmt)


class Attributes(unittest.TestCase):
    def setUp(self):
        self.module = module(VERTEX, "vertex")
        rdc.is_null, was = lambda resource: False, rdc.is_null
        self.addCleanup(setattr, rdc, "is_null", was)
        self.importer = rdc.Importer.__new__(rdc.Importer)
        self.importer.blob = types.SimpleNamespace(add=self.add)
        self.importer.buffer = lambda resource: self.buffers[resource]
        self.added = []
        self.of_vertices = struct.pack("<16f", *range(16))  # pair[0] and pair[1] of four vertices
        self.of_instances = struct.pack("<27f", *range(100, 127))  # a matrix for each instance
        self.buffers = {"vertices": self.of_vertices, "instances": self.of_instances}
        self.inputs = [vertex_input(1 + c, 1, 12 * c, 3) for c in range(3)]
        self.inputs += [vertex_input(4, 0, 0, 2), vertex_input(5, 0, 8, 2)]

    def add(self, data):
        self.added.append(data)
        return len(self.added) - 1

    def read(self, per_instance=(False, True, False)):
        def binding(number, divisor):
            return types.SimpleNamespace(vertexBufferBinding=number, perInstance=per_instance[number], instanceDivisor=divisor)

        def buffer(resource, stride):
            return types.SimpleNamespace(resourceId=resource, byteOffset=0, byteStride=stride)

        state = types.SimpleNamespace(vertexInput=types.SimpleNamespace(
            attributes=self.inputs, bindings=[binding(0, 1), binding(1, 1), binding(2, 1)],
            vertexBuffers=[buffer("vertices", 16), buffer("instances", 36), buffer("vertices", 16)]))
        action = types.SimpleNamespace(numInstances=INSTANCES, instanceOffset=0)
        return self.importer.attributes(action, state, self.module, numpy.array([3, 1]))

    def test_matrices_and_arrays_are_read(self):
        listed, arrays = self.read()
        self.assertEqual(listed, [{"name": "@1", "type": "mat3"}, {"name": "@4[0]", "type": "vec2"},
                                  {"name": "@4[1]", "type": "vec2"}])
        self.assertEqual([array.get("divisor", 0) for array in arrays], [1, 0, 0])
        self.assertEqual([array["count"] for array in arrays], [9 * INSTANCES, 4, 4])
        self.assertEqual(self.added[0], self.of_instances)
        self.assertEqual(struct.unpack("<4f", self.added[1]), (12, 13, 4, 5))
        self.assertEqual(struct.unpack("<4f", self.added[2]), (14, 15, 6, 7))

    def test_a_column_without_an_array_is_0_0_0_1(self):
        self.inputs = [one for one in self.inputs if one.location != 2]
        listed, arrays = self.read()
        self.assertEqual((arrays[0]["count"], arrays[0]["divisor"]), (9 * INSTANCES, 1))
        self.assertEqual(struct.unpack("<9f", self.added[0][:36]), (100, 101, 102, 0, 0, 0, 106, 107, 108))

    def test_columns_that_advance_differently_are_refused(self):
        self.inputs[1].binding = 2
        with self.assertRaises(rdc.Skipped):
            self.read()


class States(unittest.TestCase):
    def test_depth_bias_is_a_pair(self):
        one = types.SimpleNamespace
        port, scissor = one(x=0, y=0, width=8, height=4, minDepth=0, maxDepth=1), one(x=0, y=0, width=8, height=4)
        state = one(
            viewportScissor=one(viewportScissors=[one(vp=port, scissor=scissor)]),
            rasterizer=one(cullMode=0, frontCCW=True, fillMode=0, lineWidth=1, depthBiasEnable=True, depthBias=3.0,
                           slopeScaledDepthBias=2.0, depthBiasClamp=0),
            depthStencil=one(depthTestEnable=True, depthWriteEnable=True, depthFunction=1, depthBoundsEnable=False),
            colorBlend=one(alphaToCoverageEnable=False, blends=[]))
        target = one(size=(8, 4), upright=False, colors=[("rgba8", "rgba")])
        made = rdc.Importer.__new__(rdc.Importer).state(state, target, 0)
        self.assertEqual(made["polygonOffset"], [2.0, 3.0])
        state.rasterizer.depthBiasEnable = False
        self.assertIsNone(rdc.Importer.__new__(rdc.Importer).state(state, target, 0)["polygonOffset"])


class Depths(unittest.TestCase):
    def test_stencils_behind_the_words_are_left_out(self):
        fmt = rd.ResourceFormat()
        fmt.type = rd.ResourceFormatType.D24S8
        image = types.SimpleNamespace(width=4, height=2, format=fmt)
        words = [0x07000000 | 1000 * i for i in range(8)]
        data = struct.pack("<8I", *words) + bytes([7] * 8)
        for length in (len(data), 32):
            depths = rdc.depth_only(image, 0, data[:length])
            self.assertEqual(struct.unpack("<8I", depths), tuple(1000 * i for i in range(8)))
        self.assertEqual(struct.unpack("<2I", rdc.depth_only(image, 1, data[:10])), (0, 1000))


if __name__ == "__main__":
    unittest.main()
