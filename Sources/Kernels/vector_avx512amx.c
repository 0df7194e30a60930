/* The products of bytes for AVX-512 with AMX, compiled without a flag: see vector_avx2.c. */
#include "recurrent.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#include <immintrin.h>

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, avx512amx)
#include "avx512_bytes.h"

/* FORGE_TRY_TILES: a header of functions in place of AMX's instructions, to try this file on
 * processors without them. */
#if defined(FORGE_TRY_TILES)
#include FORGE_TRY_TILES
#define FORGE_AMX_TARGET "avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
#else
#define FORGE_AMX_TARGET "amx-tile,amx-int8,avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"
#endif

#define FORGE_TILE_PRODUCTS
#pragma clang attribute push(__attribute__((target(FORGE_AMX_TARGET))), apply_to = function)
#include "vector/vector.h"
#include "vector/byte_vectors.h"
#include "vector/quantized_convolution.h"
#include "vector/quantized_depthwise.h"
#include "vector/recurrent_form.h"
#include "vector/dynamic_recurrent.h"
#include "vector/nibble_product.h"
#include "vector/tile_registers.h"
#include "vector/tile_products.h"
#pragma clang attribute pop

#endif
