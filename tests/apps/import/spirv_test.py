#!/usr/bin/env python3
"""spirv.py of `brokkr import`: what a module declares, and that changed modules are valid and say what they should.

Needs Debian's python3-numpy, and spirv-as, spirv-val and spirv-dis of spirv-tools. Exit code 77: they are missing.
"""
import unittest

from modules import module, run, spirv

VERTEX = """
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Vertex %main "main" %out %place %number
OpEntryPoint Vertex %other "other"
OpName %main "main"
OpMemberDecorate %PerVertex 0 BuiltIn Position
OpMemberDecorate %PerVertex 1 BuiltIn PointSize
OpDecorate %PerVertex Block
OpDecorate %place Location 2
OpDecorate %number BuiltIn VertexIndex
OpDecorate %scale SpecId 7
OpDecorate %adds SpecId 8
OpDecorate %camera DescriptorSet 1
OpDecorate %camera Binding 4
OpDecorate %Camera Block
OpMemberDecorate %Camera 0 Offset 0
OpMemberDecorate %Camera 0 ColMajor
OpMemberDecorate %Camera 0 MatrixStride 16
OpMemberDecorate %Camera 1 Offset 64
OpDecorate %list ArrayStride 16
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%int = OpTypeInt 32 1
%uint = OpTypeInt 32 0
%bool = OpTypeBool
%vec3 = OpTypeVector %float 3
%vec4 = OpTypeVector %float 4
%mat4 = OpTypeMatrix %vec4 4
%three = OpConstant %uint 3
%zero = OpConstant %int 0
%list = OpTypeArray %float %three
%PerVertex = OpTypeStruct %vec4 %float
%Camera = OpTypeStruct %mat4 %list
%to_out = OpTypePointer Output %PerVertex
%to_vec4 = OpTypePointer Output %vec4
%to_in = OpTypePointer Input %vec3
%to_int = OpTypePointer Input %int
%to_camera = OpTypePointer Uniform %Camera
%out = OpVariable %to_out Output
%place = OpVariable %to_in Input
%number = OpVariable %to_int Input
%camera = OpVariable %to_camera Uniform
%scale = OpSpecConstant %float 2
%adds = OpSpecConstantTrue %bool
%main = OpFunction %void None %function
%1 = OpLabel
%p = OpLoad %vec3 %place
%v = OpCompositeConstruct %vec4 %p %scale
%at = OpAccessChain %to_vec4 %out %zero
OpStore %at %v
OpReturn
OpFunctionEnd
%other = OpFunction %void None %function
%2 = OpLabel
OpReturn
OpFunctionEnd
"""
FRAGMENT = """
OpCapability Shader
OpCapability DerivativeControl
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %color %uv
OpExecutionMode %main OriginUpperLeft
OpDecorate %color Location 0
OpDecorate %uv Location 1
OpDecorate %uv Component 2
OpDecorate %uv Flat
OpDecorate %image DescriptorSet 0
OpDecorate %image Binding 3
OpDecorate %sampler DescriptorSet 0
OpDecorate %sampler Binding 5
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%vec2 = OpTypeVector %float 2
%vec4 = OpTypeVector %float 4
%Image = OpTypeImage %float 2D 1 0 0 1 Unknown
%Sampler = OpTypeSampler
%Both = OpTypeSampledImage %Image
%to_color = OpTypePointer Output %vec4
%to_uv = OpTypePointer Input %vec2
%to_image = OpTypePointer UniformConstant %Image
%to_sampler = OpTypePointer UniformConstant %Sampler
%color = OpVariable %to_color Output
%uv = OpVariable %to_uv Input
%image = OpVariable %to_image UniformConstant
%sampler = OpVariable %to_sampler UniformConstant
%main = OpFunction %void None %function
%1 = OpLabel
%at = OpLoad %vec2 %uv
%dy = OpDPdyFine %vec2 %at
%i = OpLoad %Image %image
%s = OpLoad %Sampler %sampler
%b = OpSampledImage %Both %i %s
%texel = OpImageSampleImplicitLod %vec4 %b %dy
OpStore %color %texel
OpReturn
OpFunctionEnd
"""


def text_of(data):
    """The module's instructions, after the validator has accepted them."""
    run("spirv-val", data)
    return run("spirv-dis", data, "--raw-id", "--no-header").decode()


class Modules(unittest.TestCase):
    def test_what_a_vertex_shader_declares(self):
        one = module(VERTEX, "vertex")
        self.assertEqual(sorted(entry[:4] for entry in one.inputs() if entry[0]), [("@2", 2, "vec3", 1)])
        self.assertEqual([entry[1] for entry in one.inputs() if not entry[0]], [spirv.VERTEX_INDEX])
        self.assertLessEqual({spirv.POSITION, spirv.POINT_SIZE}, one.built_in_outputs())
        block, = one.resources()
        self.assertEqual((block.name(), block.kind, block.size, block.count), ("@1.4", "block", 100, 1))

    def test_what_a_fragment_shader_declares(self):
        one = module(FRAGMENT, "fragment")
        (name, _, type_, count, marks), = one.inputs()
        self.assertEqual((name, type_, count, spirv.FLAT in marks), ("@1.2", "vec2", 1, True))
        image, sampler = one.resources()
        self.assertEqual((image.name(), image.kind, image.texture, image.shadow), ("@0.3", "image", "2d", True))
        self.assertEqual((sampler.name(), sampler.kind), ("@0.5", "sampler"))
        self.assertEqual(list(one.pairs()), [(image.variable, sampler.variable)])

    def test_one_entry_point_without_names_and_with_the_constants_of_the_frame(self):
        text = text_of(module(VERTEX, "vertex").changed({7: 0x40400000, 8: 0}, False, False))
        self.assertEqual(text.count("OpEntryPoint"), 1)
        self.assertNotIn("OpName", text)
        self.assertRegex(text, r"OpSpecConstant %\d+ 3\n")
        self.assertIn("OpSpecConstantFalse", text)

    def test_y_is_negated_once(self):
        text = text_of(module(VERTEX, "vertex").changed({}, False, True))
        self.assertEqual(text.count("OpFNegate"), 1)
        self.assertRegex(text, r"OpFNegate.*\n.*OpCompositeInsert %\d+ %\d+ %\d+ 1\n.*OpStore %\d+ %\d+\n.*OpReturn")

    def test_changes_in_y_follow_the_rows(self):
        one = module(FRAGMENT, "fragment")
        flipped, kept = text_of(one.changed({}, True, False)), one.changed({}, False, False)
        self.assertRegex(flipped, r"OpDPdyFine.*\n.*OpFNegate")
        self.assertIn("OriginUpperLeft", flipped)
        kept = run("spirv-dis", kept, "--raw-id").decode()
        self.assertNotIn("OpFNegate", kept)
        self.assertIn("OriginLowerLeft", kept)

    def test_clip_distances_are_varyings_by_which_fragments_are_discarded(self):
        self.assertIsNone(module(VERTEX, "vertex").clip_distances())
        # A block that declares distances is no block that writes them.
        declared = VERTEX.replace("OpDecorate %PerVertex Block", "OpMemberDecorate %PerVertex 2 BuiltIn ClipDistance\n"
                                  "OpDecorate %PerVertex Block").replace("vec4 %float\n%Cam", "vec4 %float %clips\n%Cam")
        declared = declared.replace("OpCapability Shader", "OpCapability Shader\nOpCapability ClipDistance")
        declared = declared.replace("%list = ", "%two = OpConstant %int 2\n%clips = OpTypeArray %float %three\n%list = ")
        declared = declared.replace("%to_vec4 = ", "%to_float = OpTypePointer Output %float\n%to_vec4 = ")
        self.assertIsNone(module(declared, "vertex").clip_distances())
        written = declared.replace("OpStore %at %v", "OpStore %at %v\n%far = OpAccessChain %to_float %out %two %zero\n"
                                   "OpStore %far %scale")
        one = module(written, "vertex")
        self.assertEqual(one.clip_distances()[1:], (2, 3))
        self.assertEqual(one.locations_end(), 3)
        for negates in (True, False, True):  # a module is changed again for a draw with another state
            text = text_of(one.changed({}, False, negates, [3, 4, 5]))
            self.assertEqual(text.count(" Location "), 4)
            self.assertEqual(text.count("OpStore"), 5 + negates)
        other = module(FRAGMENT.replace("OpExecutionMode", "OpExecutionMode %main EarlyFragmentTests\nOpExecutionMode"),
                       "fragment")
        for _ in range(2):
            text = text_of(other.changed({}, True, False, [3, 4, 5]))
            self.assertEqual([text.count(of) for of in ("OpFOrdLessThan", "OpLogicalOr", "OpKill")], [3, 2, 1])
            self.assertNotIn("EarlyFragmentTests", text)
            self.assertLess(text.index("OpKill"), text.index("OpDPdyFine"))
        empty = spirv.Module(spirv.empty_fragment_shader("main"), "fragment", "main")
        self.assertIn("OpKill", text_of(empty.changed({}, True, False, [0])))

    def test_damaged_modules_are_refused(self):
        good = run("spirv-as", VERTEX.encode())
        for data in (b"", good[:8], b"\0" * 64, good[:-3], good[:20] + bytes(4) + good[24:]):
            with self.assertRaises(spirv.Unsupported):
                spirv.Module(data, "vertex", "main").changed({}, False, False)
        with self.assertRaises(spirv.Unsupported):
            spirv.Module(good, "fragment", "main")


if __name__ == "__main__":
    unittest.main()
