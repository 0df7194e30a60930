/* The products of bytes for AVX-512 with AVX512-VNNI, compiled without a flag: see vector_avx2.c.
 */
#include "recurrent.h"

#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__)

#include <immintrin.h>

#define FORGE_KERNEL(name) FORGE_KERNEL_FOR(name, avx512vnni)
#include "avx512_bytes.h"

#pragma clang attribute push(                                                        \
  __attribute__((target("avx512vnni,avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), \
  apply_to = function)
#include "vector/vector.h"
#include "vector/byte_vectors.h"
#include "vector/quantized_convolution.h"
#include "vector/quantized_depthwise.h"
#include "vector/recurrent_form.h"
#include "vector/dynamic_recurrent.h"
#include "vector/nibble_product.h"
#pragma clang attribute pop

#endif
