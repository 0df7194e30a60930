/* The vector kernels without fused multiply-add: SSE2 on x86-64, NEON on arm64. */
#include "grouped.h"
#include "quantized.h"
#include "words.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__) || defined(__aarch64__)

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, baseline)
#define FORGE_HAS_FMA 0
#define FORGE_HAS_SCALE 0
/* A vector of 16 is four registers. SSE2 has 16 of them: 8 sums, 4 weights, an input, a product.
 * NEON has 32: 16 sums. With four more the compiler spills, on either. */
#define FORGE_TILE_VECTORS 1
#if defined(__aarch64__)
#define FORGE_TILE_ROWS_1 4
#define FORGE_DEPTHWISE_PIXELS 4
#else
#define FORGE_TILE_ROWS_1 2
#define FORGE_DEPTHWISE_PIXELS 2
#endif
#define FORGE_GROUPED_PIXELS FORGE_DEPTHWISE_PIXELS
#define FORGE_PERMUTES FORGE_PERMUTES_NONE
#define FORGE_DEPTHWISE_NEAR 0
#define FORGE_HAS_QUADS 0
#define FORGE_BYTE_VECTORS 1
#define FORGE_BYTE_ROWS_1 2
#define FORGE_BYTE_DEPTHWISE 1
#define FORGE_NIBBLE_ROWS 1
#define FORGE_HAS_PERMUTED_BYTES 0
#define FORGE_ACTIVATE_PIXELS activate
#if defined(__x86_64__)
#include <immintrin.h>
#define FORGE_BYTES 128
#else
#define FORGE_BYTES 0
#endif

#include "vector/all.h"
FORGE_DEFINE_PIXEL_ACTIVATION(baseline)
FORGE_DEFINE_RECURRENT_BLOCKS(baseline)

#endif
