#include "probe/watch.h"

#include "probe/picture.h"

namespace brokkr::probe {

double Watched::stall_part() const { return film.order.empty() ? 0 : stall.now / ranks_of(film); }

std::vector<uint32_t> Watched::picture(double part) const {
  const double all = ranks_of(film);
  const auto now = uint32_t(all * part);
  if (slow.empty() || now > stall.now) return film_picture(film, part);
  return stall_picture(film, stall_of(film, undisturbed, slow, now), slow, all);
}

Watched watch(Subject& subject, const Drawing& drawing) {
  Watched watched{.film = subject.draw(drawing)};
  if (drawing.slow.empty() || watched.film.order.empty()) return watched;
  Drawing quick = drawing;
  quick.slow.clear();
  watched.undisturbed = subject.draw(quick);
  for (const SlowPixel& pixel : drawing.slow) {
    if (watched.film.order[watched.film.at(pixel.x, pixel.y)] != kNever) watched.slow.emplace_back(pixel.x, pixel.y);
  }
  if (!watched.slow.empty()) watched.stall = stall_of(watched.film, watched.undisturbed, watched.slow);
  return watched;
}

}  // namespace brokkr::probe
