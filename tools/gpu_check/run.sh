#!/bin/sh
# Checks and measures Brokkr's CUDA machine on a borrowed GPU: the order of a first meeting. Needs glibc 2.36, the GPU's
# driver, this folder, and a shell with coreutils: no compiler, no git, no network, nothing is installed.
#
#   ./run [--output DIR] [--minutes N] [--silence N] [--after COMMAND] [--only WORD] [--resume] [--small] [--list]
#
#   --output DIR      where results go, a file or a few for each step (results, in the current folder)
#   --minutes N       for everything (45); what no time is left for is "skipped", and --resume does it later
#   --silence N       seconds after which a command that says nothing counts as hung (30)
#   --after COMMAND   is run after every step, with the folder of the results as its argument: copies them to safety, as in
#                     --after 'sh -c "rsync -a \$0 me@home:"'
#   --only WORD       only steps that have WORD in their names; may be repeated
#   --resume          keep what an earlier run into the same folder has finished
#   --small           everything tiny: to try this program, not to measure
#   --list            the steps, in their order
#
# A command that hangs is ended, what its processes waited for stands in its log, and the next step begins. A frame that hangs ends by itself before that, with what it hangs at. Exit status: 1 where a step
# failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
newline='
'
output=results minutes=45 silence=30 after= only= resume= small= list=
usage() { echo "run: $1; see the first lines of $0" >&2; exit 2; }
while [ $# -gt 0 ]; do
  case $1 in
    --output | --minutes | --silence | --after | --only)
      [ $# -gt 1 ] || usage "$1 needs a value"
      case $1 in
        --output) output=$2 ;;
        --minutes) minutes=$2 ;;
        --silence) silence=$2 ;;
        --after) after=$2 ;;
        --only) only=$only$2$newline ;;
      esac
      shift ;;
    --resume) resume=1 ;;
    --small) small=1 ;;
    --list) list=1 ;;
    *) usage "unknown option '$1'" ;;
  esac
  shift
done
case $minutes in '' | *[!0-9]*) usage "--minutes: '$minutes' is not a number" ;; esac
case $silence in '' | *[!0-9]*) usage "--silence: '$silence' is not a number" ;; esac

# The system finds the driver's libraries; ours come first. BROKKR_LIBRARIES comes before them, for rehearsals with the
# PTX interpreter instead of CUDA's runtime.
LD_LIBRARY_PATH=${BROKKR_LIBRARIES:+$BROKKR_LIBRARIES:}$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
first_silence=$silence  # for a program's first kernel
now() { date +%s; }
deadline=$(($(now) + minutes * 60))

# ---- Commands with a watchdog.

# The kernel function in which each process of a session waits.
diagnose() { # $1: session
  echo "== silent; state of its processes:"
  for process in /proc/[0-9]*; do
    # The session is the fourth field after the name, which may contain spaces.
    [ "$(sed 's/.*) //' "$process/stat" 2>/dev/null | cut -d ' ' -f 4)" = "$1" ] || continue
    echo "process ${process#/proc/}: $(tr '\0' ' ' <"$process/cmdline" 2>/dev/null)"
    for task in "$process"/task/*; do
      echo "  thread ${task##*/}: $(sed -n 's/^State:[[:space:]]*//p' "$task/status" 2>/dev/null), in $(cat "$task/wchan" 2>/dev/null)"
      sed 's/^/    /' "$task/stack" 2>/dev/null
    done
  done
  if command -v nvidia-smi >/dev/null 2>&1; then
    timeout -k 1 5 nvidia-smi --query-gpu=name,utilization.gpu,memory.used,clocks.sm,temperature.gpu --format=csv,noheader 2>&1
    timeout -k 1 5 dmesg 2>/dev/null | grep -i -e 'NVRM' -e 'Xid' | tail -n 5
  fi
}

# Runs a command with its output in $log. Ends it if it is silent for $quiet seconds or takes more than $most. The exit
# status is the command's, or 124 if it was ended; then `note` has the reason.
watched() {
  echo "\$ $*" >>"$log"
  rm -f "$work/status"
  setsid sh -c '"$@"; echo $? >"$0"' "$work/status" "$@" >>"$log" 2>&1 </dev/null &
  session=$!
  begin=$(now) since=$begin written=-1
  while [ ! -s "$work/status" ]; do
    sleep 0.1
    time=$(now)
    now_written=$(wc -c <"$log")
    if [ "$now_written" != "$written" ]; then written=$now_written since=$time; fi
    if [ $((time - since)) -ge "$quiet" ]; then note="hung: silent for $quiet s"
    elif [ $((time - begin)) -ge "$most" ]; then note="ended after $most s"
    elif ! kill -0 $session 2>/dev/null; then sleep 0.2; [ -s "$work/status" ] || echo 137 >"$work/status"; continue
    else continue; fi
    diagnose $session >>"$log" 2>&1
    kill -TERM -$session 2>/dev/null
    sleep 1
    kill -KILL -$session 2>/dev/null
    wait $session 2>/dev/null
    return 124
  done
  wait $session 2>/dev/null
  read -r status <"$work/status"
  return "$status"
}

# ---- Steps. A function runs a step. Status 0: ok, 77: skipped, otherwise failed; `note` has the reason.

record() { # name, status, seconds
  printf '%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(printf %s "$note" | tr '\t\n' '  ')" >>"$output/steps.tsv"
  printf '%-34s %-8s %5s s  %s\n' "$1" "$2" "$3" "$note"
}

step() { # name, most seconds, function and its arguments
  name=$1 limit=$2
  shift 2
  if [ -n "$only" ]; then
    wanted= IFS=$newline
    for word in $only; do case $name in *"$word"*) wanted=1 ;; esac; done
    unset IFS
    [ -n "$wanted" ] || return 0
  fi
  if [ -n "$list" ]; then echo "$name"; return 0; fi
  if [ -n "$resume" ] && grep -q "^$name	ok	" "$output/steps.tsv"; then return 0; fi
  grep -v "^$name	" "$output/steps.tsv" >"$work/steps"
  cp "$work/steps" "$output/steps.tsv"
  step_begin=$(now) note=
  left=$((deadline - step_begin)) most=$limit quiet=$silence
  if [ "$left" -lt 10 ]; then note="the $minutes minutes are over; --resume does the rest"; record "$name" skipped 0; return 0; fi
  [ "$most" -lt "$left" ] || most=$left
  file=$(printf %s "$name" | tr -c 'a-zA-Z0-9.\n' '-')
  log=$output/$file.log
  : >"$log"
  "$@"
  case $? in
    0) record "$name" ok $(($(now) - step_begin)) ;;
    77) record "$name" skipped $(($(now) - step_begin)) ;;
    *)
      failed=1
      # The last line of a program's output is the reason of its failure.
      [ -n "$note" ] || note=$(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | cut -c 1-300)
      record "$name" failed $(($(now) - step_begin)) ;;
  esac
  if [ -n "$after" ]; then
    # Copies the results from this computer before anything else can fail.
    eval "timeout -k 5 120 $after \"\$output\"" >>"$output/copies.log" 2>&1 || echo "run: --after failed; see $output/copies.log" >&2
  fi
}

# ---- The steps.

brokkr=$here/bin/brokkr
if [ -n "$small" ]; then
  tiny=64x48 bench_options="--frames 1 --rounds 1 --turn 1 --size 64x48"
  sphere='generated:sphere-100k?triangles=400'
  suite=$sphere shadings=flat
else
  tiny=160x90 bench_options="--frames 10 --rounds 2 --turn 250"
  sphere=generated:sphere-1m
  suite="generated:sphere-1m generated:sphere-100k generated:overlap-10k generated:terrain generated:city" shadings="flat phong textured"
fi
frame=$here/frames/gl-feature-test.bkf

environment() {
  {
    date -u '+date: %Y-%m-%dT%H:%M:%SZ'
    echo "kernel: $(uname -srm)"
    echo "processor: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(grep -c '^processor' /proc/cpuinfo) threads"
    echo "revision: $(cat "$here/revision")"
    echo "blocks: $(cat "$here/blocks")"
    [ -z "$small" ] || echo "small: all sizes were tiny, so the times below are not measurements"
  } >"$output/environment.txt"
  if command -v nvidia-smi >/dev/null 2>&1; then
    timeout -k 1 20 nvidia-smi --query-gpu=name,compute_cap,driver_version,memory.total,clocks.max.sm --format=csv,noheader |
      sed 's/^/nvidia-smi: /' >>"$output/environment.txt"
    timeout -k 1 20 nvidia-smi -q >"$output/nvidia-smi.txt" 2>&1
  fi
  watched "$brokkr" machines --json - || return 1
  sed '1d' "$log" >"$output/machines.json"
  # Its first entry is the first CUDA device.
  gpu=$(sed -n 's/.*"name": "\(.*\)".*/\1/p' "$output/machines.json" | head -n 1)
  isa=$(sed -n 's/.*"isa": "\(.*\)".*/\1/p' "$output/machines.json" | head -n 1)
  if [ "$gpu" = CUDA ]; then
    note=$(sed -n 's/.*"note": "\(.*\)".*/\1/p' "$output/machines.json" | head -n 1)
    gpu=
    return 1
  fi
  echo "gpu: $gpu, $isa" >>"$output/environment.txt"
  note="$gpu, $isa"
  # If the programs have no machine code for the GPU, the driver compiles PTX without a message, once for each program.
  case " $(cat "$here/architectures") " in *" $isa "*) ;; *) first_silence=$((silence + 240)) ;; esac
}
need_gpu() { [ -n "$gpu" ] || { note="no GPU"; return 1; }; }

# A frame on the GPU and on the CPU: depth, draw and triangle of every pixel, and colour within 1/255.
pair() { # program, blocks (0: all), frame, size, options of each machine: CUDA's, the CPU's
  need_gpu || return 77
  quiet=$first_silence
  drawn=$work/drawn
  rm -rf "$drawn" && mkdir "$drawn"
  for machine in cuda cpu; do
    machine_options=${6:-}
    if [ $machine = cuda ]; then machine_options=${5:-}; [ "$2" = 0 ] || machine_options="$machine_options --workers $2"; fi
    # shellcheck disable=SC2086
    watched "$1" render "$3" --machine $machine $machine_options $4 -o "$drawn/$machine-color.png" --aov "depth=$drawn/$machine-depth.pfm" \
      --aov "draw=$drawn/$machine-draw.pfm" --aov "triangle=$drawn/$machine-triangle.pfm" --stats "$output/$file-$machine.json" || return 1
  done
  quiet=$silence
  wrong=
  for kind in depth.pfm draw.pfm triangle.pfm color.png; do
    tolerance=0
    [ $kind != color.png ] || tolerance=0.003923
    watched "$brokkr" compare "$drawn/cuda-$kind" "$drawn/cpu-$kind" --tolerance $tolerance || wrong="$wrong ${kind%.*}"
  done
  cp "$drawn/cuda-color.png" "$output/$file.png"
  [ -z "$wrong" ] || { note="other than the CPU's:$wrong"; return 1; }
}

# Programs of a captured frame, linked into the kernel or interpreted: both give the bits of the CPU's interpreter.
programs() { # frame, size, shaders, and further options of CUDA
  pair "$brokkr" 0 "$1" "$2" "--shaders $3" "--shaders interpreted"
  status=$?
  if grep -q 'was not found; install CUDA' "$log"; then note="no NVRTC or nvJitLink in the archive, and none here"; return 77; fi
  return $status
}

sanitizer() { # tool
  need_gpu || return 77
  program=$here/sanitizer/compute-sanitizer
  [ -x "$program" ] || program=$(command -v compute-sanitizer) || { note="no compute-sanitizer in the archive, and none here"; return 77; }
  quiet=120
  watched "$program" --tool "$1" --error-exitcode 86 "$brokkr" render "$frame" --machine cuda --size 64x48 --workers 2 --gpu-timeout 100 --no-output
  status=$?
  [ $status -ne 124 ] || return 1
  note=$(sed -n 's/^=* *\(.* SUMMARY: .*\)/\1/p' "$log" | tail -n 1)
  return $status
}

cuda_tests() {
  need_gpu || return 77
  # shellcheck disable=SC2086
  watched "$here/bin/brokkr_cuda_test" ${BROKKR_TEST_FILTER:+--gtest_filter=$BROKKR_TEST_FILTER}
  status=$?
  passed=$(sed -n 's/.*\[  PASSED  \] \([0-9]*\) test.*/\1/p' "$log" | tail -n 1)
  [ $status -ne 0 ] || note="$passed passed"
  return $status
}

bench() { # program, peer, arguments
  need_gpu || return 77
  program=$1 against=$2
  shift 2
  # shellcheck disable=SC2086
  watched "$program" bench "$@" --machine cuda --against "$against" $bench_options --json "$output/$file.json"
}

# OpenGL through EGL with the GPU's own driver. A file tells the archive's dispatcher the driver's library.
peer=none
opengl() {
  need_gpu || return 77
  for folder in '' /usr/lib/x86_64-linux-gnu /usr/lib64 /usr/local/nvidia/lib64 /usr/lib/nvidia /run/opengl-driver/lib; do
    [ -z "$folder" ] || [ -e "$folder/libEGL_nvidia.so.0" ] || continue
    printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%slibEGL_nvidia.so.0"}}\n' "${folder:+$folder/}" >"$work/nvidia.json"
    # shellcheck disable=SC2086
    __EGL_VENDOR_LIBRARY_FILENAMES=$work/nvidia.json watched "$brokkr" bench "$sphere" --machine cpu --against gpu --frames 1 \
      --rounds 1 --turn 1 --size 64x48 --json "$output/$file.json" || continue
    __EGL_VENDOR_LIBRARY_FILENAMES=$work/nvidia.json
    export __EGL_VENDOR_LIBRARY_FILENAMES
    peer=gpu
    return 0
  done
  note="benchmarks go without OpenGL: $(grep -v '^[[:space:]]*$' "$log" | tail -n 1 | cut -c 1-200)"
  return 77
}

measure() { # command of the laboratory, arguments
  need_gpu || return 77
  command=$1
  shift
  watched "$brokkr" "$command" "$@" --machine cuda -o "$output/$file"
}

# Blocks per multiprocessor, bins, store and treatment of small triangles, in all combinations.
sweep() {
  need_gpu || return 77
  if [ -n "$small" ]; then bins="32 64" stores=0 scenes=$sphere; else bins="16 32 64 128" stores="0 8192 65536" scenes="$sphere generated:city"; fi
  ways=-
  if "$brokkr" render --help | grep -q -e --small-triangles; then ways="queue direct"; fi
  all=0 bad=0 end=$(($(now) + most))
  for program in $programs; do
    for bin in $bins; do
      for store in $stores; do
        for way in $ways; do
          left=$((end - $(now)))
          [ $left -gt 5 ] || { note="time was up after $all settings"; return 0; }
          most=$left
          options="--bin $bin --store $store"
          [ "$way" = - ] || options="$options --small-triangles $way"
          # shellcheck disable=SC2086
          watched "$here/bin/$program" bench $scenes --shading flat --machine cuda --against none $bench_options $options \
            --json "$output/sweep-$program-$bin-$store-$way.json" || bad=$((bad + 1))
          all=$((all + 1))
        done
      done
    done
  done
  note="$((all - bad)) of $all settings measured"
  [ $bad -eq 0 ]
}

# ---- The steps in order, the most basic first.

programs=brokkr
for blocks in 1 2 3; do [ ! -x "$here/bin/brokkr-$blocks" ] || programs="$programs brokkr-$blocks"; done
gpu= isa= failed=
if [ -z "$list" ]; then
  mkdir -p "$output" || exit 1
  output=$(cd "$output" && pwd)
  work=$(mktemp -d) || exit 1
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT TERM
  touch "$output/steps.tsv"
  cp -r "$here/reports" "$output"
  # Every step needs the GPU's name.
  sed '/^environment	/d' "$output/steps.tsv" >"$work/steps" && cp "$work/steps" "$output/steps.tsv"
  wanted=$only only=
  step environment 60 environment
  only=$wanted
fi
for blocks in 1 2 0; do
  case $blocks in 0) which="all blocks" ;; 1) which="1 block" ;; *) which="$blocks blocks" ;; esac
  step "tiny frame, $which" 300 pair "$brokkr" $blocks "$frame" "--size $tiny"
done
for program in $programs; do
  [ "$program" = brokkr ] || step "tiny frame, $program" 300 pair "$here/bin/$program" 0 "$frame" "--size $tiny"
done
step "memcheck" 300 sanitizer memcheck
step "synccheck" 300 sanitizer synccheck
step "CUDA tests" 600 cuda_tests
for path in "$here"/frames/*.bkf "$here"/scenes/*.bkf; do
  size=
  [ -z "$small" ] || size="--size $tiny"
  step "frame $(basename "$path")" 120 pair "$brokkr" 0 "$path" "$size"
done
for path in "$here"/scenes/*.bkf; do
  size=
  [ -z "$small" ] || size="--size $tiny"
  for shaders in interpreted compiled; do
    step "programs $shaders $(basename "$path")" 120 programs "$path" "$size" $shaders
  done
done
for shaders in interpreted compiled; do
  size=
  [ -z "$small" ] || size="--size $tiny"
  step "vertex programs $shaders neverball.bkf" 120 programs "$here/scenes/neverball.bkf" "$size" "$shaders --vertex-stage pipeline"
done
for program in $programs; do
  step "sphere-1m flat, $program" 120 bench "$here/bin/$program" none "$sphere" --shading flat
done
step "OpenGL" 120 opengl
for scene in $suite; do
  for shading in $shadings; do
    step "suite ${scene#generated:} $shading" 120 bench "$brokkr" $peer "$scene" --shading "$shading"
  done
done
if [ -z "$small" ]; then
  step "suite frames" 300 bench "$brokkr" $peer "$here"/scenes/*.bkf --shading flat
  for shaders in interpreted compiled; do
    step "suite programs $shaders" 300 bench "$brokkr" $peer "$here"/scenes/*.bkf --shading program --shaders $shaders
  done
  step "queues" 600 measure queues --runs 3 --seconds 20 --json "$output/queues.json"
  step "schedule" 600 measure schedule --seconds 20 --json "$output/schedule.json"
  step "patterns pipeline" 400 measure patterns "$here"/scenes/*.bkf --size 1920x1080 --quick --only pipeline --no-plots
  step "batches" 400 measure batches generated:sphere-1m 'generated:scan?triangles=250000' \
    --models none,warp,nvidia,amd,intel,precomputed,block --methods original --frames 4 --heavy 1000 --json "$output/batches.json"
  step "batches of the driver" 200 measure batches generated:sphere-100k 'generated:scan?triangles=250000' --models nvidia \
    --methods original --steps --driver any --json "$output/batches-driver.json"
else
  step "queues" 600 measure queues pairs --quick --queues BQ --warps 1 --runs 1 --loops 1 --seconds 60 --json "$output/queues.json"
  step "schedule" 600 measure schedule quotas --quick --tasks 100 --decisions 100 --runs 1 --seconds 60 --json "$output/schedule.json"
  step "patterns pipeline" 400 measure patterns 'generated:overlap-10k?triangles=100' --size $tiny --quick --only pipeline --no-plots
  step "batches" 400 measure batches 'generated:scan?triangles=200' --size $tiny --models none --methods original --frames 1 --heavy 1 \
    --json "$output/batches.json"
fi
step "sweep" 600 sweep
[ -n "$list" ] || echo "results: $output; --resume repeats the skipped and failed steps"
[ -z "$failed" ]
