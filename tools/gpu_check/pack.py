"""tools/gpu-check --pack: one archive with everything needed to check and measure a GPU, and --from, which uses it."""
import glob
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

from command_line import ROOT, Wrong, make_folder

from . import page
from .process import tool

MAX_MIB = 60
MAX_MIB_WITH_COMPILERS = 160
MAX_FRAME_BYTES = 1 << 20  # of a frame with programs; larger ones are not packed
RUNNER = pathlib.Path(__file__).parent / "run.sh"
TARGETS = ["brokkr_cli", "brokkr_cuda_test", "brokkr-gl-bench", "brokkr-glsl"]
VARIANTS = [1, 2, 3]  # blocks per multiprocessor
# Libraries that the target computer's loader and driver provide.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux|lib(c|m|dl|rt|pthread|resolv|util|mvec)\.so)")
# OpenGL's dispatcher, which loads the libraries of the GPU's driver.
DISPATCHER = ["libEGL.so.1", "libGLdispatch.so.0", "libOpenGL.so.0"]


def output_of(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def must(command):
    print("$ " + " ".join(map(str, command)), file=sys.stderr, flush=True)
    if subprocess.run([str(word) for word in command], cwd=ROOT).returncode != 0:
        raise Wrong(f"{command[0]}: failed; see above")


def build(options):
    """Compiles once: the programs differ only in one kernel each. Returns the folder."""
    if not tool("nvcc"):
        raise Wrong("no nvcc on the PATH or in /usr/local/cuda/bin: make the archive on a computer with nvcc")
    folder = pathlib.Path(options.build).resolve()
    must(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", "-DBROKKR_CUDA=ON", "-DBROKKR_PTX=OFF",
          "-DBROKKR_TESTS=ON", "-DBROKKR_REFERENCE=ON", "-DBROKKR_VIEWER=OFF", "-DBROKKR_CAPTURE=OFF", f"-DBROKKR_ISAS={options.isas}",
          # Shared, so that the interpreter of src/research/ptx can replace it.
          "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared", f"-DCMAKE_CUDA_ARCHITECTURES={options.architectures}", "-DBROKKR_WERROR=ON",
          "-DBROKKR_CUDA_VARIANTS=" + ";".join(map(str, VARIANTS)), "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=8"])
    standard = blocks_of(folder)
    must(["cmake", "--build", folder, "--parallel", str(os.cpu_count() or 2), "--target", *TARGETS,
          *(f"brokkr_cli_{blocks}" for blocks in VARIANTS if blocks != standard)])
    return folder


def blocks_of(folder):
    return int(re.search(r"^BROKKR_CUDA_BLOCKS_PER_SM:STRING=(\d)$", (folder / "CMakeCache.txt").read_text(), re.M).group(1))


def libraries_of(programs):
    """Returns the files, by name, of shared libraries that programs need and a bare computer lacks."""
    found = {}
    for program in programs:
        for name, path in re.findall(r"^\s*(\S+) => (\S+) \(", output_of("ldd", program), re.M):
            if not SYSTEM.match(name):
                found[name] = path
    for name in DISPATCHER:
        for path in glob.glob(f"/usr/lib/*-linux-gnu/{name}") + [f"/usr/lib64/{name}", f"/usr/lib/{name}"]:
            if os.path.exists(path):
                found.setdefault(name, path)
                break
        else:
            raise Wrong(f"{name} is not on this computer: install libglvnd (Debian: libegl1, libopengl0)")
    missing = re.findall(r"^\s*(\S+) => not found", "".join(output_of("ldd", program) for program in programs), re.M)
    if missing:
        raise Wrong(f"{', '.join(sorted(set(missing)))}: programs need them and they are not on this computer")
    return found


def sanitizer_of(options):
    """Returns the files of compute-sanitizer, in one folder as in a toolkit; empty if it is missing."""
    folder = options.sanitizer
    if not folder:
        nvcc = pathlib.Path(tool("nvcc")).resolve()
        folder = nvcc.parent.parent / "compute-sanitizer"
        if not (folder / "compute-sanitizer").exists():
            print("no compute-sanitizer here: memcheck and synccheck need the GPU computer's own (or --sanitizer DIR)", file=sys.stderr)
            return []
    files = [path for path in pathlib.Path(folder).rglob("*") if path.is_file() and
             (path.name == "compute-sanitizer" or re.search(r"\.so(\.\d+)*$", path.name))]
    if not any(path.name == "compute-sanitizer" for path in files):
        raise Wrong(f"--sanitizer {folder}: there is no program compute-sanitizer below it")
    return list({path.name: path for path in files}.values())


def compilers_of(options):
    """Returns the files of NVRTC and nvJitLink by the names under which they are loaded. They come from the toolkit or
    from the named folder."""
    folder = pathlib.Path(options.compilers or pathlib.Path(tool("nvcc")).resolve().parent.parent)
    found = {}
    for pattern in (r"libnvrtc\.so\.\d+", r"libnvrtc-builtins\.so\.\d+\.\d+", r"libnvJitLink\.so\.\d+"):
        names = [path for path in folder.rglob("lib*.so*") if re.fullmatch(pattern, path.name)]
        if not names:
            raise Wrong(f"--compilers: no {pattern.replace(chr(92), '')} below {folder}; name a toolkit's folder")
        found[names[0].name] = os.path.realpath(names[0])
    return found


def collect(options, folder, to):
    """Collects the content of the archive below the folder `to`."""
    programs = {"brokkr": folder / "brokkr", "brokkr-gl-bench": folder / "src/apps/reference" / "brokkr-gl-bench",
                "brokkr_cuda_test": folder / "tests" / "brokkr_cuda_test", "brokkr-glsl": folder / "src/engine/shader" / "brokkr-glsl"}
    standard = blocks_of(folder)
    programs |= {f"brokkr-{blocks}": folder / f"brokkr-{blocks}" for blocks in VARIANTS if blocks != standard}
    for name in ("bin", "lib", "scenes", "frames", "reports", "sanitizer"):
        (to / name).mkdir(parents=True)
    for name, path in programs.items():
        shutil.copy2(path, to / "bin" / name)
    for name, path in libraries_of(programs.values()).items():
        shutil.copy2(os.path.realpath(path), to / "lib" / name)
    for path in [*(to / "bin").iterdir(), *(to / "lib").iterdir()]:
        path.chmod(0o755)
        output_of("strip", "--strip-unneeded", path)
    if options.compilers is not None:
        for name, path in compilers_of(options).items():
            shutil.copy2(path, to / "lib" / name)
    for path in sanitizer_of(options):
        shutil.copy2(path, to / "sanitizer" / path.name)
        (to / "sanitizer" / path.name).chmod(0o755)
    for folder in ("scenes", "tests/frames"):
        for path in sorted((ROOT / folder).iterdir()):
            if path.is_file() and (folder == "tests/frames" or path.stat().st_size < MAX_FRAME_BYTES):
                shutil.copy2(path, to / pathlib.Path(folder).name)
    for path in folder.rglob("*.ptxas"):
        target = re.search(r"CMakeFiles/(\S+?)\.dir/", str(path)).group(1)
        shutil.copyfile(path, to / "reports" / f"{target}-{path.name.removesuffix('.o.ptxas')}.ptxas")
    shutil.copyfile(RUNNER, to / "run")
    (to / "run").chmod(0o755)
    (to / "revision").write_text(output_of("git", "-C", ROOT, "describe", "--always", "--dirty", "--abbrev=40", "--match="))
    (to / "blocks").write_text(f"{standard}\n")
    # The GPUs whose machine code is in the programs; the driver compiles PTX for others.
    known = [entry.removesuffix("-real") for entry in options.architectures.split(";") if not entry.endswith("-virtual")]
    (to / "architectures").write_text(" ".join(f"sm_{number}" for number in known) + "\n")


def pack(options):
    archive = pathlib.Path(options.pack).resolve()
    make_folder(archive.parent)
    folder = build(options)
    with tempfile.TemporaryDirectory() as work:
        inside = pathlib.Path(work) / "gpu-check"
        collect(options, folder, inside)
        part = archive.with_name(archive.name + ".part")
        with tarfile.open(part, "w:xz", preset=6) as file:
            file.add(inside, "gpu-check", filter=plain)
    mib = part.stat().st_size / 2**20
    most = MAX_MIB if options.compilers is None else MAX_MIB_WITH_COMPILERS
    if mib > most:
        part.unlink()
        raise Wrong(f"{archive}: would have {mib:.1f} MiB, above {most}; name fewer --architectures or --isas")
    part.replace(archive)
    print(f"{archive}: {mib:.1f} MiB. Where there is a GPU: tar xf {archive.name} && gpu-check/run --output results; "
          f"back here: tools/gpu-check --results results")
    return 0


def plain(entry):
    """Removes owners and times of this computer from an archive entry."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    return entry


def run_archive(options):
    """Unpacks an archive and runs its programs. In a checkout, the results become a page."""
    try:
        with tarfile.open(getattr(options, "from"), "r:*") as file, tempfile.TemporaryDirectory() as work:
            file.extractall(work)
            runner = pathlib.Path(work) / "gpu-check" / "run"
            if not runner.exists():
                raise Wrong(f"{getattr(options, 'from')}: no archive that --pack made")
            arguments = ["--output", str(options.output)] + (["--resume"] if options.resume else [])
            arguments += ["--minutes", str(options.minutes)] + (["--after", options.after] if options.after else [])
            return subprocess.run([runner, *arguments]).returncode
    except tarfile.TarError:
        raise Wrong(f"{getattr(options, 'from')}: no archive, or cut off; name one that tools/gpu-check --pack made") from None


def land(options):
    """Makes a folder of docs/research/results with a page from the results of an archive's run."""
    folder = pathlib.Path(options.results)
    if not (folder / "steps.tsv").exists():
        raise Wrong(f"--results {folder}: there is no steps.tsv; name the folder that gpu-check/run wrote")
    to = page.land(folder, pathlib.Path(options.pages))
    print(to / "README.md")
    return 0
