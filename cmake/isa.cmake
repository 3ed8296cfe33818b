# The CPU machine is compiled once per instruction set. Each build has its own namespace, which the definition
# BROKKR_ISA names. The best build that runs on the computer is chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  set(BROKKR_KNOWN_ISAS v2 v3 v4 emulated)
  set(BROKKR_ISA_FLAGS_v2 -march=x86-64-v2)
  set(BROKKR_ISA_FLAGS_v3 -march=x86-64-v3)
  set(BROKKR_ISA_FLAGS_v4 -march=x86-64-v4 -mprefer-vector-width=512)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # The intrinsics headers of g++ 12 cause these warnings (PR 105593).
    list(APPEND BROKKR_ISA_FLAGS_v4 -Wno-uninitialized -Wno-maybe-uninitialized)
  endif()
  set(BROKKR_ISA_FLAGS_emulated -march=x86-64-v2)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Without AVX2, libstdc++ shifts each lane by its own count through numbers, and converts 2^31 to an int, which is
    # undefined. clang makes the same instructions from a plain shift of vectors.
    list(APPEND BROKKR_ISA_FLAGS_v2 -D_GLIBCXX_SIMD_NO_SHIFT_OPT)
    list(APPEND BROKKR_ISA_FLAGS_emulated -D_GLIBCXX_SIMD_NO_SHIFT_OPT)
  endif()
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
  set(BROKKR_KNOWN_ISAS neon emulated)
else()
  message(FATAL_ERROR "No CPU machine for processor '${CMAKE_SYSTEM_PROCESSOR}': "
                      "Brokkr builds for x86_64 (x86-64-v2 and newer) and aarch64")
endif()

# The instruction sets that this computer runs, in the order of their speed.
set(native)
set(flags " neon ")
if(EXISTS /proc/cpuinfo AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  file(STRINGS /proc/cpuinfo flags REGEX "^flags" LIMIT_COUNT 1)
  string(APPEND flags " ")
endif()
set(needs_neon neon)
set(needs_v2 sse4_2 popcnt)
set(needs_v3 ${needs_v2} avx2 fma bmi2)
set(needs_v4 ${needs_v3} avx512f avx512bw avx512vl avx512dq avx512cd)
foreach(isa neon v2 v3 v4)
  set(lacks)
  foreach(need IN LISTS needs_${isa})
    if(NOT flags MATCHES " ${need} ")
      set(lacks ${need})
    endif()
  endforeach()
  if(isa IN_LIST BROKKR_KNOWN_ISAS AND NOT lacks)
    list(APPEND native ${isa})
  endif()
endforeach()

# `native` is the fastest of them. `all` is for packages, which run on other computers too.
list(REVERSE native)
list(GET native 0 fastest)
list(REVERSE native)
if(NOT BROKKR_ISAS)
  set(BROKKR_BUILT_ISAS native emulated)
elseif(BROKKR_ISAS STREQUAL "all")
  set(BROKKR_BUILT_ISAS ${BROKKR_KNOWN_ISAS})
else()
  set(BROKKR_BUILT_ISAS ${BROKKR_ISAS})
endif()
list(TRANSFORM BROKKR_BUILT_ISAS REPLACE "^native$" ${fastest})
foreach(isa IN LISTS BROKKR_BUILT_ISAS)
  if(NOT isa IN_LIST BROKKR_KNOWN_ISAS)
    message(FATAL_ERROR "BROKKR_ISAS: '${isa}' is not one of ${BROKKR_KNOWN_ISAS}, 'native', or 'all'")
  endif()
endforeach()
# The fastest one that is built and runs here; if none runs, the first one that is built.
list(GET BROKKR_BUILT_ISAS 0 BROKKR_FIRST_ISA)
foreach(isa IN LISTS native)
  if(isa IN_LIST BROKKR_BUILT_ISAS)
    set(BROKKR_FIRST_ISA ${isa})
  endif()
endforeach()

# BROKKR_HAVE_ISA_V2 … tell tests which builds of the kernel exist. BROKKR_HAVE_ISA_LIST=X(v2)X(v3) … lists all of them
# for the dispatcher.
list(TRANSFORM BROKKR_BUILT_ISAS REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE isa_list)
list(JOIN isa_list "" isa_list)
set(BROKKR_HAVE_ISAS ${BROKKR_BUILT_ISAS})
list(TRANSFORM BROKKR_HAVE_ISAS TOUPPER)
list(TRANSFORM BROKKR_HAVE_ISAS PREPEND BROKKR_HAVE_ISA_)
list(TRANSFORM BROKKR_HAVE_ISAS APPEND =1)
list(APPEND BROKKR_HAVE_ISAS BROKKR_HAVE_ISA_LIST=${isa_list})

# For targets that need only one vector machine and the emulated one: narrows BROKKR_BUILT_ISAS of the caller to these,
# and sets <prefix>_MACHINES to the definitions <prefix>_CPU=<isa> and <prefix>_EMULATED=1 of those that are built.
function(brokkr_use_two_machines prefix)
  set(isas)
  set(definitions)
  foreach(isa v2 neon v3 v4)
    if(isa IN_LIST BROKKR_BUILT_ISAS AND NOT isas)
      set(isas ${isa})
      set(definitions ${prefix}_CPU=${isa})
    endif()
  endforeach()
  if("emulated" IN_LIST BROKKR_BUILT_ISAS)
    list(APPEND isas emulated)
    list(APPEND definitions ${prefix}_EMULATED=1)
  endif()
  set(BROKKR_BUILT_ISAS ${isas} PARENT_SCOPE)
  set(${prefix}_MACHINES ${definitions} PARENT_SCOPE)
endfunction()

# Defines what differs between presets in the named source alone, so that presets share all other objects of its target
# in the compiler cache. The definitions, if there are any, follow the source.
function(brokkr_define_in source)
  set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS ${ARGN})
  set_property(SOURCE ${source} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# Compiles `sources` once per instruction set, as object libraries <prefix>_<isa>, with BROKKR_ISA=<isa> and
# BROKKR_ISA_<ISA>=1 defined, and adds the objects to `target`. Sets <prefix>_LIBRARIES for the symbol check.
function(brokkr_add_isa_objects target prefix)
  set(libraries)
  foreach(isa IN LISTS BROKKR_BUILT_ISAS)
    string(TOUPPER ${isa} upper)
    set(library ${prefix}_${isa})
    add_library(${library} OBJECT ${ARGN})
    target_compile_definitions(${library} PRIVATE BROKKR_ISA=${isa} BROKKR_ISA_${upper}=1)
    set_target_properties(${library} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                                UNITY_BUILD OFF)
    # Neither flag changes a value. They only free the compiler from errno and from floating-point exceptions.
    target_compile_options(${library} PRIVATE ${BROKKR_ISA_FLAGS_${isa}} -fno-math-errno -fno-trapping-math)
    # See machine/machine.h. Smaller kernels gain nothing from it. Below -O2, Clang inlines only what has the attribute.
    if(prefix STREQUAL "brokkr_kernel" AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT isa STREQUAL "emulated"
       AND NOT BROKKR_SANITIZE)
      target_compile_definitions(${library} PRIVATE $<$<CONFIG:Release>:BROKKR_INLINE_BY_COST=1>)
      target_compile_options(${library} PRIVATE "$<$<CONFIG:Release>:SHELL:-mllvm -inline-threshold=100000>")
    endif()
    if(BROKKR_SANITIZE MATCHES "undefined")
      # Checks of every lane's pointer make the compiler need minutes and gigabytes. The address sanitizer finds the
      # same faults.
      target_compile_options(${library} PRIVATE -fno-sanitize=null,alignment,object-size,pointer-overflow,vptr)
    endif()
    if(BROKKR_SANITIZE MATCHES "address" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # Every lane value lives on the stack for a moment, but only the arrays of a launch matter.
      target_compile_options(${library} PRIVATE --param=asan-stack=0)
    endif()
    target_include_directories(${library} PRIVATE ${BROKKR_INCLUDE_ROOTS} ${PROJECT_SOURCE_DIR}/shaders)
    target_link_libraries(${library} PRIVATE brokkr_options glm::glm Threads::Threads)
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${library}>)
    list(APPEND libraries ${library})
  endforeach()
  set(${prefix}_LIBRARIES ${libraries} PARENT_SCOPE)
endfunction()

# For kernels where GCC's points-to analysis takes up to three quarters of the time and hardly changes the code: without
# it, the tracer's kernel for AVX-512 takes 25 s to compile instead of 101.
function(brokkr_skip_points_to_analysis)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -fno-tree-pta)
  endif()
endfunction()
