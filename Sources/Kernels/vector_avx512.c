/* The vector kernels for AVX-512, compiled without a flag: see vector_avx2.c. */
#include "grouped.h"
#include "quantized.h"
#include "words.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#include <immintrin.h>

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, avx512)
#define FORGE_HAS_FMA 1
#define FORGE_HAS_SCALE 1 /* times 2^n by one instruction */
/* A vector of 16 is one register, of 32: rows * vectors sums, the vectors' weights, one input. */
#define FORGE_TILE_VECTORS FORGE_AVX512_TILE_VECTORS
#define FORGE_TILE_ROWS_1 14
#define FORGE_TILE_ROWS_2 14
#define FORGE_TILE_ROWS_3 8
#define FORGE_TILE_ROWS_4 6
#define FORGE_GROUPED_PIXELS 14 /* with 3 weights, an input and its lanes */
#define FORGE_PERMUTES FORGE_PERMUTES_16
#define FORGE_DEPTHWISE_PIXELS 7
#define FORGE_BYTES 512
#define FORGE_HAS_QUADS 0
#define FORGE_BYTE_VECTORS 4
#define FORGE_BYTE_ROWS_1 6
#define FORGE_BYTE_ROWS_2 6 /* 12 sums, 4 weights, 2 inputs, a product */
#define FORGE_BYTE_ROWS_3 4
#define FORGE_BYTE_ROWS_4 4
#define FORGE_BYTE_DEPTHWISE 4
#define FORGE_NIBBLE_ROWS 2
#define FORGE_HAS_PERMUTED_BYTES 1
#define FORGE_ACTIVATE_PIXELS activate
#define FORGE_DEPTHWISE_NEAR 1 /* two rows of 7 sums, 9 weights and an input fit */

/* For processors that have AVX512-VBMI, too. */
#pragma clang attribute push(                                                        \
  __attribute__((target("avx512vbmi,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), \
  apply_to = function)
#include "vector/permuted_bytes.h"
#pragma clang attribute pop

#pragma clang attribute push( \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#include "vector/all.h"
FORGE_DEFINE_PIXEL_ACTIVATION(avx512)
FORGE_DEFINE_RECURRENT_BLOCKS(avx512)
#include "vector/pixel_convolution.h"
#include "vector/narrow_recurrent.h"
#include "vector/fixed_weights.h"
FORGE_FIXED_KERNELS(fixed, add_group)
#include "vector/words.h"
#include "vector/word_convolution.h"
#pragma clang attribute pop

/* For processors that have AVX512-BF16, too. */
#pragma clang attribute push(                                                        \
  __attribute__((target("avx512bf16,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), \
  apply_to = function)
#include "vector/bfloat_convolution.h"
#pragma clang attribute pop

/* For processors that have AVX512-VNNI, too. */
#pragma clang attribute push(                                                        \
  __attribute__((target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), \
  apply_to = function)
#include "vector/byte_convolution.h"
#pragma clang attribute pop

/* For processors that have AVX512-VBMI2, too: kernels above, of the same bits. */
#undef FORGE_KERNEL
#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, avx512vbmi2)
#pragma clang attribute push(                                                         \
  __attribute__((target("avx512vbmi2,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), \
  apply_to = function)
#include "vector/shifted_weights.h"
#pragma clang attribute pop

#endif
