/* Which kernels this machine runs: a constant table per instruction set. */
#include "internal.h"

#pragma STDC FP_CONTRACT OFF

#define SHARED(family) .family = forge_##family##_scalar,
#define OF_SCALAR(family) .family = forge_##family##_scalar,
#define OF_BASELINE(family) .family = forge_##family##_baseline,
#define OF_AVX2(family) .family = forge_##family##_avx2,
#define OF_AVX512(family) .family = forge_##family##_avx512,

static const forge_kernel_table scalar = {.level = FORGE_SCALAR,
                                          .name = "scalar",
                                          FORGE_SHARED_KERNELS(SHARED)
                                            FORGE_VECTOR_KERNELS(OF_SCALAR)};

#if defined(__x86_64__) || defined(__aarch64__)
static const forge_kernel_table baseline = {
  .level = FORGE_BASELINE,
  .name = "baseline",
  FORGE_SHARED_KERNELS(SHARED) FORGE_VECTOR_KERNELS(OF_BASELINE) FORGE_FAST_KERNELS(OF_BASELINE)};
#endif

#if defined(__x86_64__)
static const forge_kernel_table avx2 = {.level = FORGE_AVX2,
                                        .name = "avx2",
                                        FORGE_SHARED_KERNELS(SHARED) FORGE_VECTOR_KERNELS(OF_AVX2)
                                          FORGE_FAST_KERNELS(OF_AVX2)};

static const forge_kernel_table avx512 = {
  .level = FORGE_AVX512,
  .name = "avx512",
  FORGE_SHARED_KERNELS(SHARED) FORGE_VECTOR_KERNELS(OF_AVX512) FORGE_FAST_KERNELS(OF_AVX512)};
#endif

const forge_kernel_table *forge_kernels(forge_level level) {
#if defined(__x86_64__)
  /* These ask the processor, and whether the operating system saves the wide registers. */
  __builtin_cpu_init();
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool has_avx512 = has_avx2 && __builtin_cpu_supports("avx512f") &&
    __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
    __builtin_cpu_supports("avx512vl");
#endif
  switch (level) {
    case FORGE_SCALAR: return &scalar;
#if defined(__x86_64__) || defined(__aarch64__)
    case FORGE_BASELINE: return &baseline;
#endif
#if defined(__x86_64__)
    case FORGE_AVX2: return has_avx2 ? &avx2 : NULL;
    case FORGE_AVX512: return has_avx512 ? &avx512 : NULL;
#endif
    default: return NULL;
  }
}

forge_level forge_best_level(void) {
  for (int level = FORGE_AVX512; level > FORGE_SCALAR; level--)
    if (forge_kernels((forge_level)level)) return (forge_level)level;
  return FORGE_SCALAR;
}

/* One multiply-add of 16 lanes per cycle is one port of 512 bits or two of 256. */
static const forge_level_facts facts[] = {
  [FORGE_SCALAR] = {"scalar", 0.02, 1, 0},
  [FORGE_BASELINE] = {"baseline", 0.25, 1.25, 1},
  [FORGE_AVX2] = {"avx2", 1, 1, 1},
  [FORGE_AVX512] = {"avx512", 1, 1, 1},
};

const forge_level_facts *forge_facts(forge_level level) {
  return level <= FORGE_AVX512 ? &facts[level] : NULL;
}

int32_t forge_level_named(const char *name) {
  if (name == NULL) return -1;
  for (int32_t level = FORGE_SCALAR; level <= FORGE_AVX512; level++)
    if (strcmp(name, facts[level].name) == 0) return level;
  return -1;
}
