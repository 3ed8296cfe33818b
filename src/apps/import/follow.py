"""The states of a pass's draws without a replay for each.

RenderDoc gives the state of a draw only by a replay of the frame up to it. A Follower replays once for each pipeline, and
whenever it cannot derive the state. Between these draws it applies the commands of the program (binding of pipelines, vertex and
index buffers and descriptor sets, viewports, scissors) to the state that it has. A command that it does not know
causes a replay.
"""
import bisect
import copy
import types

import renderdoc as rd

NO_FIELDS = {"acquire", "append", "disown", "next", "own", "this", "thisown", "UseBorder", "reflection", "bindpointMapping",
             "images", "compute", "computeShader", "transformFeedback", "tessellation", "multisample",
             "conditionalRendering", "shaderMessages"}
CHANGES_NOTHING = {"vkCmdBeginDebugUtilsLabelEXT", "vkCmdEndDebugUtilsLabelEXT", "vkCmdInsertDebugUtilsLabelEXT",
                   "vkCmdDebugMarkerBeginEXT", "vkCmdDebugMarkerEndEXT", "vkCmdDebugMarkerInsertEXT",
                   "vkUpdateDescriptorSets", "vkAllocateDescriptorSets"}
DRAWS = {"vkCmdDraw", "vkCmdDrawIndexed", "vkCmdDrawIndirect", "vkCmdDrawIndexedIndirect", "vkCmdClearAttachments"}
INDEX_BYTES = {0: 2, 1: 4, 1000265000: 1}  # by VkIndexType
UNIFORM_BUFFER, STORAGE_BUFFER, UNIFORM_DYNAMIC, STORAGE_DYNAMIC = 6, 7, 8, 9  # VkDescriptorType
BUFFERS = {UNIFORM_BUFFER, STORAGE_BUFFER, UNIFORM_DYNAMIC, STORAGE_DYNAMIC}
SAMPLER, COMBINED, SAMPLED_IMAGE = 0, 1, 2
VIEW_FIELDS = ("viewResourceId", "resourceResourceId", "viewFormat", "swizzle", "firstMip", "numMips", "firstSlice",
               "numSlices", "byteOffset", "byteSize")
# Parts of the state that a pipeline sets. Some may be dynamic; commands that set them in the pass are not followed.
OF_PIPELINE = ("vertexShader", "fragmentShader", "geometryShader", "tessControlShader", "tessEvalShader", "rasterizer",
               "colorBlend", "depthStencil", "viewportScissor")


class Unknown(Exception):
    """The state after a command cannot be derived."""


def snapshot(value):
    """Copies an object of RenderDoc, so that a replay does not change it."""
    if isinstance(value, rd.ResourceId):
        return rd.ResourceId(value)
    if isinstance(value, rd.ResourceFormat):
        return rd.ResourceFormat(value)
    if value is None or isinstance(value, (bool, int, float, str, bytes)):
        return value
    if hasattr(value, "__len__"):
        return [snapshot(value[i]) for i in range(len(value))]
    return types.SimpleNamespace(**{name: snapshot(getattr(value, name)) for name in dir(value)
                                    if not name.startswith("_") and name not in NO_FIELDS})


def items(chunk, name):
    child = chunk.FindChild(name)
    return [child.GetChild(i) for i in range(child.NumChildren())] if child is not None else []


def number(of, name):
    child = of.FindChild(name)
    if child is None:
        raise Unknown(f"no {name} in {of.name}")
    return child.AsInt()


def resource(of, name):
    return str(of.FindChild(name).AsResourceId())


class DescriptorSets:
    """The layouts of the frame's descriptor sets, and the calls that write them."""

    def __init__(self, importer):
        self.file = importer.file
        self.created = {str(one.resourceId): list(one.initialisationChunks) for one in importer.c.GetResources()}
        self.layouts, self.kinds, self.writes, self.moved = {}, {}, {}, set()
        for chunk in self.file.chunks:
            if chunk.name == "vkAllocateDescriptorSets":
                layout = chunk.FindChild("AllocateInfo").FindChild("pSetLayouts").GetChild(0)
                self.layouts[resource(chunk, "DescriptorSet")] = str(layout.AsResourceId())
            elif chunk.name == "vkUpdateDescriptorSets":
                for write in items(chunk, "pDescriptorWrites"):
                    self.writes.setdefault(resource(write, "dstSet"), []).append(write)
                for moved in items(chunk, "pDescriptorCopies"):
                    self.moved.add(resource(moved, "dstSet"))
            elif chunk.name.startswith("vkUpdateDescriptorSetWithTemplate"):
                self.moved.add(resource(chunk, "descriptorSet"))

    def kinds_of(self, layout):
        """(binding, descriptor type, count) by binding."""
        if layout not in self.kinds:
            info = next((self.file.chunks[i] for i in self.created.get(layout, ())
                         if self.file.chunks[i].name == "vkCreateDescriptorSetLayout"), None)
            if info is None:
                raise Unknown("a layout without its creation")
            self.kinds[layout] = sorted((number(one, "binding"), number(one, "descriptorType"), number(one, "descriptorCount"))
                                        for one in items(info.FindChild("CreateInfo"), "pBindings"))
        return self.kinds[layout]

    def written_once(self, one):
        """The writes into a set of this frame, if each element is written once and by no other call."""
        writes = self.writes.get(one, [])
        places = [(number(write, "dstBinding"), number(write, "dstArrayElement") + i)
                  for write in writes for i in range(number(write, "descriptorCount"))]
        if one in self.moved or not places or len(set(places)) != len(places):
            raise Unknown("a set that is written otherwise")
        return writes


class Follower:
    """The states of the draws of one pass, in their order."""

    def __init__(self, importer, sets, begin):
        self.importer, self.sets, self.event = importer, sets, begin
        self.now, self.pipeline = None, ""
        self.pipelines = {}  # snapshots of this pass by pipeline
        self.bound = {}  # by number: set, and dynamic offsets
        self.contents = {}  # by set: bindings, without dynamic offsets
        self.examples = {}  # by layout: bindings of some set
        self.views, self.samplers = {}, {}
        self.is_dynamic = False  # a viewport or scissor was set in the pass
        self.replays = 0

    def at(self, action):
        """The state at the next action."""
        if self.now is not None:
            try:
                self._apply(self._commands(action))
                self.importer.event = self.event = action.eventId
                return self.now
            except (Unknown, AttributeError, IndexError, KeyError, TypeError, ValueError):
                pass
        return self.replayed(action)

    def replayed(self, action):
        """The state at the action, by a replay."""
        self.importer.go(action.eventId)
        self.replays += 1
        self._note_bindings(action)
        self.event = action.eventId
        real = self.importer.c.GetVulkanPipelineState()
        for shader, stage in ((real.vertexShader, "vertex"), (real.fragmentShader, "fragment")):
            try:
                self.importer.module(shader, stage)
            except Exception:  # its draws say so
                pass
        self.now = snapshot(real)
        self.pipeline = str(self.now.graphics.pipelineResourceId)
        self.pipelines[self.pipeline] = copy.copy(self.now)
        try:
            self._learn_sets()
        except (Unknown, AttributeError, IndexError, KeyError, TypeError, ValueError):
            pass
        return self.now

    def _commands(self, action):
        """The commands after the last action, to this one."""
        events = self.importer.events
        first, end = (bisect.bisect_left(events, (event + 1, 0)) for event in (self.event, action.eventId))
        return [self.importer.file.chunks[chunk] for _, chunk in events[first:end]]

    def _note_bindings(self, action):
        """Notes the sets that the commands bind, with the dynamic offsets, which the state lacks."""
        for chunk in self._commands(action):
            if chunk.name == "vkCmdBindDescriptorSets":
                try:
                    self._bind_sets(chunk)
                except (Unknown, AttributeError, IndexError, KeyError, TypeError, ValueError):
                    self.bound.clear()

    def _bind_sets(self, chunk):
        """Notes the sets that a command binds. Returns their numbers."""
        if number(chunk, "pipelineBindPoint") != 0:
            return []
        first, offsets = number(chunk, "firstSet"), [one.AsInt() for one in items(chunk, "pDynamicOffsets")]
        listed = [str(one.AsResourceId()) for one in items(chunk, "pDescriptorSets")]
        for i, one in enumerate(listed):
            layout = self._layout(one)
            count = sum(many for _, kind, many in self.sets.kinds_of(layout) if kind in (UNIFORM_DYNAMIC, STORAGE_DYNAMIC))
            self.bound[first + i] = (one, offsets[:count])
            offsets = offsets[count:]
        return range(first, first + len(listed))

    def _layout(self, one):
        if one not in self.sets.layouts:
            raise Unknown("a set without its allocation")
        return self.sets.layouts[one]

    def _moved(self, one, bindings, offsets, sign):
        """Bindings with dynamic offsets added (1) or taken away (-1)."""
        result, offsets = copy.copy(bindings), list(offsets)
        for binding, kind, count in self.sets.kinds_of(self._layout(one)):
            if kind not in (UNIFORM_DYNAMIC, STORAGE_DYNAMIC):
                continue
            moved = copy.copy(result[binding])
            moved.binds = [copy.copy(bind) for bind in moved.binds]
            for bind in moved.binds[:count]:
                bind.byteOffset += sign * offsets.pop(0)
            result[binding] = moved
        return result

    def _learn_sets(self):
        for place, (one, offsets) in self.bound.items():
            shown = self.now.graphics.descriptorSets[place]
            if str(shown.descriptorSetResourceId) != one:
                continue
            self.contents[one] = self._moved(one, shown.bindings, offsets, -1)
            self.examples[str(shown.layoutResourceId)] = self.contents[one]
            for binding in shown.bindings:
                for bind in binding.binds:
                    self.views[str(bind.viewResourceId)] = bind
                    self.samplers[str(bind.samplerResourceId)] = bind

    def _content(self, one):
        """The bindings of a set: known from a replay, or from what the frame wrote into it."""
        if one in self.contents:
            return self.contents[one]
        example = self.examples.get(self._layout(one))
        if example is None:
            raise Unknown("a layout that no replay has shown")
        kinds = {binding: (kind, count) for binding, kind, count in self.sets.kinds_of(self._layout(one))}
        writes = self.sets.written_once(one)
        if sum(number(write, "descriptorCount") for write in writes) != sum(count for kind, count in kinds.values()):
            raise Unknown("a set that is written in part")
        result = copy.copy(example)
        for write in writes:
            at = number(write, "dstBinding")
            binding = copy.copy(result[at])
            binding.binds = list(binding.binds)
            first, kind = number(write, "dstArrayElement"), number(write, "descriptorType")
            for i in range(number(write, "descriptorCount")):
                binding.binds[first + i] = self._written(write, kind, i, binding.binds[first + i])
            result[at] = binding
        self.contents[one] = result
        return result

    def _written(self, write, kind, i, example):
        bind = copy.copy(example)
        if kind in BUFFERS:
            info = write.FindChild("pBufferInfo").GetChild(i)
            buffer = info.FindChild("buffer").AsResourceId()
            bind.resourceResourceId = rd.ResourceId(buffer)
            bind.byteOffset = info.FindChild("offset").AsInt()
            size = info.FindChild("range").AsInt()
            bind.byteSize = size if 0 <= size < 1 << 60 else 1 << 60
            return bind
        if kind not in (SAMPLER, COMBINED, SAMPLED_IMAGE):
            raise Unknown("a descriptor of another kind")
        info = write.FindChild("pImageInfo").GetChild(i)
        if kind != SAMPLED_IMAGE and not bind.immutableSampler:
            bind = copy.copy(self.samplers[resource(info, "sampler")])
        if kind != SAMPLER:
            view = self.views[resource(info, "imageView")]
            for name in VIEW_FIELDS:
                setattr(bind, name, getattr(view, name))
        return bind

    def _apply(self, commands):
        # All or nothing: a state in the middle is of no use.
        for chunk in commands:
            if chunk.name not in CHANGES_NOTHING | DRAWS | set(self.KNOWN):
                raise Unknown(chunk.name)
        state = copy.copy(self.now)
        pipeline = self.pipeline
        for chunk in commands:
            if chunk.name == "vkCmdBindPipeline":
                pipeline = self._use_pipeline(chunk, state, pipeline)
            elif chunk.name in self.KNOWN:
                self.KNOWN[chunk.name](self, chunk, state)
        self.now, self.pipeline = state, pipeline

    def _use_pipeline(self, chunk, state, before):
        if number(chunk, "pipelineBindPoint") != 0:
            raise Unknown("another kind of pipeline")
        pipeline = resource(chunk, "pipeline")
        if pipeline == before:
            return pipeline
        known = self.pipelines.get(pipeline)
        if known is None or self.is_dynamic:
            raise Unknown("a pipeline that no replay of the pass has shown")
        for name in OF_PIPELINE:
            setattr(state, name, getattr(known, name))
        assembly = copy.copy(known.inputAssembly)
        assembly.indexBuffer = state.inputAssembly.indexBuffer
        state.inputAssembly = assembly
        buffers = [copy.copy(one) for one in state.vertexInput.vertexBuffers]
        theirs = known.vertexInput.vertexBuffers
        for i, one in enumerate(theirs):
            if i < len(buffers):
                buffers[i].byteStride = one.byteStride
        if len(buffers) < len(theirs):
            raise Unknown("vertex buffers of which nothing is known")
        vertices = copy.copy(known.vertexInput)
        vertices.vertexBuffers = buffers
        state.vertexInput = vertices
        return pipeline

    def _use_sets(self, chunk, state):
        graphics = copy.copy(state.graphics)
        graphics.descriptorSets = list(graphics.descriptorSets)
        for place in self._bind_sets(chunk):
            one, offsets = self.bound[place]
            shown = copy.copy(graphics.descriptorSets[place])
            shown.bindings = self._moved(one, self._content(one), offsets, 1)
            graphics.descriptorSets[place] = shown
        state.graphics = graphics

    def _use_vertex_buffers(self, chunk, state):
        first = number(chunk, "firstBinding")
        vertices = copy.copy(state.vertexInput)
        vertices.vertexBuffers = [copy.copy(one) for one in vertices.vertexBuffers]
        for i, (buffer, offset) in enumerate(zip(items(chunk, "pBuffers"), items(chunk, "pOffsets"))):
            at = vertices.vertexBuffers[first + i]
            at.resourceId, at.byteOffset = rd.ResourceId(buffer.AsResourceId()), offset.AsInt()
        state.vertexInput = vertices

    def _use_index_buffer(self, chunk, state):
        assembly = copy.copy(state.inputAssembly)
        assembly.indexBuffer = types.SimpleNamespace(
            resourceId=rd.ResourceId(chunk.FindChild("buffer").AsResourceId()), byteOffset=number(chunk, "offset"),
            byteStride=INDEX_BYTES[number(chunk, "indexType")])
        state.inputAssembly = assembly

    def _views_of(self, state, first, changes):
        views = copy.copy(state.viewportScissor)
        views.viewportScissors = [copy.copy(one) for one in views.viewportScissors]
        for i, (name, value) in enumerate(changes):
            setattr(views.viewportScissors[first + i], name, value)
        state.viewportScissor = views
        self.is_dynamic = True

    def _use_viewports(self, chunk, state):
        def value(one):
            fields = ("x", "y", "width", "height", "minDepth", "maxDepth")
            return types.SimpleNamespace(**{name: one.FindChild(name).AsFloat() for name in fields})
        self._views_of(state, number(chunk, "firstViewport"), [("vp", value(one)) for one in items(chunk, "pViewports")])

    def _use_scissors(self, chunk, state):
        def value(one):
            offset, extent = one.FindChild("offset"), one.FindChild("extent")
            return types.SimpleNamespace(x=number(offset, "x"), y=number(offset, "y"), width=number(extent, "width"),
                                         height=number(extent, "height"))
        self._views_of(state, number(chunk, "firstScissor"), [("scissor", value(one)) for one in items(chunk, "pScissors")])

    KNOWN = {"vkCmdBindPipeline": _use_pipeline, "vkCmdBindDescriptorSets": _use_sets,
             "vkCmdBindVertexBuffers": _use_vertex_buffers, "vkCmdBindIndexBuffer": _use_index_buffer,
             "vkCmdSetViewport": _use_viewports, "vkCmdSetScissor": _use_scissors}
