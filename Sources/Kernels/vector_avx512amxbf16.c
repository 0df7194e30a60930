/* The products of bf16 for AVX-512 with AMX, compiled without a flag: see vector_avx2.c. */
#include "words.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#include <immintrin.h>

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, avx512amxbf16)
#define FORGE_HAS_FMA 1
#define FORGE_HAS_SCALE 1 /* times 2^n by one instruction */

/* FORGE_TRY_TILES: see vector_avx512amx.c. */
#if defined(FORGE_TRY_TILES)
#include FORGE_TRY_TILES
#define FORGE_AMX_TARGET "avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
#else
#define FORGE_AMX_TARGET "amx-tile,amx-bf16,avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
#endif

#pragma clang attribute push(__attribute__((target(FORGE_AMX_TARGET))), apply_to = function)
#include "vector/vector.h"
#include "vector/elementary.h"
#include "vector/activation.h"
#include "vector/tile_registers.h"
#include "vector/bfloat_tiles.h"
#pragma clang attribute pop

#endif
