/* The products of bytes for arm64 with i8mm, products of small matrices, compiled without a flag:
 * see vector_avx2.c. */
#include "recurrent.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__aarch64__)

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, i8mm)
#define FORGE_HAS_MATRICES 1
#define FORGE_BYTE_ROWS_1 4 /* of 32 registers: 16 sums, 2 inputs, 4 weights; 6 would spill */
#include "arm_bytes.h"

#pragma clang attribute push(__attribute__((target("dotprod,i8mm"))), apply_to = function)
#include "vector/vector.h"
#include "vector/byte_vectors.h"
#include "vector/quantized_convolution.h"
#include "vector/quantized_depthwise.h"
#include "vector/recurrent_form.h"
#include "vector/dynamic_recurrent.h"
#include "vector/nibble_product.h"
#pragma clang attribute pop

#endif
