/* Packing in double precision: sixteen outputs at a time, a function per instruction set.
 *
 * All compute the same bits: nothing is fused. The including file sets FP_CONTRACT to off. */
#ifndef FORGE_PACKING_H
#define FORGE_PACKING_H

#include "internal.h"

/* 8 registers of SSE2, 2 of AVX-512. */
typedef double d16 __attribute__((vector_size(128)));
typedef float f16 __attribute__((vector_size(64), aligned(4), may_alias));

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
