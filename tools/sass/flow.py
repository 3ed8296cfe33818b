"""Functions of a disassembly as control flow graphs, their loops, and the paths through them."""
import re

from .toolkit import plain_name


# Instructions and stack accesses are summed in one number. If two paths have as many instructions, the one with fewer
# accesses is the shorter.
STACK = 1 << 20


class Instruction:
    def __init__(self, address, text, file, line):
        self.address, self.file, self.line = address, file, line
        match = re.match(r"(@!?U?P\w+\s+)?([\w.]+)\s*(.*)", text)
        self.predicated, self.opcode, self.operands = bool(match.group(1)), match.group(2), match.group(3)
        self.labels = re.findall(r"\.L_x_\d+", text)


class Function:
    """Instructions of one function in blocks, with their successors."""

    def __init__(self, symbol):
        self.symbol, self.name = symbol, plain_name(symbol)
        self.code, self.labels = [], {}

    def finish(self):
        n = len(self.code)
        starts, sync, open_sync, all_sync = {0, *self.labels.values()}, {}, {}, {}
        for instruction in self.code:
            if instruction.opcode.startswith("BSSY") and instruction.labels:
                all_sync.setdefault(re.search(r"\bB\d+", instruction.operands).group(), set()).add(
                    self.labels.get(instruction.labels[0]))
        for i, instruction in enumerate(self.code):
            barrier = re.search(r"\bB\d+", instruction.operands)
            if instruction.opcode.startswith("BSSY") and barrier and instruction.labels:
                open_sync[barrier.group()] = instruction.labels[0]
            elif instruction.opcode.startswith("BSYNC") and barrier:
                # Nearly always the next instruction; otherwise the target of the last BSSY before it in the code.
                beside = i + 1 in all_sync.get(barrier.group(), ())
                sync[i] = None if beside else open_sync.get(barrier.group())
            if self.ends_block(instruction):
                starts.add(i + 1)
        starts = sorted(s for s in starts if s < n)
        self.blocks = [range(a, b) for a, b in zip(starts, [*starts[1:], n])]
        number = {a: i for i, a in enumerate(starts)}
        self.next = []
        for block in self.blocks:
            last, after = self.code[block[-1]], number.get(block[-1] + 1)
            fall = [] if after is None else [after]
            there = [number[self.labels[label]] for label in last.labels if label in self.labels]
            if last.opcode.startswith(("EXIT", "RET", "BPT")):
                there, fall = [], fall if last.predicated else []
            elif last.opcode.startswith("BSYNC"):
                target = sync[block[-1]]
                there, fall = ([number[self.labels[target]]], []) if target in self.labels else ([], fall)
            elif last.opcode.startswith(("BRA.DIV", "BRA.CONV", "BSSY", "CALL", "WARPSYNC")):
                there = []
            elif last.opcode.startswith(("BRA", "BRX", "JMP")):
                conditional = last.predicated or re.match(r"!?U?P\w", last.operands) is not None
                fall = fall if conditional or not there else []
            else:
                there = []
            self.next.append(sorted(set(there + fall)))
        self.loops = self.find_loops()

    @staticmethod
    def ends_block(instruction):
        return instruction.opcode.startswith(("BRA", "BRX", "JMP", "EXIT", "RET", "BSYNC"))

    def find_loops(self):
        """Returns natural loops as {head: blocks}, by dominators."""
        order, seen, stack = [], {0}, [(0, iter(self.next[0]))]
        while stack:
            block, rest = stack[-1]
            for follower in rest:
                if follower not in seen:
                    seen.add(follower)
                    stack.append((follower, iter(self.next[follower])))
                    break
            else:
                order.append(block)
                stack.pop()
        order.reverse()
        self.reached, place = seen, {b: i for i, b in enumerate(order)}
        before = {b: [] for b in seen}
        for b in seen:
            for follower in self.next[b]:
                before[follower].append(b)
        parent, changed = {0: 0}, True
        while changed:
            changed = False
            for b in order[1:]:
                new = None
                for p in (p for p in before[b] if p in parent):
                    if new is None:
                        new = p
                    else:
                        a, c = new, p
                        while a != c:
                            while place[a] > place[c]:
                                a = parent[a]
                            while place[c] > place[a]:
                                c = parent[c]
                        new = a
                if parent.get(b) != new:
                    parent[b], changed = new, True
        self.place = place

        def dominates(a, b):
            while place[b] > place[a]:
                b = parent[b]
            return a == b
        loops = {}
        for b in seen:
            for head in self.next[b]:
                if dominates(head, b):
                    body, stack = loops.setdefault(head, {head}), [b]
                    while stack:
                        x = stack.pop()
                        if x not in body:
                            body.add(x)
                            stack.extend(before[x])
        return loops

    def cost(self, body, head, via=()):
        """Returns three costs of `body`, from head back to it or to the end of the function: that of the shortest path
        that passes each set of blocks of `via` in turn, that of the longest path, and that of all blocks together. Each
        is a pair: instructions, and the accesses to a thread's stack among them. An inner loop costs nothing from its
        head to its exits."""
        inner = {}
        for other, blocks in self.loops.items():
            if other != head and other in body and blocks < body:
                for b in blocks:
                    if b not in inner or len(self.loops[inner[b]]) < len(blocks):
                        inner[b] = other
        nodes = sorted({inner.get(b, b) for b in body}, key=self.place.get)
        reach = {head: {0: (0, 0)}}  # paths so far, by the number of passed `via` blocks: (least, most)
        ends = []
        whole = head not in self.loops or body is self.reached
        for node in nodes:
            if node not in reach:
                continue
            blocks = self.loops[node] if node in inner else {node}
            weight = 0 if node in inner else self.weight(node)
            ways = {}
            for passed, (least, most) in reach[node].items():
                while passed < len(via) and blocks & via[passed]:
                    passed += 1
                old = ways.get(passed, (1 << 60, 0))
                ways[passed] = min(old[0], least + weight), max(old[1], most + weight)
            followers = {f for b in blocks for f in self.next[b] if f not in blocks or (f == head and node not in inner)}
            if (whole and not followers) or (not whole and head in followers):
                ends.append(ways)
            for f in {inner.get(f, f) for f in followers}:
                if f == head or f not in nodes or self.place[f] <= self.place[node]:
                    continue
                there = reach.setdefault(f, {})
                for passed, (least, most) in ways.items():
                    old = there.get(passed, (1 << 60, 0))
                    there[passed] = min(old[0], least), max(old[1], most)
        done = [ways[len(via)] for ways in ends if len(via) in ways]
        if not done:
            return None
        found = (min(d[0] for d in done), max(m for ways in ends for _, m in ways.values()),
                 sum(self.weight(b) for b in body if b not in inner))
        return tuple(divmod(weight, STACK) for weight in found)

    def weight(self, block):
        """A block's instructions times STACK, and of them the accesses to a thread's stack: spills, arrays, arguments."""
        opcodes = [self.code[i].opcode for i in self.blocks[block]]
        return (STACK * sum(not opcode.startswith("NOP") for opcode in opcodes) +
                sum(opcode.startswith(("LDL", "STL")) for opcode in opcodes))

    def all_code(self, blocks):
        return [self.code[i] for b in blocks for i in self.blocks[b]]


def read_functions(text):
    functions, current, file, line = [], None, "", 0
    for row in text.splitlines():
        if match := re.match(r"\s*//## File \"([^\"]*)\", line (\d+)", row):
            file, line = match.group(1), int(match.group(2))
        elif match := re.match(r"\s*\.section\s+\.text\.(\S+),", row):
            current = None
        elif match := re.match(r"([$\w]+):\s*$", row):
            if match.group(1) not in ("", current and current.symbol):
                current = Function(match.group(1))
                functions.append(current)
        elif match := re.match(r"(\.L_x_\d+):", row):
            if current:
                current.labels[match.group(1)] = len(current.code)
        elif (match := re.match(r"\s*/\*([0-9a-f]+)\*/\s+\{?\s*(.*?)\s*;", row)) and current:
            current.code.append(Instruction(int(match.group(1), 16), match.group(2), file, line))
    functions = [f for f in functions if f.code]
    for function in functions:
        function.labels = {label: at for label, at in function.labels.items() if at < len(function.code)}
        function.finish()
    return functions
