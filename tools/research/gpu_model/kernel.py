"""The work of run_frame's blocks in dependent accesses, changes of shared words and instructions.

Each number names the function from which it was read. A dependent access is one whose result the next step needs;
accesses that lanes or independent loads make together count once. Instructions are those of tools/sass-cost: the mean
of the least and the most of each pass.
"""
import dataclasses
import math
import random

from gpu_model.events import Access, Atomic, Change, Join, Wait, Word

# decide_next, decide and Root::choose for policy fill-level (pipeline/choose.h, pipeline/launch_tree.h).
DECIDE = 1  # read_status: five words, one per lane; before the barrier if ask_ahead is on (pipeline/kernel.h)
REPORT_RASTERIZERS = 1  # LaunchView::read, for ASKED of them: bit, count and wake do not depend on each other, nor do the bits of all
ASKED = 4 * 32  # kAskedTogether by a warp's width; more than kEnoughRasterizers
WORD = 32  # rasterizers to a word of bits (schedule/rasterizer_bits.h)
# run_task and process_batches (pipeline/kernel.h, geometry/geometry_stage.h).
OPEN_RUN = 3  # batch_run; run; draw and view, of a warp's first task
SAME_RUN = 1  # batch_run: the warp has the run
FETCH = 2  # indices; vertices, of a task's first batch
FETCH_NEXT = 1  # vertices: NextCorners has the indices
DISTRIBUTE = 1  # owners of bins; the masks of a warp lie in shared memory (kNearMasks)
PUT = 2  # put_lanes: the slot's ticket; the release that follows the element's words, which is a fence
# visit_rasterizer (raster/rasterizer.h, raster/pending.h, raster/order_free.h).
DRAIN = 3  # of up to 32 elements: count; slots; pending lists. Count and head are changed once
TOUCH = 2  # region_is_touched, of 32 elements: pending list; headers of their blocks
LOAD_KEYS = 2  # region's state; keys
BLOCK = 2  # rasterize_pending and rasterize_block, of a block: its header, its fields
# move_direct_keys (raster/order_free.h): four loads together, for a warp's share of 4096 samples.
LOAD_DIRECT = 4096 // 32 // 8 // 4
RETIRE = 2  # of 32 elements: header; references, which in most cases no other warp changes at that time
# sum_counters (pipeline/kernel.h), after the loop of a block: totals that are peaks are loaded, then each lane changes
# one.
END = 1
VISIT_SYNCS = 6  # barriers of a visit


@dataclasses.dataclass(frozen=True)
class Gpu:
    multiprocessors: int
    blocks_per_sm: int
    warps: int
    clock: float  # GHz
    fence: float  # ns
    cycles: float  # of a warp between two instructions, on average
    sync: float  # ns of a block's barrier
    bandwidth: float  # bytes per ns
    reductions: float  # of 64 bits in L2 per ns, at different addresses
    launch: float  # ns of the launch: its kernels before and after run_frame too


class Frame:
    """A frame of one order-free phase, by its counters (brokkr render --stats), and the instructions of its passes."""

    def __init__(self, statistics, plan, cost):
        self.s, self.plan, self.cost = statistics, plan, cost
        # Half of the triangles of their batches are kept: the others face away, or lie outside the picture or between
        # samples.
        batches = max(1, statistics["batches"])
        self.seen_batches = min(1.0, statistics["triangles_out"] / 16 / batches)
        self.direct_batches = min(1.0, statistics.get("triangles_direct", 0) / 16 / batches)

    def geometry_instructions(self):
        """Returns the instructions of a mean batch, those that filling a block adds, and those that drawing its
        triangles adds."""
        s, c = self.s, self.cost
        runs = s["vertex_shader_runs"] / max(1, s["batches"])
        shared = s["vertex_shader_runs"] < 2 * s["triangles_in"]
        passes = math.ceil(runs / 32) if shared else 1  # sub-batches of 32 vertices
        per_batch = passes * (self.seen_batches * c["geometry: 32 triangles, besides what follows"] +
                              (1 - self.seen_batches) * c["geometry: 32 triangles of which none is seen"])
        if shared:
            per_batch += (math.ceil(runs / 32) * c["geometry: transform 32 shared vertices"] +
                          3 * (c["geometry: find shared vertices of 32 corners"] + c["geometry: number them"]))
        kept = (c["geometry: write up to 32 records to a block"] + c["distribution: boxes of 32 triangles"] +
                c["distribution: bin of them"] + c["distribution: block to up to 32 rasterizers"])
        return per_batch, kept, self.small_instructions("direct: 32 small triangles", "direct")

    def small_instructions(self, first, way):
        """Of 32 small triangles. All lanes step over the samples of the largest box, half as long again as the mean."""
        s, c = self.s, self.cost
        side = 1.5 * (2 * s["fragments"] / max(1, s["triangles_out"])) ** 0.5
        return c[first] + side * c[f"{way}: row of samples"] + side ** 2 * c[f"{way}: step to the next sample"]

    def block_instructions(self):
        """Returns the instructions for one element of a rasterizer's queue."""
        s, c = self.s, self.cost
        return (self.small_instructions("small triangles: 32 of a block in a region", "small triangles") +
                s["fragments"] / max(1, s["queue_elements"]) / 32 * c["key: load, compare and swap, once"])

    def region_instructions(self, complete):
        """Instructions of all warps for one region of 64 x 64: its keys in and out, or keys in and covered colours out."""
        s, c = self.s, self.cost
        keys = 128 * c["keys: load 32 samples"]
        if not complete:
            return 2 * keys
        regions = max(1, s["bins_x"] * s["bins_y"])
        if s.get("triangles_direct", 0) > 0:
            keys += 32 * c["keys: 128 samples of small triangles"]
        return (keys + 128 * c["resolve: 32 samples"] +
                s["fragments_shaded"] / regions / 32 * c["resolve: colour of a pass, besides its shader"])


class Launch:
    """All blocks of a launch in one simulation."""

    def __init__(self, simulation, gpu, frame, ahead=True, bits=True, seed=1):
        self.ahead = ahead  # whether leading warps request their decisions' words before they meet the others
        self.by_bits = bits  # whether bits tell which rasterizers after the first ASKED may have work
        self.sim, self.gpu, self.frame, self.random = simulation, gpu, frame, random.Random(seed)
        s, p = frame.s, frame.plan
        self.tasks = -(-s["batches"] // p["task_batches"])
        self.next_task, self.completed_tasks = 0, 0
        self.free = p["store_blocks"]
        self.stock = [0] * self.blocks
        self.opened = [False] * self.blocks  # whether the block's warps have opened the run
        self.asked = [False] * self.blocks  # whether the next decision's words have arrived
        self.word = {name: Word(name) for name in
                     ("next_task", "completed", "finished", "free: count", "free: head", "free: tail", "total of a counter")}
        rasterizers = s["rasterizers"]
        self.queue = [0] * rasterizers
        self.promised = [0] * rasterizers  # elements in the queue or on their way to it
        self.pending = [0] * rasterizers
        self.claimed = [False] * rasterizers
        self.done = [False] * rasterizers
        self.queue_words = [(Word("rasterizer: count"), Word("rasterizer: tail"), Word("rasterizer: head")) for _ in range(rasterizers)]
        self.claims = [Word("claimed rasterizers") for _ in range(-(-rasterizers // WORD))]
        self.fills = [Word("filled rasterizers") for _ in self.claims]
        weights = s["rasterizer_fragments"]
        total = sum(weights) or 1
        self.weights = [w / total for w in weights]
        self.share = s["queue_elements"] / max(1, self.tasks)  # elements of a task, on average
        self.direct = s.get("triangles_direct", 0) > 0
        self.ids = list(range(rasterizers))
        self.cursor = [b * rasterizers // self.blocks for b in range(self.blocks)]
        self.visits = 0
        for b in range(self.blocks):
            simulation.start(self.block(b))

    @property
    def blocks(self):
        return self.gpu.multiprocessors * self.gpu.blocks_per_sm

    def compute(self, instructions, kind, warps=None):
        """Returns a warp's time for a number of instructions, while `warps` warps of its multiprocessor compute."""
        busy = (warps or self.gpu.warps) * self.gpu.blocks_per_sm
        cycles = max(self.gpu.cycles, busy / 4)
        return Wait(instructions * cycles / self.gpu.clock, kind)

    def block(self, b):
        spins = 0
        while True:
            asked, self.asked[b] = self.asked[b], False
            if not asked:
                yield Access(DECIDE, "decide")
            if all(self.done):
                yield from self.trim(b, 0)
                yield Access(END, "end of a block")
                yield Atomic(self.word["total of a counter"], "end of a block")
                return
            action, chosen = None, None
            ample = self.free * 4 >= self.frame.plan["store_blocks"] / 2
            if self.next_task >= self.tasks or not ample:
                chosen, asked = self.longest(b)
                for _ in range(asked):
                    yield Access(REPORT_RASTERIZERS, "decide")
            if chosen is not None:
                action = "visit"
            elif self.next_task < self.tasks:
                action = "geometry"
            if action is None and asked:
                continue
            if action is None:
                yield Wait(32 << min(spins, 4), "idle")  # pause (machine/atomic.h)
                spins += 1
                continue
            spins = 0
            if action == "visit":
                yield from self.visit(b, chosen)
            else:
                yield from self.geometry(b)
            yield Wait(3 * self.gpu.sync, "barriers")

    def longest(self, b):
        """Returns the longest queue among the first ASKED rasterizers after the block's last one, and the number of
        times that ASKED were asked. They are asked once, and again if bits say that one of them may have something to
        do (pipeline/launch_tree.h)."""
        n = len(self.queue)
        complete = self.completed_tasks >= self.tasks
        order = [(self.cursor[b] + i) % n for i in range(n)]
        asked = 0
        for first in range(0, n, ASKED):
            if first and self.by_bits and not any(self.may_have_work(r, complete) for r in order[first:first + ASKED]):
                continue
            asked += 1
            best = max(order[first:first + ASKED], key=lambda r: -1 if self.claimed[r] or self.done[r] else self.queue[r])
            ready = not self.claimed[best] and not self.done[best]
            if ready and (self.queue[best] > 0 or complete):
                self.cursor[b] = (best + 1) % n
                return best, asked
        return None, asked

    def may_have_work(self, r, complete):
        return not self.claimed[r] and not self.done[r] and (complete or self.queue[r] > 0)

    def geometry(self, b):
        want, each = self.gpu.warps, self.frame.plan["blocks_per_task"]
        missing = want * each - self.stock[b]
        if missing > 0:
            yield Atomic(self.word["free: count"], "stock")
            if self.free < missing:
                yield Atomic(self.word["free: count"], "stock")
                yield Wait(256, "idle")
                return
            self.free -= missing
            self.stock[b] += missing
            yield Atomic(self.word["free: head"], "stock")
            yield Access(2 * -(-missing // 32), "stock")
        yield Atomic(self.word["next_task"], "admission")
        count = min(want, self.tasks - self.next_task)
        self.next_task += max(0, count)
        if count <= 0:
            return
        sent = [0] * count
        yield Wait(self.gpu.sync, "barriers")
        yield Join(tuple(self.task(b, sent, i, count) for i in range(count)))
        yield Wait(self.gpu.sync, "barriers")
        self.stock[b] -= sum(sent)
        yield from self.trim(b)
        if self.frame.plan["counted"]:
            yield Atomic(self.word["completed"], "completion")
        else:
            for _ in range(2):
                yield Atomic(self.word["completed"], "completion")
            yield Access(2, "completion")
        self.completed_tasks += count

    def task(self, b, sent, i, warps):
        batches = self.frame.plan["task_batches"]
        each, kept, direct = self.frame.geometry_instructions()
        yield Access(SAME_RUN if self.opened[b] else OPEN_RUN, "geometry: memory")
        self.opened[b] = True
        for nth in range(batches):
            yield Access(FETCH if nth == 0 else FETCH_NEXT, "geometry: memory")
            yield self.compute(each, "geometry: instructions", warps)
            if self.random.random() < self.frame.direct_batches:  # keys are reductions, for which no warp waits
                yield self.compute(direct, "geometry: small triangles", warps)
        elements = int(self.share + self.random.random())
        if elements > 0:
            sent[i] = 1
            yield self.compute(kept, "geometry: instructions", warps)
            yield Access(DISTRIBUTE, "distribution")
            targets = self.random.choices(self.ids, self.weights, k=elements)
            yield Join(tuple(self.send(r) for r in targets))
        if i == 0 and self.ahead:
            yield Access(DECIDE, "decide")
            self.asked[b] = self.next_task < self.tasks

    def send(self, r):
        count, tail, _ = self.queue_words[r]
        yield Atomic(count, "distribution")
        self.promised[r] += 1
        if self.by_bits and self.promised[r] == 1:  # a release without a result
            yield Wait(self.gpu.fence, "distribution")
            yield Change(self.fills[r // WORD])
        yield Atomic(tail, "distribution")
        yield Access(PUT - 1, "distribution")
        yield Wait(self.gpu.fence, "distribution")
        self.queue[r] += 1

    def visit(self, b, r):
        yield Atomic(self.claims[r // WORD], "visits: memory")
        if self.claimed[r] or self.done[r]:
            return
        self.claimed[r] = True
        self.visits += 1
        complete = self.completed_tasks >= self.tasks
        if self.by_bits and not complete:
            yield Atomic(self.fills[r // WORD], "visits: memory")
        _, _, head = self.queue_words[r]
        got, self.queue[r] = self.queue[r], 0
        self.promised[r] -= got
        for _ in range(-(-got // 32) + 1):
            yield Atomic(self.queue_words[r][0], "visits: memory")
            yield Atomic(head, "visits: memory")
            yield Access(DRAIN, "visits: memory")
        yield Wait(VISIT_SYNCS * self.gpu.sync, "barriers")
        yield Access(TOUCH * -(-got // 32) + LOAD_KEYS, "visits: memory")
        if self.direct and complete:
            yield Access(LOAD_DIRECT, "visits: memory")
        each = -(-got // self.gpu.warps)
        if got:
            yield Access(BLOCK * each, "visits: memory")
            yield self.compute(each * self.frame.block_instructions(), "visits: instructions", min(got, self.gpu.warps))
        yield self.compute(self.frame.region_instructions(complete) / self.gpu.warps, "visits: instructions")
        if got:
            yield Access(RETIRE * -(-got // 32), "visits: memory")
            self.stock[b] += got
            yield from self.trim(b)
        self.claimed[r] = False
        if complete:
            self.done[r] = True
            yield Atomic(self.word["finished"], "visits: memory")
        else:
            yield Change(self.claims[r // WORD])

    def trim(self, b, keep=None):
        more = self.stock[b] - (self.frame.plan["stock_keep"] if keep is None else keep)
        if more <= 0:
            return
        self.stock[b] -= more
        for _ in range(-(-more // 32)):
            yield Atomic(self.word["free: count"], "stock")
            yield Atomic(self.word["free: tail"], "stock")
            yield Access(1, "stock")
            yield Wait(self.gpu.fence, "stock")
        self.free += more
