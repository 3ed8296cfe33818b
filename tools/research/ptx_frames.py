"""Frames that tools/research/ptx-check and tools/research/ptx-mutate draw on the PTX interpreter."""
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUNDLED = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests/frames").glob("*.bkf"))
GENERATED = ["generated:city", "generated:overlap-10k?triangles=300", "generated:sphere-100k?triangles=3000"]
PROGRAMS = ["tests/frames/measured/glmark2-desktop.bkf --rasterizers 5"]  # some read earlier results of the frame
# Vertex programs run in the geometry stage, and must place every vertex as the CPU's host has done.
VERTICES = [f"tests/frames/{name}.bkf --vertex-stage pipeline --reuse {reuse}"
            for name, reuse in (("vertex-glxgears", "warp"), ("vertex-glmark2-ideas", "none"), ("vertex-glmark2-ideas", "nvidia"),
                                ("vertex-glmark2-ideas", "block"))]
FEATURES = "tests/frames/gl-feature-test.bkf"
OVERLAP = "generated:overlap-10k?triangles=300"
# Small frames with options. Together they reach every barrier, release and acquire of the kernel, with a thread on the
# other side of each. Tests of brokkr_cuda_test cover the cases that no frame shows on every schedule.
WATCHED_TESTS = ["*CudaWatermark*", "*CudaGates*", "*CudaBits*"]
WATCHED = [
    # Many regions of one rasterizer, and rasterizers without any.
    f"{OVERLAP} --rasterizers 1 --bin 16",
    f"{OVERLAP} --rasterizers 60 --bin 32",
    f"{FEATURES} --rasterizers 2 --bin 16",
    # A store and queues that wrap around many times.
    f"{OVERLAP} --rasterizers 3 --store 8",
    f"{FEATURES} --order strict --rasterizers 5 --store 8",
    # Lists that are longer than a block's, and tasks in a ring.
    f"{OVERLAP} --order strict --rasterizers 2 --bin 64",
    "generated:overlap-10k?triangles=1500 --order strict --rasterizers 1",
    "generated:city?triangles=4000 --order strict --policy geometry-first",
    # Every reuse strategy, and the remaining policies.
    f"{FEATURES} --reuse warp --policy round-robin",
    f"{FEATURES} --reuse precomputed --policy fair --ownership static",
    "generated:city?triangles=4000 --policy raster-first --store 64",
    f"{VERTICES[0]} --rasterizers 3",
]
