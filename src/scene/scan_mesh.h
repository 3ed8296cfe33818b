// A closed mesh of the kind that range scans are turned into: irregular, and numbered slice by slice.
#pragma once

#include "scene/mesh_builder.h"

namespace brokkr {

// Polygonizes a knotty figure of about two units with surface nets [Gibson98] on `cells`^3 cells: a vertex in each cell
// that the surface passes, two triangles across each grid edge that it cuts. `cells` 8 .. 2048.
void add_scan(MeshBuilder& mesh, int cells);

// The number of cells for which add_scan makes about `triangles` triangles.
int scan_cells(int triangles);

}  // namespace brokkr
