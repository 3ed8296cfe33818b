// Size and storage of the measured queues (lab/queue/queue_base.h), for host and device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "queue/queue_memory.h"

namespace brokkr {

// The queues by name with their properties: [Kerbl18, Table 4.1] as data, beside the properties of these
// implementations.
enum class QueueKind : uint32_t {
  bq,
  bwd,
  bsq,
  gq,
  msq,
  dual_mutex,
  shcq,
  tzq,
  baq,
  cbq,
  htq,
  lcrq,
  sfq,
  nsfq,
  wfq,
  biq,
  mcq
};
inline constexpr int kQueueKinds = 17;

enum class Claim : uint8_t { no, partial, yes };

// The rows of [Kerbl18, Table 4.1].
struct QueueClaims {
  Claim scalable;       // unique places by fetch-and-add: no retries of failed compare-and-swaps
  Claim fair;           // a thread gets its place immediately: interference never makes it start over
  Claim linearizable;   // as if each operation took effect at one moment between call and return
  Claim low_footprint;  // few registers
  Claim static_memory;  // elements need no allocation
  Claim paradigms;      // every lane of a warp may use it separately
  Claim multi_queue;    // full and empty are reported, not waited for
  Claim multi_element;  // several elements with one operation
};

struct QueueTraits {
  QueueKind kind;
  const char* name;
  const char* title;
  const char* source;
  // As printed. The table omits BWD and BSQ; their claims follow [Kerbl18, 4.5]. BIQ and MCQ, which are younger or for
  // CPUs, have the claims of the implementation here.
  QueueClaims table;
  QueueClaims here;        // claims of the implementation in this folder
  const char* difference;  // why the two differ; "" if they do not
};

// Indexed by QueueKind.
inline constexpr std::array<QueueTraits, kQueueKinds> kQueueTraits = [] {
  // Eight letters in the order of QueueClaims: Y, N, or P for partial.
  const auto claims = [](const char* text) {
    const auto claim = [&](size_t i) {
      return text[i] == 'Y' ? Claim::yes : text[i] == 'P' ? Claim::partial : Claim::no;
    };
    return QueueClaims{claim(0), claim(1), claim(2), claim(3), claim(4), claim(5), claim(6), claim(7)};
  };
  struct Letters {
    const char* table;
    const char* difference = "";
    const char* here = nullptr;  // null: as in the table
  };
  const auto queue = [&](QueueKind kind, const char* name, const char* title, const char* source,
                         const Letters& letters) {
    return QueueTraits{kind,
                       name,
                       title,
                       source,
                       claims(letters.table),
                       claims(letters.here == nullptr ? letters.table : letters.here),
                       letters.difference};
  };
  const char* pool =
      "nodes come from a pool of fixed size through a free list instead of a memory manager; still one per element";
  return std::array<QueueTraits, kQueueKinds>{{
      queue(QueueKind::bq, "BQ", "broker queue", "Kerbl 2018, 4.3, Algorithm 1", {"YYYYYYYY"}),
      queue(QueueKind::bwd, "BWD", "broker work distributor", "Kerbl 2018, 4.5.1", {"YYNYYYYY"}),
      queue(QueueKind::bsq, "BSQ", "broker stealing queue", "Kerbl 2018, 4.5.2",
            {"YYNYYYYY", "one element at a time; an element that finds its home full goes to the next block's queue",
             "YYNYYYYN"}),
      queue(QueueKind::gq, "GQ", "Gottlieb's queue", "Gottlieb, Lubachevsky and Rudolph 1983", {"YNNYYYYN"}),
      queue(QueueKind::msq, "MSQ", "Michael-Scott queue", "Michael and Scott 1996", {"NNYYNYYN", pool}),
      queue(QueueKind::dual_mutex, "2MQ", "dual mutex queue", "Michael and Scott 1996, two-lock queue",
            {"NNYYYYYY", "the two locks guard the ends of a ring, not of a list"}),
      queue(QueueKind::shcq, "SHCQ", "Shann's queue", "Shann, Huang and Chen 2000; Colvin and Groves 2005",
            {"NNNYNYYN",
             "checks whether the queue is full or empty before it reads the slot, a check that Colvin and Groves found "
             "missing; elements of 31 bits are stored in the slots with their counts",
             "NNYYYYYN"}),
      queue(
          QueueKind::tzq, "TZQ", "Tsigas-Zhang queue", "Tsigas and Zhang 2001",
          {"NNYYNYYN",
           "slots count their laps, whereas the original alternates between two kinds of null, so that no element or "
           "null can be mistaken for an earlier one; elements of 31 bits are stored in the slots. The table calls the "
           "original linearizable, the text does not",
           "NNYYYYYN"}),
      queue(QueueKind::baq, "BAQ", "baskets queue", "Hoffman, Shalev and Shavit 2007", {"NNYYNYYN", pool}),
      queue(QueueKind::cbq, "CBQ", "circular buffer queue", "Orozco et al. 2012",
            {"YYYYNNNN", "elements are stored in the slots", "YYYYYNNN"}),
      queue(QueueKind::htq, "HTQ", "high-throughput queue", "Orozco et al. 2012",
            {"YNNYNYYN", "elements are stored in the slots", "YNNYYYYN"}),
      queue(QueueKind::lcrq, "LCRQ", "linked concurrent ring queue", "Morrison and Afek 2013",
            {"YPYNNYYN",
             "31-bit elements and 31-bit positions share one 64-bit word, whereas the original swaps 128 bits; rings "
             "come from a pool and are reused; while one thread collects rings, others that need one wait"}),
      queue(QueueKind::sfq, "SFQ", "Scogland-Feng queue, blocking", "Scogland and Feng 2015", {"YYYYYNNN"}),
      queue(QueueKind::nsfq, "NSFQ", "Scogland-Feng queue, non-blocking", "Scogland and Feng 2015", {"NNYYYYYN"}),
      queue(QueueKind::wfq, "WFQ", "wait-free queue", "Yang and Mellor-Crummey 2016",
            {"YPYNNYYN",
             "segments come from a ring of fixed size; wait-free while that suffices, otherwise an operation waits for "
             "the slowest thread to leave a segment, or reports that the queue is full"}),
      queue(QueueKind::biq, "BIQ", "broker index queue", "Kenzel et al. 2023 (AnyQ)", {"YYNYYYYN"}),
      queue(QueueKind::mcq, "MCQ", "queue of producers' queues", "Desrochers 2014 (moodycamel::ConcurrentQueue)",
            {"YNNNNYYN"}),
  }};
}();

constexpr const QueueTraits& queue_traits(QueueKind kind) { return kQueueTraits[size_t(kind)]; }

enum class Outcome : uint32_t { done, refused, aborted };

inline constexpr uint32_t kMaxQueueValue = 0x7ffffffdu;

struct QueueShape {
  uint32_t capacity = 1024;  // minimum number of elements that fit, a power of two, 2 .. 2^26
  uint32_t threads = 1;      // users of the queue, 1 .. 2^20
  uint32_t homes = 1;        // BSQ: queues to steal from; thread i's home is i / (threads / homes)
  uint32_t segment = 256;    // LCRQ, WFQ: slots per ring or segment, a power of two, 2 .. 2^16
};

struct QueueStorage {
  std::byte* memory = nullptr;  // prepared
  uint32_t* abort = nullptr;    // not 0: every wait ends; nullptr: never
  QueueShape shape;
};

// The memory of SlotPointers (lab/queue/slot_pointers.h): control words, and slots of a ticket and the element's words.
constexpr size_t slot_pointer_bytes(uint32_t capacity, uint32_t words) {
  return sizeof(QueueControl) + size_t(capacity) * (words + 1) * sizeof(uint32_t);
}

// Throws std::invalid_argument for an invalid shape.
void check_queue_shape(const QueueShape& shape);

}  // namespace brokkr
