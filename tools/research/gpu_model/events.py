"""A discrete-event simulation: processes are generators that yield the event for which they wait.

    yield Wait(ns)            time passes
    yield Access(word)        a dependent access to memory that no other process changes at the same time
    yield Atomic(word)        a read-modify-write of a word: those of one word are served one after the other
    yield Change(word)        the same without waiting for the result
    yield Join(processes)     starts processes, continues when all have ended
"""
import dataclasses
import heapq
import itertools


@dataclasses.dataclass
class Word:
    """A shared word: the number of its changes, and the total time for which accesses waited for others."""
    name: str
    free: float = 0.0
    changes: int = 0
    waited: float = 0.0


@dataclasses.dataclass(frozen=True)
class Wait:
    ns: float
    kind: str


@dataclasses.dataclass(frozen=True)
class Access:
    trips: float
    kind: str


@dataclasses.dataclass(frozen=True)
class Atomic:
    word: Word
    kind: str


@dataclasses.dataclass(frozen=True)
class Change:
    word: Word


@dataclasses.dataclass(frozen=True)
class Join:
    processes: tuple


class Simulation:
    """`trip`: ns of a round trip to L2; `turn`: ns for which an atomic occupies its word."""

    def __init__(self, trip, turn):
        self.trip, self.turn, self.now, self.times = trip, turn, 0.0, {}
        self._queue, self._number = [], itertools.count()

    def start(self, process, parent=None):
        heapq.heappush(self._queue, (self.now, next(self._number), process, parent))

    def run(self):
        while self._queue:
            self.now, _, process, parent = heapq.heappop(self._queue)
            try:
                request = process.send(None)
            except StopIteration:
                if parent is not None:
                    parent[0] -= 1
                    if parent[0] == 0:
                        self.start(parent[1], parent[2])
                continue
            if isinstance(request, Join):
                if not request.processes:
                    self.start(process, parent)
                    continue
                group = [len(request.processes), process, parent]
                for child in request.processes:
                    self.start(child, group)
                continue
            heapq.heappush(self._queue, (self._end(request), next(self._number), process, parent))
        return self.now

    def _end(self, request):
        if isinstance(request, Change):
            self._serve(request.word)
            return self.now
        if isinstance(request, Wait):
            end = self.now + request.ns
        elif isinstance(request, Access):
            end = self.now + request.trips * self.trip
        else:
            end = self._serve(request.word) + self.trip / 2
        self.times[request.kind] = self.times.get(request.kind, 0.0) + end - self.now
        return end

    def _serve(self, word):
        """Returns the time at which a word that is requested now has been changed."""
        arrival = self.now + self.trip / 2
        begin = max(arrival, word.free)
        word.free = begin + self.turn
        word.changes += 1
        word.waited += begin - arrival
        return word.free
