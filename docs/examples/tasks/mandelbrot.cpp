// Draws the Mandelbrot set by priorities: large squares first, and among them those that differ from the square around
// them. If it is stopped early, the picture is coarse in even areas and fine along the set's edge.
#include <brokkr/tasks.h>

#include <cstdio>
#include <vector>

using namespace brokkr;

constexpr uint32_t kSize = 512, kMost = 255, kSmallest = 1;

// The number of steps until z leaves the circle of radius 2, for one point per lane.
Uint steps_of(Float x, Float y) {
  Float re = 0.0f, im = 0.0f;
  Uint steps = 0u;
  Mask inside = true;
  for (uint32_t i = 0; i < kMost && Warp::any(inside); ++i) {
    const Float next = re * re - im * im + x;
    im = select(inside, 2.0f * re * im + y, im);
    re = select(inside, next, re);
    inside = inside && re * re + im * im <= 4.0f;
    steps += select(inside, 1u, 0u);
  }
  return steps;
}

struct Square;
using Root = Repeat<32, Discrete<3>, Queue<HasTasks, Square>>;  // 32 classes of word 3 of the payload, highest first

struct Picture {
  std::vector<uint8_t> steps = std::vector<uint8_t>(kSize * kSize);
  uint32_t squares = 0, limit = 0;  // 0: no limit
  TaskProgram<Root, Picture>* program = nullptr;

  template <class Worker>
  void seed(Worker& worker);
  void fill(uint32_t place, uint32_t side, uint32_t value) {
    for (uint32_t y = place >> 16; y < (place >> 16) + side; ++y)
      std::fill_n(&steps[y * kSize + (place & 0xffff)], side, uint8_t(value));
  }
};

// Payload: place (x, and y from bit 16 on), side, steps of the square around it, priority of 24 bits. One lane works on
// a square, so a warp works on one square per lane.
struct Square {
  static constexpr int kId = 0, kThreads = 1, kWords = 4;

  template <class Worker>
  static void execute(Worker& worker, const Uint (&payload)[kWords], Int, Mask active) {
    Picture& picture = worker.context();
    const Uint side = payload[1], half = side >> Uint(1u);
    const Float step = 3.0f / float(kSize), x = to_float(as_int(payload[0] & Uint(0xffffu))),
                y = to_float(as_int(payload[0] >> Uint(16u)));
    const Float middle = to_float(as_int(side)) * 0.5f;
    const Uint steps = steps_of((x + middle) * step - 2.2f, (y + middle) * step - 1.5f);
    const auto places = worker.warp().spill(payload[0]), sides = worker.warp().spill(side),
               found = worker.warp().spill(steps);
    worker.warp().for_lanes(active, [&](int i) { picture.fill(places[i], sides[i], found[i]); });

    const Uint change = select(steps > payload[2], steps - payload[2], payload[2] - steps);
    const Uint priority = minimum(side * (change + 1u) * 64u, 0xffffffu);
    const Mask splits = active && side > Uint(kSmallest);
    for (uint32_t quarter = 0; quarter < 4; ++quarter) {
      const Uint place =
          payload[0] + select(quarter % 2 == 1, half, Uint(0u)) + select(quarter / 2 == 1, half << Uint(16u), Uint(0u));
      const Uint next[kWords] = {place, half, steps, priority};
      worker.template enqueue<Square>(next, splits);  // if the queue is full, the quarter stays coarse
    }
    const uint32_t done = uint32_t(worker.warp().count(active));
    worker.warp().once([&] {
      const uint32_t before = device_atomic<uint32_t>(picture.squares).fetch_add(done, kRelaxed);
      if (picture.limit != 0 && before < picture.limit && before + done >= picture.limit) picture.program->stop();
    });
  }
};

template <class Worker>
void Picture::seed(Worker& worker) {
  if (worker.number() != 0) return;
  const Uint all[Square::kWords] = {0u, kSize, 0u, 0xffffffu};
  worker.template enqueue<Square>(all, worker.warp().first_lanes(1));
}

int write(const Picture& picture, const char* file) {
  std::FILE* out = std::fopen(file, "wb");
  if (out == nullptr) return 1;
  std::fprintf(out, "P5 %u %u 255\n", kSize, kSize);
  std::fwrite(picture.steps.data(), 1, picture.steps.size(), out);
  std::printf("%s: %u squares\n", file, picture.squares);
  return std::fclose(out);
}

int main() {
  Picture picture;
  TaskProgram<Root, Picture> program(picture, 1u << 18);
  picture.program = &program;
  picture.limit = 20000;
  program.run();
  if (write(picture, "mandelbrot-20000.pgm") != 0) return 1;
  if (!program.run() || program.refused() != 0) return 1;  // continues to the last pixel
  return write(picture, "mandelbrot.pgm");
}
