#!/usr/bin/env python3
"""Optional parts of the build, absent and half installed: AUTO leaves each out in one line, ON ends in an error that names
the option. Configures, and builds nothing.

    optional_parts_test.py CMAKE BUILD    # BUILD: a build whose compiler checks are used again
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop()).resolve()
CMAKE = sys.argv.pop()
SOURCE = pathlib.Path(__file__).resolve().parents[3]
ABSENT = ["-DCMAKE_DISABLE_FIND_PACKAGE_glfw3=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON", "-DCMAKE_DISABLE_FIND_PACKAGE_embree=ON",
          "-DBROKKR_LIBRARY_glslang=", "-DCMAKE_DISABLE_FIND_PACKAGE_draco=ON", "-DBROKKR_WEBP_LIBRARY="]
# The line that each part is left out with, and the option that insists on it.
LINES = {"Ranks over MPI": "BROKKR_RANKS", "Viewer": "BROKKR_VIEWER", "Run-time shaders": "BROKKR_SHADERS",
         "brokkr-trace-embree": "BROKKR_EMBREE",
         "glTF's Draco meshes": "BROKKR_DRACO", "WebP pictures": "BROKKR_WEBP"}
OPTIONS = [*LINES.values(), "BROKKR_CUDA", "BROKKR_REFERENCE"]


def only(*options):
    """The settings that leave all other optional parts out."""
    return [f"-D{option}=OFF" for option in OPTIONS if option not in options]


def cached(name):
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.split("=", 1)[1]
    return ""


def find_nvcc():
    found = shutil.which("nvcc", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin", "/opt/cuda/bin"]))
    return os.environ.get("CUDACXX") or found


class OptionalParts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.number = 0

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def write(self, name, text, mode=0o644):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        return path

    def broken(self):
        """A prefix with packages of which a part is missing, and the settings that make CMake find them."""
        self.write("modules/FindMPI.cmake", """
add_library(MPI::MPI_C INTERFACE IMPORTED)
set_target_properties(MPI::MPI_C PROPERTIES INTERFACE_INCLUDE_DIRECTORIES /nowhere/openmpi/include)
set(MPI_C_FOUND TRUE)
set(MPI_FOUND TRUE)
""")
        self.write("prefix/lib/cmake/glfw3/glfw3Config.cmake", "include(/nowhere/glfw3Targets.cmake)\n")
        self.write("prefix/lib/cmake/glfw3/glfw3ConfigVersion.cmake", "set(PACKAGE_VERSION 3.3.8)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
        self.write("prefix/lib/cmake/embree/embree-config.cmake", "message(FATAL_ERROR \"half installed\")\n")
        self.write("prefix/lib/cmake/embree/embree-config-version.cmake", "set(PACKAGE_VERSION 3.13)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
        self.write("prefix/lib/cmake/draco/draco-config.cmake", "include(/nowhere/draco-targets.cmake)\n")
        self.write("prefix/lib/cmake/draco/draco-config-version.cmake", "set(PACKAGE_VERSION 1.5)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
        return [f"-DCMAKE_MODULE_PATH={self.folder}/modules", f"-DCMAKE_PREFIX_PATH={self.folder}/prefix",
                f"-DBROKKR_LIBRARY_SPIRV-Tools-opt={self.empty_library()}", f"-DBROKKR_WEBP_LIBRARY={self.empty_library()}"]

    def empty_library(self):
        return self.write("libempty.a", "!<arch>\n")

    def new_build(self):
        """A build folder in which CMake finds the compilers checked, and GLAD's sources made."""
        type(self).number += 1
        build = self.folder / f"build-{self.number}"
        for found in (BUILD / "CMakeFiles").glob("*/CMake*.cmake"):
            if "CUDA" not in found.name:
                target = build / "CMakeFiles" / found.parent.name / found.name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(found, target)
        if (BUILD / "glad").exists():
            shutil.copytree(BUILD / "glad", build / "glad")
        return build

    def configure(self, build, *settings, code=0, **environment):
        words = [CMAKE, "-S", SOURCE, "-B", build, "-G", cached("CMAKE_GENERATOR"), "-DCMAKE_BUILD_TYPE=Release", "-DBROKKR_TESTS=OFF",
                 "-DCMAKE_C_COMPILER_LAUNCHER=", "-DCMAKE_CXX_COMPILER_LAUNCHER=", *settings]
        run = subprocess.run(words, capture_output=True, text=True, timeout=600, env={**os.environ, **environment})
        said = run.stdout + run.stderr
        self.assertEqual(run.returncode != 0, code != 0, said)
        return said

    def left_out(self, said, part):
        lines = [line for line in said.splitlines() if line.startswith(f"-- {part}: left out, ")]
        self.assertEqual(len(lines), 1, f"{part}\n{said}")
        return lines[0]

    def insists(self, build, lines, *settings, **environment):
        """Each part of `lines` ends in an error where its option is ON and the others are OFF; with all of them OFF the
        build is configured."""
        off = [f"-D{option}=OFF" for option in lines.values()]
        for part, option in lines.items():
            said = self.configure(build, *settings, *off, f"-D{option}=ON", code=1, **environment)
            self.assertIn(f"or set {option}=OFF", " ".join(said.split()))
            self.assertIn(part, said)
        said = self.configure(build, *settings, *off, **environment)
        for part in lines:
            self.assertNotRegex(said, f"-- {part}.*: left out")

    def check_all(self, *settings):
        build = self.new_build()
        said = self.configure(build, *only(*LINES.values()), *settings)
        lines = {part: self.left_out(said, part) for part in LINES}
        self.insists(build, LINES)
        return lines

    def test_absent(self):
        lines = self.check_all(*ABSENT)
        self.assertIn("GLFW", lines["Viewer"])

    def test_broken(self):
        lines = self.check_all(*self.broken())
        self.assertIn("/nowhere/openmpi/include", lines["Ranks over MPI"])
        self.assertIn("half installed", lines["brokkr-trace-embree"])

    def test_window_and_glad(self):
        """Dear ImGui absent and broken, GLAD absent (no Python has it) and broken (it fails)."""
        rest = only("BROKKR_VIEWER", "BROKKR_REFERENCE")
        self.write("no-glad/venv.py", "raise SystemExit(1)\n")
        self.write("no-glad/glad.py", "raise ImportError('no glad here')\n")
        self.write("bad-glad/jinja2.py", "")
        self.write("bad-glad/glad/__init__.py", "")
        self.write("bad-glad/glad/__main__.py", "raise SystemExit('half installed')\n")
        self.write("bad-glad/glad2-2.0.8.dist-info/METADATA", "Metadata-Version: 2.1\nName: glad2\nVersion: 2.0.8\n")
        for library, glad in (("", "no-glad"), (self.empty_library(), "bad-glad")):
            build = self.new_build()
            shutil.rmtree(build / "glad", ignore_errors=True)
            python = {"PYTHONPATH": str(self.folder / glad)}
            said = self.configure(build, *rest, f"-DBROKKR_IMGUI_LIBRARY={library}", **python)
            self.assertIn("Dear ImGui", self.left_out(said, "Viewer"))
            self.assertIn("GLAD", self.left_out(said, "OpenGL reference and its tests"))
            self.insists(build, {"OpenGL reference": "BROKKR_REFERENCE", "Viewer": "BROKKR_VIEWER"}, **python)

    def test_cuda(self):
        """A driver without nvcc, with an nvcc that fails, and nvcc without a driver."""
        nvcc = self.write("nvcc", "#!/bin/sh\necho half installed >&2\nexit 1\n", 0o755)
        part = {"CUDA machine": "BROKKR_CUDA"}
        build = self.new_build()
        said = self.configure(build, *only("BROKKR_CUDA"), "-DBROKKR_CUDA_DRIVER=/dev/nvidiactl", "-DBROKKR_NVCC=", CUDACXX="")
        self.assertIn("nvcc was not found", self.left_out(said, "CUDA machine"))
        self.insists(build, part, CUDACXX="")
        said = self.configure(build, "-DBROKKR_CUDA=AUTO", CUDACXX=str(nvcc))
        self.assertIn("does not work", self.left_out(said, "CUDA machine"))
        self.insists(build, part, CUDACXX=str(nvcc))
        said = self.configure(build, "-DBROKKR_CUDA=AUTO", "-DBROKKR_CUDA_DRIVER=", CUDACXX=str(nvcc))
        self.assertIn("tools/run --cuda", self.left_out(said, "CUDA machine"))

    @unittest.skipUnless(find_nvcc(), "no nvcc here")
    def test_nccl(self):
        """NCCL needs the CUDA machine. With that, the first program of tools/run still waits for nothing of nvcc."""
        part, nvcc = {"NCCL": "BROKKR_NCCL"}, {"CUDACXX": find_nvcc()}
        build = self.new_build()
        said = self.configure(build, *only("BROKKR_CUDA"), "-DBROKKR_CUDA=ON", "-DBROKKR_NCCL_INCLUDE_DIR=", **nvcc)
        self.assertIn("nccl.h was not found", self.left_out(said, "NCCL"))
        self.insists(build, part, **nvcc)
        self.write("nccl/nccl.h", "#error half installed\n")
        said = self.configure(build, "-DBROKKR_NCCL=AUTO", f"-DBROKKR_NCCL_INCLUDE_DIR={self.folder}/nccl", **nvcc)
        self.assertIn("half installed", self.left_out(said, "NCCL"))
        self.insists(build, part, **nvcc)
        if (build / "build.ninja").exists():
            inputs = ["ninja", "-C", build, "-t", "inputs", "first/brokkr"]
            self.assertNotRegex(subprocess.run(inputs, capture_output=True, text=True, check=True).stdout, r"\.(cu|cu\.o|fatbin|ptx)\n")


if __name__ == "__main__":
    unittest.main()
