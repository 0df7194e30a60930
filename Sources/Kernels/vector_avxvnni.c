/* The products of bytes for AVX2 with AVX-VNNI, compiled without a flag: see vector_avx2.c. */
#include "recurrent.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#include <immintrin.h>

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, avxvnni)
#define FORGE_HAS_FMA 1
#define FORGE_BYTES 256
#define FORGE_HAS_QUADS 1
#define FORGE_BYTE_VECTORS 1
#define FORGE_BYTE_ROWS_1 6 /* 12 sums, 2 weights, one input */
#define FORGE_BYTE_DEPTHWISE 1
#define FORGE_NIBBLE_ROWS 1
#define FORGE_ACTIVATE_PIXELS forge_activate_pixels_avx2
#define FORGE_RECURRENT_BLOCKS forge_recurrent_blocks_avx2

/* FORGE_TRY_AVXVNNI: the same instruction as AVX-512 has it, to try this file on processors that
 * have only that. */
#if defined(FORGE_TRY_AVXVNNI)
#define FORGE_DPBUSD_256 _mm256_dpbusd_epi32
#define FORGE_AVXVNNI_TARGET "avx512vnni,avx512vl,avx2,fma"
#else
#define FORGE_DPBUSD_256 _mm256_dpbusd_avx_epi32
#define FORGE_AVXVNNI_TARGET "avxvnni,avx2,fma"
#endif

#pragma clang attribute push(__attribute__((target(FORGE_AVXVNNI_TARGET))), apply_to = function)
#include "vector/vector.h"
#include "vector/byte_vectors.h"
#include "vector/quantized_convolution.h"
#include "vector/quantized_depthwise.h"
#include "vector/recurrent_form.h"
#include "vector/dynamic_recurrent.h"
#include "vector/nibble_product.h"
#pragma clang attribute pop

#endif
