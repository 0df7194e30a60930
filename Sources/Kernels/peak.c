/* The most that a core does, to compare kernels with: see CForgePeak.h.
 *
 * The arithmetic is a loop over 12 independent chains that stay in registers. Where there is a
 * fused multiply-add, each chain is s = s * one + zero: latency 4 times two units asks for 8
 * chains, 5 times two (Haswell) for 10. Where there is none, six chains multiply and six add,
 * twice, because a chain of both would wait for either: as many operations, all of them
 * independent. `one` and `zero` are made opaque, or the compiler would know the result; with 1 and
 * 0 nothing overflows and nothing becomes denormal. */
#include "internal.h"

#include "include/CForgePeak.h"

#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wpsabi"

/* An instruction that does nothing but may have changed x, for all the compiler knows. */
#if defined(__x86_64__)
#define OPAQUE(x) __asm__ volatile("" : "+x"(x))
#define OPAQUE_WIDE(x) __asm__ volatile("" : "+v"(x))
#elif defined(__aarch64__)
#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#else
#define OPAQUE(x) __asm__ volatile("" : "+m"(x))
#endif

#define EACH_OF_6(X) X(0) X(1) X(2) X(3) X(4) X(5)
#define EACH_OF_12(X) EACH_OF_6(X) X(6) X(7) X(8) X(9) X(10) X(11)

/* Multiplication and addition in one. */
#define FUSED(i) s##i = __builtin_elementwise_fma(s##i, one, zero);
#define FUSED_ROUND EACH_OF_12(FUSED)
/* Six of each, twice: 12 multiplications and 12 additions, or 12 multiply-adds. */
#define TIMES_0 \
  s0 *= one;    \
  s1 *= one;    \
  s2 *= one;    \
  s3 *= one;    \
  s4 *= one;    \
  s5 *= one;
#define PLUS_0 \
  s6 += zero;  \
  s7 += zero;  \
  s8 += zero;  \
  s9 += zero;  \
  s10 += zero; \
  s11 += zero;
#define KEEP_6(i) KEEP(s##i);
#define SEPARATE_ROUND              \
  TIMES_0 PLUS_0 EACH_OF_12(KEEP_6) \
  TIMES_0 PLUS_0

#define DECLARE(i) vector s##i = one * (float)(i + 1);
#define ADD_UP(i) sum += s##i;

/* One level's loops. VECTOR is its vector type, ROUND a round of the arithmetic, KEEP as OPAQUE. */
#define PEAK(name, VECTOR, ROUND)                                    \
  static float arithmetic_##name(int64_t rounds) {                   \
    typedef VECTOR vector;                                           \
    vector one = (vector){0} + 1.0f, zero = (vector){0};             \
    KEEP(one);                                                       \
    KEEP(zero);                                                      \
    EACH_OF_12(DECLARE)                                              \
    for (int64_t round = 0; round < rounds; round++) {               \
      ROUND                                                          \
      EACH_OF_12(KEEP_6)                                             \
    }                                                                \
    vector sum = zero;                                               \
    EACH_OF_12(ADD_UP)                                               \
    float first;                                                     \
    memcpy(&first, &sum, sizeof first);                              \
    return first;                                                    \
  }                                                                  \
  static float read_##name(const float *values, int64_t count) {     \
    typedef VECTOR vector;                                           \
    const int64_t lanes = (int64_t)(sizeof(vector) / sizeof(float)); \
    vector a = {0}, b = {0}, c = {0}, d = {0};                       \
    for (int64_t i = 0; i < count; i += 4 * lanes) {                 \
      const vector *line = (const vector *)(values + i);             \
      a += line[0], b += line[1], c += line[2], d += line[3];        \
    }                                                                \
    a += b + c + d;                                                  \
    float first;                                                     \
    memcpy(&first, &a, sizeof first);                                \
    return first;                                                    \
  }

typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));

#define KEEP OPAQUE
PEAK(scalar, float, SEPARATE_ROUND)
PEAK(baseline, v4, SEPARATE_ROUND)

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
PEAK(avx2, v8, FUSED_ROUND)
#pragma clang attribute pop

#undef KEEP
#define KEEP OPAQUE_WIDE
#pragma clang attribute push( \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
PEAK(avx512, v16, FUSED_ROUND)
#pragma clang attribute pop
#endif

typedef struct {
  int64_t lanes;
  float (*arithmetic)(int64_t rounds);
  float (*read)(const float *values, int64_t count);
} peak_level;

static const peak_level *level_of(int32_t level) {
  static const peak_level levels[] = {
    [FORGE_SCALAR] = {1, arithmetic_scalar, read_scalar},
    [FORGE_BASELINE] = {4, arithmetic_baseline, read_baseline},
#if defined(__x86_64__)
    [FORGE_AVX2] = {8, arithmetic_avx2, read_avx2},
    [FORGE_AVX512] = {16, arithmetic_avx512, read_avx512},
#endif
  };
  const int32_t count = (int32_t)(sizeof levels / sizeof levels[0]);
  return level >= 0 && level < count ? &levels[level] : NULL;
}

int64_t forge_peak_lanes(forge_level level) {
  const peak_level *found = level_of((int32_t)level);
  return found ? found->lanes : 0;
}

void forge_peak_arithmetic(const void *arguments, const forge_frame *frame, int64_t first,
                           int64_t last) {
  (void)frame;
  const forge_peak_arguments *a = arguments;
  const peak_level *level = level_of(a->level);
  for (int64_t tile = first; tile < last && level; tile++)
    a->results[tile] = level->arithmetic(a->rounds);
}

void forge_peak_read(const void *arguments, const forge_frame *frame, int64_t first, int64_t last) {
  (void)frame;
  const forge_read_arguments *a = arguments;
  const peak_level *level = level_of(a->level);
  for (int64_t tile = first; tile < last && level; tile++)
    a->results[tile] = level->read(a->values + tile * a->tile_count, a->tile_count);
}
