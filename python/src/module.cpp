#include "bind.h"

NB_MODULE(_brokkr, m) {
  bind_errors(m);
  bind_diff(m);
  bind_machines(m);
  bind_scene(m);
  bind_render(m);
}
