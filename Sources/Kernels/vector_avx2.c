/* The vector kernels for AVX2 and FMA. No compiler flag is needed: the attribute sets the target of
 * the functions in a region. */
#include "grouped.h"
#include "quantized.h"
#include "words.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#include <immintrin.h>

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, avx2)
#define FORGE_HAS_FMA 1
#define FORGE_HAS_SCALE 0
/* A vector of 16 is two registers, of 16: 12 sums, 2 weights, one input. */
#define FORGE_TILE_VECTORS 1
#define FORGE_TILE_ROWS_1 6
#define FORGE_PART_BLOCKS 24   /* of 64 outputs 96 KB: processors have 256 KB and more per core */
#define FORGE_NEAR_FLOATS 6144 /* 24 KB of the first-level cache, which has 32 KB and more */
#define FORGE_GROUPED_PIXELS 4 /* 8 sums, 6 weights, an input */
#define FORGE_PERMUTES FORGE_PERMUTES_8
#define FORGE_DEPTHWISE_PIXELS 7 /* 14 sums, 2 weights; inputs from memory */
#define FORGE_DEPTHWISE_NEAR 0
#define FORGE_BYTES 256
#define FORGE_HAS_QUADS 0
#define FORGE_BYTE_VECTORS 1
#define FORGE_BYTE_ROWS_1 4 /* 8 sums, 4 weights, 2 inputs, a product */
#define FORGE_BYTE_DEPTHWISE 1
#define FORGE_NIBBLE_ROWS 1
#define FORGE_HAS_PERMUTED_BYTES 0
#define FORGE_ACTIVATE_PIXELS activate

#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#include "vector/all.h"
FORGE_DEFINE_PIXEL_ACTIVATION(avx2)
FORGE_DEFINE_RECURRENT_BLOCKS(avx2)
#pragma clang attribute pop

/* For processors that have F16C, too. */
#pragma clang attribute push(__attribute__((target("avx2,fma,f16c"))), apply_to = function)
#include "vector/pixel_convolution.h"
#include "vector/narrow_recurrent.h"
#include "vector/fixed_weights.h"
#include "vector/shuffled_weights.h"
#pragma clang attribute pop

#endif
