/* The products of bytes for arm64 with dot products of signed bytes, compiled without a flag: see
 * vector_avx2.c. */
#include "recurrent.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__aarch64__)

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, dotprod)
#define FORGE_SIGNED_QUADS 1
#define FORGE_BYTE_ROWS_1 6 /* of 32 registers: 24 sums, 4 weights, an input */
#include "arm_bytes.h"

#pragma clang attribute push(__attribute__((target("dotprod"))), apply_to = function)
#include "vector/vector.h"
#include "vector/byte_vectors.h"
#include "vector/quantized_convolution.h"
#include "vector/quantized_depthwise.h"
#include "vector/recurrent_form.h"
#include "vector/dynamic_recurrent.h"
#include "vector/nibble_product.h"
#pragma clang attribute pop

#endif
