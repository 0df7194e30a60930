/* Packing in double precision: sixteen numbers at a time, a function per instruction set.
 *
 * All compute the same bits: nothing is fused. The including file sets FP_CONTRACT to off. */
#ifndef FORGE_PACKING_H
#define FORGE_PACKING_H

#include "internal.h"

/* 8 registers of SSE2, 2 of AVX-512. */
typedef double d16 __attribute__((vector_size(128)));
typedef double d16_in_memory __attribute__((vector_size(128), aligned(8), may_alias));
typedef float f16 __attribute__((vector_size(64), aligned(4), may_alias));

/* Sixteen floats at an address as doubles. */
#define FORGE_DOUBLES_AT(values) __builtin_convertvector(*(const f16 *)(values), d16)

/* Returns the sum of the lanes, halves first. */
FORGE_INLINE double forge_sum_of_lanes(const d16 *lanes) {
  double sums[FORGE_LANES];
  memcpy(sums, lanes, sizeof sums);
  for (int half = FORGE_LANES / 2; half > 0; half /= 2)
    for (int lane = 0; lane < half; lane++) sums[lane] += sums[lane + half];
  return sums[0];
}

/* Returns the inverse of a scale; 0 for the scale of a channel without weights. */
FORGE_INLINE double forge_inverse_scale(float scale) { return scale == 0 ? 0 : 1.0 / scale; }

/* Compiles the always inlined function <name> for each instruction set, and defines best_<name>(),
 * which returns the best one for this processor. */
#define FORGE_PACKING_FOR(name, level, attribute) \
  attribute static void name##_##level(const void *a, int64_t tile) { name(a, tile); }
#if defined(__x86_64__)
#define FORGE_PACKING(name)                                                \
  FORGE_PACKING_FOR(name, baseline, )                                      \
  FORGE_PACKING_FOR(name, avx2, __attribute__((target("avx2"))))           \
  FORGE_PACKING_FOR(name, avx512, __attribute__((target("avx512f"))))      \
  static forge_deal_work best_##name(void) {                               \
    __builtin_cpu_init();                                                  \
    if (__builtin_cpu_supports("avx512f")) return name##_avx512;           \
    return __builtin_cpu_supports("avx2") ? name##_avx2 : name##_baseline; \
  }
#else
#define FORGE_PACKING(name)           \
  FORGE_PACKING_FOR(name, baseline, ) \
  static forge_deal_work best_##name(void) { return name##_baseline; }
#endif

#endif
