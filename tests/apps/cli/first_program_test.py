#!/usr/bin/env python3
"""What tools/run builds: before the picture the kernel of this processor, and nothing of other kernels or of nvcc; after it
all that `cmake --install` copies.

    first_program_test.py BUILD ISA    # ISA: of the one kernel that first/brokkr holds

Exit status 77: BUILD is not a build of ninja's.
"""
import pathlib
import re
import subprocess
import sys
import unittest


def inputs(build, target):
    """All that ninja makes or reads before `target`, with what targets only wait for."""
    run = subprocess.run(["ninja", "-C", build, "-t", "inputs", target], capture_output=True, text=True, check=True)
    return run.stdout.splitlines()


class FirstProgram(unittest.TestCase):
    def setUp(self):
        self.inputs = inputs(BUILD, "first/brokkr")

    def test_has_the_kernel_of_this_processor_alone(self):
        kernels = {found.group(1) for found in (re.search(r"_kernel_(\w+)\.dir/", name) for name in self.inputs) if found}
        self.assertEqual(kernels, {ISA})
        self.assertTrue([name for name in self.inputs if name.endswith(f"_kernel_{ISA}.dir/pipeline/cpu_kernel.cpp.o")])

    def test_has_nothing_that_nvcc_makes(self):
        made = [name for name in self.inputs if re.search(r"\.(cu|cu\.o|ptx|fatbin|cubin)$", name)]
        self.assertEqual(made, [])

    def test_has_nothing_that_no_command_uses(self):
        self.assertEqual([name for name in self.inputs if "/diff/" in name], [])

    def test_has_nothing_of_research(self):
        self.assertEqual([name for name in self.inputs if "research/" in name and not name.endswith("CMakeLists.txt")], [])

    def test_waits_for_no_library_with_all_machines(self):
        whole = [name for name in self.inputs if re.search(r"/(libbrokkr\.(a|so)|brokkr\.dir/)", name)]
        self.assertEqual(whole, [])


class Installation(unittest.TestCase):
    def test_tools_run_builds_all_that_is_installed(self):
        script = (BUILD / "cmake_install.cmake").read_text()
        copied = {name for name in re.findall(r'"([^"\n]+)"', script) if name.startswith(f"{BUILD}/")}
        lines = subprocess.run(["ninja", "-C", BUILD, "-t", "targets", "all"], capture_output=True, text=True, check=True).stdout
        made = {f"{BUILD}/{line.partition(': ')[0]}" for line in lines.splitlines()}
        wanted = {name for name in copied if name in made}
        self.assertLess({f"{BUILD}/brokkr", f"{BUILD}/src/engine/libbrokkr.so", f"{BUILD}/src/engine/libbrokkr.a"}, wanted)
        commands = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "brokkr_programs"], capture_output=True, text=True, check=True)
        built = {str(BUILD / word) for word in commands.stdout.split()}
        self.assertEqual(wanted - built, set())


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("usage: first_program_test.py BUILD ISA", file=sys.stderr)
        sys.exit(2)
    ISA = sys.argv.pop()
    BUILD = pathlib.Path(sys.argv.pop()).resolve()
    if not (BUILD / "build.ninja").exists():
        print(f"{BUILD} is not a build of ninja's")
        sys.exit(77)
    unittest.main()
