#!/usr/bin/env python3
"""The example of docs/guide/shading-modes.md, added as the page says to a copy of the tree, compiles into the kernel and the host.

    shader_page_test.py CXX SOURCE
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main():
    compiler, source = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shader, registration = re.findall(r"```cpp\n(// Cel shading.*?|#include.*?)```", (source / "docs/guide/shading-modes.md").read_text(),
                                      re.DOTALL)
    include, mode = registration.splitlines()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        for folder in ("src", "shaders"):
            shutil.copytree(source / folder, work / folder)
        (work / "shaders/toon.h").write_text(shader)
        registry = work / "src/engine/brokkr/shadings.def"
        text = registry.read_text()
        registry.write_text(text.replace("#undef BROKKR_SHADING\n", f"{mode}\n#undef BROKKR_SHADING\n"))
        user_of_shaders = work / "src/engine/raster/shade.h"
        user_of_shaders.write_text(user_of_shaders.read_text().replace('#include "wireframe.h"\n',
                                                                       f'#include "wireframe.h"\n{include}\n'))
        user = work / "user.cpp"
        user.write_text('#include "brokkr/choices.h"\n#include <string_view>\n'
                        'static_assert(std::string_view(brokkr::name_of(brokkr::Shading::toon)) == "toon");\n')
        kernel = ("-DBROKKR_ISA=emulated", "-DBROKKR_ISA_EMULATED=1", "src/engine/pipeline/cpu_kernel.cpp")
        for arguments in ((str(user),), ("src/engine/raster/shading_traits.cpp",), kernel):
            subprocess.run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wno-psabi",
                            "-Wno-missing-field-initializers", "-Werror", "-Isrc/engine", "-Ishaders", *arguments], cwd=work, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
