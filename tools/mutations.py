"""The planted bugs of tools/mutate: each is one change of the source, and the test that must fail for it.

A bug is (name, file, old text, new text, test binary, filter). The old text stands exactly once in the file; `tools/mutate
--check` holds that. Where it has an ‹expression›, the new text is another expression of the same type: all such bugs are
compiled together, and one is chosen when a test starts. A bug without such marks is compiled alone. The filter names few
tests, which take seconds. A binary with "tsan:" in front runs under ThreadSanitizer: a weaker memory order is no difference
on x86, and only that sees it.
"""

PIPELINE = "brokkr_pipeline_test"
QUEUE = "brokkr_queue_test"
BIN = "brokkr_bin_test"
SCENE = "brokkr_scene_test"
SCHEDULE = "brokkr_schedule_test"
BATCH = "brokkr_batch_test"
SHADER = "brokkr_shader_test"
SHADER_PICTURES = "brokkr_shader_reference_test"

MODEL = "*QueueSemantics.AgreesWithAModel*"

MUTATIONS = [
    # Setup and coverage.
    ("fill-rule", "src/geometry/records.h", "return ‹a > 0 || (a == 0 && b < 0)›;", "a > 0 || (a == 0 && b > 0)",
     PIPELINE, "Soup.OpaqueDrawsOnly"),
    ("snap", "src/geometry/setup.h", "return ‹round_to_int(clamp_to(at * 256.0f, kGuardMin * 256.0f, kGuardMax * 256.0f))›;",
     "to_int(clamp_to(at * 256.0f, kGuardMin * 256.0f, kGuardMax * 256.0f))", PIPELINE, "Soup.OpaqueDrawsOnly"),
    ("first-sample", "src/geometry/setup.h", "corner[2].x) + ‹127›) >> 8, draw.rect[0]);", "128",
     PIPELINE, "Kinds/WatertightMesh.*Centres:Soup.OpaqueDrawsOnly"),
    ("far-plane", "src/geometry/setup.h", "case 1: return ‹draw.bits & kDrawDepthClamp ? w : w - z›;",
     "draw.bits & kDrawDepthClamp ? w : w + w - z", PIPELINE, "Soup.Clipping"),
    ("clip-corner", "src/geometry/clip.h", "const double t = ‹da / (da - db)›;", "db / (db - da)", PIPELINE, "Soup.Clipping"),
    ("depth-clamp", "src/pipeline/draw_record.cpp",
     "r.z_max = ‹clamped ? std::max(s.depth_near, s.depth_far) + 0.0f : 1.0f›;", "1.0f",
     PIPELINE, "Soup.DepthClampAndZeroToOne"),
    ("depth-range", "src/pipeline/draw_record.cpp", "‹0.5f * (s.depth_near + s.depth_far)›;",
     "0.5f * (s.depth_far - s.depth_near)", PIPELINE, "Soup.MixedStates"),
    ("viewport-transform", "src/pipeline/draw_record.cpp", "r.offset[0] = ‹s.viewport.x + 0.5f * s.viewport.z›;",
     "0.5f * s.viewport.z", PIPELINE, "Soup.MixedStates"),
    ("scissor", "src/pipeline/draw_record.cpp", "‹end(s.scissor->x, s.scissor->width)›",
     "end(s.scissor->x, s.scissor->width) + 1", PIPELINE, "Soup.MixedStates"),
    ("culling", "src/pipeline/draw_record.cpp", "set(‹(s.front_face == FrontFace::cw) != upper_left›,",
     "(s.front_face == FrontFace::cw) == upper_left", PIPELINE, "Soup.MixedStates"),
    ("polygon-offset", "src/geometry/setup.h", "double(draw.offset_units) * ‹0x1p-24›", "0x1p-23",
     PIPELINE, "Soup.PolygonOffset"),

    # Vertices and primitives.
    ("point-origin", "src/pipeline/expand.cpp", "from_below_(‹state.point_origin_low == ((flags & kOriginUpperLeft) == 0)›)",
     "!state.point_origin_low", PIPELINE, "ProgramPrimitives.Points*"),
    ("point-memory", "src/pipeline/program_draws.cpp", "const uint64_t more = ‹expanded.sources.size() * uint64_t(record.stride + 4)›;",
     "uint64_t(0)", PIPELINE, "ProgramPrimitives.VaryingsOfPoints*"),
    ("line-width", "src/pipeline/expand.cpp", "in_range(‹state.line_width›, !state.smooth_lines)", "state.point_size",
     PIPELINE, "ProgramPrimitives.LinesHave*"),
    ("back-color", "src/pipeline/program_draws.cpp", "if (‹input.back != shader::kNoPlace›) record.bits", "false",
     PIPELINE, "ProgramPrimitives.BackFaces*"),
    ("bounded-half", "src/raster/tile.h", "if (‹how.bounded›) color", "false", PIPELINE, "ProgramDraws.NumbersOfTheFirst*"),
    ("blend-without-alpha", "src/pipeline/program_draws.cpp", "if (‹!has_alpha(target, buffer.plane)›) {", "false",
     PIPELINE, "ProgramDraws.ColoursWithoutAlpha*"),
    ("second-source", "src/pipeline/program_draws.cpp", "const second = ‹output_of(program, i, 1)›)", "output_of(program, i, 0)",
     PIPELINE, "ProgramColors.ASecondSource*"),
    ("exact-plane", "src/pipeline/plane_phases.cpp", "‹phase && phase->planes == kPlaneColor› && whole_plane", "false",
     PIPELINE, "ProgramColors.LoadsGive*"),
    ("smooth-lines", "src/shader/smooth_lines.cpp", "‹one.operand[0] = b.emit(Op::multiply, Kind::number, {one.operand[0], covered})›;",
     "(void)0", PIPELINE, "ProgramPrimitives.SmoothLines*"),
    ("polygon-winding", "src/pipeline/expand.cpp", "‹polygon_ && polygon_->counter_clockwise› != is_counter", "false",
     PIPELINE, "ProgramPrimitives.LinesAndPoints*"),
    ("strip-winding", "src/pipeline/expand.cpp", "‹out.insert(out.end(), {v[i + 1], v[i], v[i + 2]})›;",
     "out.insert(out.end(), {v[i], v[i + 1], v[i + 2]})", PIPELINE, "Assembly.*"),
    ("fan-centre", "src/pipeline/expand.cpp", "‹out.insert(out.end(), {v[0], v[i + 1], v[i + 2]})›;",
     "out.insert(out.end(), {v[i], v[i + 1], v[i + 2]})", PIPELINE, "Assembly.*"),
    ("instance-step", "src/geometry/vertex.h", "run.first_vertex += ‹record.instance * draw.vertex_count›;",
     "record.instance", PIPELINE, "Soup.InstancesAndViews"),
    ("batch-limit", "src/batch/batch_model.cpp", 'look-back of 42 +- 3 by corner", 96, ‹32›,', "33u",
     BATCH, "Predict.The33rdUniqueVertexEndsABatchOnNvidia"),

    # Order and visibility.
    ("primitive-order", "src/pipeline/phases.cpp", "case CompareFunc::lequal: ‹key_bits |= kKeyLastWins›; return true;",
     "key_bits |= 0", PIPELINE, "Visibility.*"),
    ("hidden-ties", "src/raster/visibility.h", "‹nearest <= pass.keys->farthest_of(w, number, tiles.touched)›",
     "nearest < pass.keys->farthest_of(w, number, tiles.touched)", PIPELINE, "Visibility.*"),
    ("direct-regions", "src/raster/direct.h", "byte_of_row = ‹as_uint(region - line) << 4›;", "Uint(0u)",
     PIPELINE, "Statistics.DirectTrianglesCountAsQueuedOnesDo"),
    ("direct-keys-stay", "src/raster/order_free.h", "plane.clear(w, s, ‹some›);", "Mask(false)",
     PIPELINE, "PlanTest.NothingOfAnEarlierCameraStays"),
    ("never-clipped", "src/pipeline/clip_bound.cpp", "return ‹least > kMargin * size›;", "size >= 0",
     PIPELINE, "ClipBound.*"),
    ("depth-test-writes", "src/pipeline/draw_record.cpp", "set(‹s.depth.test && s.depth.write›, kDrawDepthWrite);",
     "s.depth.write", PIPELINE, "Soup.MixedStates"),

    # Stencil, alpha test, blending, formats.
    ("stencil-wrap", "src/target/pixel.h", "case StencilOp::decrement_wrap: return ‹(old - 1) & 255›;",
     "select(old > 0, old - 1, old)", PIPELINE, "Soup.MixedStates"),
    ("stencil-outcome", "src/raster/tile.h", "‹select(visible, stencil_result(draw.stencil_ops[2], old, ref), next)›;",
     "select(passed, stencil_result(draw.stencil_ops[2], old, ref), next)", PIPELINE, "Soup.MixedStates"),
    ("alpha-test", "src/pipeline/draw_record.cpp", "r.alpha_func = ‹uint8_t(s.alpha_test->func)›;",
     "uint8_t(CompareFunc::greater)", PIPELINE, "Shading.AlphaTestComparesWithItsReference"),
    ("alpha-reference", "src/pipeline/draw_record.cpp", "r.alpha_ref = ‹s.alpha_test->ref›;", "0.25f",
     PIPELINE, "Shading.AlphaTestComparesWithItsReference"),
    ("blend-factor", "src/target/pixel.h", "case BlendFactor::one_minus_dst_alpha: return ‹one - d[3]›;", "one - s[3]",
     PIPELINE, "Soup.MixedStates"),
    ("blend-equation", "src/target/pixel.h", "case BlendEquation::reverse_subtract: return ‹d * df - s * sf›;",
     "s * sf - d * df", PIPELINE, "Soup.MixedStates"),
    ("colour-mask", "src/pipeline/draw_record.cpp", "r.color_mask |= uint8_t(‹s.color_mask[size_t(i)] ? 1 << i : 0›);",
     "s.color_mask[size_t(i)] ? 1 << (3 - i) : 0", PIPELINE, "Soup.MixedStates"),
    ("srgb", "src/target/pixel.h", "pow_lanes((c + 0.055f) * (1.0f / 1.055f), ‹2.4f›);", "2.2f",
     PIPELINE, "Soup.ColorFormats"),
    ("half-rounding", "src/target/pixel.h", "const Uint rounded = ‹mag + 0xfff + ((mag >> 13) & 1)›;", "mag",
     PIPELINE, "SeveralTargets.HalfFloatsRoundToTheNearest"),

    # Textures.
    ("texture-clamps-below", "shaders/texture.h", "x0 = ‹select(x0 < 0, width - one, x0)›;", "select(x0 < 0, 0, x0)",
     PIPELINE, "Shading.TexturesRepeat"),
    ("texture-clamps-above", "shaders/texture.h", "y1 = ‹select(y1 >= height, 0, y1)›;",
     "select(y1 >= height, height - one, y1)", PIPELINE, "Shading.TexturesRepeat"),
    ("texture-clamps", "shaders/texture.h", "const Float x = ‹fraction(u)› * to_float(width) - 0.5f,", "saturate(u)",
     PIPELINE, "Shading.TexturesRepeat"),
    ("level-of-detail", "shaders/texture.h", "detail = ‹0.5f * log2_lanes(clamp_to(rho, 1e-20f, 1e20f))›;",
     "log2_lanes(clamp_to(rho, 1e-20f, 1e20f))", PIPELINE, "Shading.TrilinearMixesLevels"),
    ("mip-selection", "shaders/texture.h", "const Int next = ‹minimum(level + 1, int(texture.levels) - 1)›;", "level",
     PIPELINE, "Shading.TrilinearMixesLevels"),
    ("sampler-mirror", "shaders/texture.h", "i = select(i >= size, ‹twice - Int(1) - i›, i);", "twice - i", PIPELINE,
     "Sampler.WrapsAndFiltersAsDefined"),
    ("sampler-nearest", "shaders/texture.h", "half = ‹select(nearest, 0.0f, 0.5f)›;", "Float(0.5f)", PIPELINE,
     "Sampler.WrapsAndFiltersAsDefined"),
    ("texture-mapping", "shaders/metallic_roughness.h", "‹v.y * mapping.linear[2]›", "v.y * mapping.linear[1]", PIPELINE,
     "Sampler.MappingsMoveCoordinatesOfEitherSet"),
    ("occlusion", "shaders/metallic_roughness.h", "‹(open - 1.0f) * material.occlusion_strength›", "open - 1.0f", PIPELINE,
     "MetallicRoughness.OcclusionDarkensTheLightFromAllSides"),
    ("mip-box", "src/pipeline/mip_chain.cpp", "x1 = ‹std::max(x0 + 1, (x + 1) * width / next_width)›;", "x0 + 1",
     PIPELINE, "Shading.StripesOfBothDirectionsAreGreyAtADistance"),
    ("perspective", "src/raster/interpolate.h",
     "x[i] = corner[i].x * draw.scale[0] + ‹corner[i].w * (draw.offset[0] - in.x)›;", "1.0f * (draw.offset[0] - in.x)",
     PIPELINE, "Shading.TextureCoordinatesArePerspectiveCorrect"),

    # Patterns.
    ("van-der-corput", "src/bin/pattern_shift.cpp", "(i >> bit & 1) << (‹bits - 1 - bit›);", "bit",
     BIN, "*PatternShift.VanDerCorput*"),
    ("hilbert", "src/bin/pattern_curve.cpp", "distance += half * half * (‹(3 * right) ^ top›);", "2 * right + top",
     BIN, "*PatternCurve.Hilbert*"),
    ("x-shift-offset", "src/bin/pattern_shift.cpp", "fixed_shifts(rasterizers, ‹rasterizers + 1›, rasterizers)", "rasterizers",
     BIN, "*PatternShift.XShiftOffset*"),

    # Distribution.
    ("near-masks", "src/bin/distribute.h", "if (‹scratch_.near›) clear_masks(w);", "false",
     PIPELINE, "Soup.EverySettingGivesTheOraclesPicture"),

    # Queues and scheduling.
    ("queue-capacity", "src/queue/broker.h", "c_(control), capacity_(‹int32_t(capacity)›) {}", "int32_t(capacity) + 1",
     QUEUE, MODEL),
    ("queue-ticket-overflow", "src/queue/broker.h", "return ‹int32_t(tail - head) >= capacity_›;",
     "int64_t(tail) - int64_t(head) >= capacity_", QUEUE, "*QueueSemantics.TicketsAreCompared*"),
    ("queue-wrap", "src/queue/broker_queue.h", "return vacant(p) + ‹m_.capacity›; }", "2 * m_.capacity", QUEUE, MODEL),
    ("queue-refused-lanes", "src/queue/broker_queue.h", "in &= ‹~highest_bit(in)›;", "in - 1", QUEUE, MODEL),
    ("queue-lanes", "src/queue/broker_queue.h", "rank = rank + select(same && ‹w.lane() > i›, 1, 0);", "w.lane() >= i",
     QUEUE, MODEL),
    ("watermark", "src/schedule/watermark.h", "compare_exchange_strong(expected, ‹now + run›, kRelease", "now + run + 1",
     SCHEDULE, "*Admissions.TheWatermark*"),
    ("tasks-counted", "src/schedule/watermark.h", "if (‹before + range.count› == schedule.tasks)", "before + range.count - 1",
     SCHEDULE, "*Admissions.TheWatermark*"),
    ("gates-passed-over", "src/pipeline/launch_tree.h", "view.local[at.local] = ‹next› < children(", "next + 1",
     PIPELINE, "BackPressure.GatesOpenWithAFullStore"),
    ("admission-store", "src/schedule/watermark.h", "stock.fill(w, want, int(‹schedule.blocks_per_task›))",
     "1", SCHEDULE, "*Admissions.ATaskStarts*"),
    ("watermark-released-early", "src/pipeline/choose.h", "return {‹tasks›, tasks >= schedule.tasks ?", "tasks + 64",
     SCHEDULE, "*Admissions.NothingAbove*"),
    ("order-release", "src/queue/broker_queue.h", "Watched<uint32_t, Observer>(*slot).store(ticket, kRelease);",
     "Watched<uint32_t, Observer>(*slot).store(ticket, kRelaxed);", "tsan:" + QUEUE, "*QueueStress.OneToOne*"),
    ("order-acquire", "src/queue/broker_queue.h", "Watched<uint32_t, Observer>(*slot).load(kAcquire) != ticket",
     "Watched<uint32_t, Observer>(*slot).load(kRelaxed) != ticket", "tsan:" + QUEUE, "*QueueStress.OneToOne*"),

    # Statistics.
    ("frame-time", "src/pipeline/renderer.cpp", "s.frame_ms = ‹call.ms()›;", "0.9 * call.ms()", PIPELINE,
     "PlanTest.FrameTimeIsWhatTheCallerWaitsFor"),
    # Readers.
    ("json-depth", "src/scene/json_parse.h", "if (levels_.size() == ‹size_t(kMaxJsonDepth)›) fail(",
     "size_t(kMaxJsonDepth) + 1", SCENE, "JsonParse.*"),
    ("stored-length", "src/scene/bkf_container.cpp", "if (‹produced > size›) fail_in(field,", "produced > size + 1",
     SCENE, "Bkf.AStreamThatHolds*"),
    ("blob-extent", "src/scene/bkf_reader.cpp", "if (part.count > ‹room / repeat›) {", "room", SCENE, "Bkf.*:*BadJson*"),
    ("index-bound", "src/scene/validate.h", "if (first <= size && count <= ‹size - first›) return;", "size - first + 1",
     SCENE, "Frame.*"),

    # Run-time shaders.
    ("shader-escape", "src/shader/translate_flow.cpp",
     "if (made != block_of_.end() && ‹!flow_.is_in(block, flow_.blocks[made->second].loop)›)",
     "!flow_.is_in(block, kNoLoop)", SHADER, "ShaderControl.ValuesOfArraysOutliveTheirLoop"),
    ("shader-phi-order", "src/shader/translate_flow.cpp", "if (‹program_.value(v).role == Role::cell›)", "false",
     SHADER, "ShaderControl.LoopVariablesChangePlaces"),
    ("shader-switch", "src/shader/translate_flow.cpp", "rest = ‹emit(Op::mask_without, Kind::mask, {rest, hit})›;",
     "emit(Op::mask_without, Kind::mask, {lanes_, hit})", SHADER, "ShaderControl.SwitchesFallThrough"),
    ("shader-helpers", "src/shader/translate_flow.cpp", "if (‹discards_yes != discards_no›) {",
     "discards_yes != discards_no && lanes == kNoValue", SHADER, "ShaderControl.DiscardedLanesGoOnAsHelpers"),
    ("shader-register-span", "src/shader/assemble.cpp", "span.end = ‹std::max(span.end, around.end)›;", "span.end",
     SHADER, "ShaderControl.ValuesOutliveTheirLoop"),
    ("shader-array-end", "src/shader/interpreter.h", "clamp_to(index, 0, ‹int(length) - 1›)", "int(length)",
     SHADER, "ShaderControl.AnIndexBeyondAnArrayReadsNothingElse"),
    ("texture-mirror", "src/shader/texture_place.h",
     "x = ‹(1.0f - absolute(fraction(u * 0.5f) * 2.0f - 1.0f)) * n›;", "fraction(u) * n",
     SHADER_PICTURES, "*TextureMatrix*/TwoMirrorLinear"),
    ("texture-level", "src/shader/texture_place.h", "* 0x1p-24f - ‹63.5f›;", "62.5f",
     SHADER_PICTURES, "*TextureMatrix*/TwoRepeatLinearMipLinear"),
    ("texture-border", "src/shader/texture_unit.h", "return ‹select(inside, texel, as_float(Uint(border)))›;",
     "select(inside, texel, as_float(Uint(border & 0u)))",
     SHADER_PICTURES, "*TextureMatrix*/TwoBorderLinear"),
    ("texture-seam", "src/shader/texture_place.h", "select(over_s || over_t, ‹inside›, n)", "n",
     SHADER_PICTURES, "*TextureMatrix*/Seamless*"),
    ("texture-usual-wrap", "src/shader/texture_usual.h", "select(a < 0, last, a), ‹select(b > last, 0, b)›, weight",
     "minimum(b, last)", SHADER_PICTURES, "*TextureMatrix*/TwoRepeatLinear"),
    ("texture-nearest", "src/shader/texture_unit.h", "place.layer * level.height + ‹nearest(1, level.height)›;",
     "nearest(0, level.height)", SHADER_PICTURES, "*TextureMatrix*/TwoRepeatNearest"),
    ("block-anchor", "src/shader/block_texels_bptc.cpp", "return texel == ‹kAnchorOfTwo[number]›;", "uint8_t(15)",
     SHADER_PICTURES, "*TextureMatrix*/Format57"),
]
