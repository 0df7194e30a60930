/* Peak rates of a core: see CForgePeak.h.
 *
 * The arithmetic is a loop over 12 independent chains in registers. A fused multiply-add has a
 * latency of 4 or 5 cycles on two units, which takes 8 or 10 chains. Without one, half of the
 * chains multiply and half add, because a chain of both would wait: as many operations, all
 * independent. The compiler must not see the values of `one` and `zero`. With 1 and 0 nothing
 * overflows and nothing becomes denormal. */
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "internal.h"

#include "include/CForgePeak.h"

#pragma STDC FP_CONTRACT OFF
#pragma clang diagnostic ignored "-Wpsabi"

/* Hides the value of x from the compiler. */
#if defined(__x86_64__)
#define OPAQUE(x) __asm__ volatile("" : "+x"(x))
#define OPAQUE_WIDE(x) __asm__ volatile("" : "+v"(x))
#elif defined(__aarch64__)
#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#else
#define OPAQUE(x) __asm__ volatile("" : "+m"(x))
#endif

/* One level's loops. Chains that are fused do a multiply-add each. Otherwise half of the chains
 * multiply and half add, twice. KEEP is OPAQUE. */
#define EACH(from, to, statement) \
  _Pragma("clang loop unroll(full)") for (int i = from; i < to; i++) statement;
#define PEAK(name, VECTOR, FUSED)                                       \
  static float arithmetic_##name(int64_t rounds) {                      \
    typedef VECTOR vector;                                              \
    enum { ALL = FORGE_PEAK_CHAINS, HALF = ALL / 2 };                   \
    vector one = (vector){0} + 1.0f, zero = (vector){0}, s[ALL];        \
    KEEP(one);                                                          \
    KEEP(zero);                                                         \
    EACH(0, ALL, s[i] = one * (float)(i + 1))                           \
    for (int64_t round = 0; round < rounds; round++) {                  \
      if (FUSED) {                                                      \
        EACH(0, ALL, s[i] = __builtin_elementwise_fma(s[i], one, zero)) \
      } else {                                                          \
        EACH(0, HALF, s[i] *= one)                                      \
        EACH(HALF, ALL, s[i] += zero)                                   \
        EACH(0, ALL, KEEP(s[i]))                                        \
        EACH(0, HALF, s[i] *= one)                                      \
        EACH(HALF, ALL, s[i] += zero)                                   \
      }                                                                 \
      EACH(0, ALL, KEEP(s[i]))                                          \
    }                                                                   \
    vector sum = zero;                                                  \
    EACH(0, ALL, sum += s[i])                                           \
    float first;                                                        \
    memcpy(&first, &sum, sizeof first);                                 \
    return first;                                                       \
  }                                                                     \
  static float read_##name(const float *values, int64_t count) {        \
    typedef VECTOR vector;                                              \
    const int64_t lanes = (int64_t)(sizeof(vector) / sizeof(float));    \
    vector a = {0}, b = {0}, c = {0}, d = {0};                          \
    for (int64_t i = 0; i < count; i += 4 * lanes) {                    \
      const vector *line = (const vector *)(values + i);                \
      a += line[0], b += line[1], c += line[2], d += line[3];           \
    }                                                                   \
    a += b + c + d;                                                     \
    float first;                                                        \
    memcpy(&first, &a, sizeof first);                                   \
    return first;                                                       \
  }

typedef float v4 __attribute__((vector_size(16)));
typedef float v8 __attribute__((vector_size(32)));
typedef float v16 __attribute__((vector_size(64)));

#define KEEP OPAQUE
PEAK(scalar, float, false)
PEAK(baseline, v4, false)

#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
PEAK(avx2, v8, true)
#pragma clang attribute pop

#undef KEEP
#define KEEP OPAQUE_WIDE
#pragma clang attribute push( \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
PEAK(avx512, v16, true)
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

enum { LINE_BYTES = 64 };

#if defined(__x86_64__)
/* Moves lines out of the caches without waiting for each of them. */
__attribute__((target("clflushopt"))) static void flush_quickly(const char *line, const char *end) {
  for (; line < end; line += LINE_BYTES) __builtin_ia32_clflushopt(line);
}

static int32_t flush_lines(const char *line, const char *end) {
  unsigned a, b = 0, c, d;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_CLFLUSHOPT)
    flush_quickly(line, end);
  else
    for (; line < end; line += LINE_BYTES) __builtin_ia32_clflush(line);
  __builtin_ia32_mfence();
  return 1;
}
#elif defined(__aarch64__) && defined(__linux__)
static int32_t flush_lines(const char *line, const char *end) {
  for (; line < end; line += LINE_BYTES) __asm__ volatile("dc civac, %0" : : "r"(line) : "memory");
  __asm__ volatile("dsb sy" : : : "memory");
  return 1;
}
#else
static int32_t flush_lines(const char *line, const char *end) {
  (void)line, (void)end;
  return 0;
}
#endif

int32_t forge_flush(const void *memory, int64_t byte_count) {
  const char *first = memory;
  return flush_lines(first, byte_count > 0 ? first + byte_count : first);
}
