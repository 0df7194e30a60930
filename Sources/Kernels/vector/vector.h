/* A vector of 16 floats, one block's lanes, in clang's vector extension: one AVX-512 register,
 * two of AVX2, four of SSE2 or NEON. Operators work lane by lane; comparisons give -1 or 0 per
 * lane. */

/* All functions that take or give vectors are inlined, so that how a call would pass them, which
 * differs by instruction set, does not matter. */
#pragma clang diagnostic ignored "-Wpsabi"

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t v16i __attribute__((vector_size(64)));
/* The same in memory, where it need not be aligned. */
typedef float v16_stored __attribute__((vector_size(64), aligned(4), may_alias));

FORGE_INLINE v16 load(const float *p) { return *(const v16_stored *)p; }

FORGE_INLINE void store(float *p, v16 x) { *(v16_stored *)p = x; }

FORGE_INLINE v16 splat(float x) { return (v16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

/* a * b + c, rounded once where the instruction set can. */
FORGE_INLINE v16 multiply_add(v16 a, v16 b, v16 c) {
#if FORGE_HAS_FMA
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/* Half of one. */
typedef float v8 __attribute__((vector_size(32)));
typedef float v8_stored __attribute__((vector_size(32), aligned(4), may_alias));

FORGE_INLINE v8 load_half(const float *p) { return *(const v8_stored *)p; }

FORGE_INLINE void store_half(float *p, v8 x) { *(v8_stored *)p = x; }

FORGE_INLINE v8 splat_half(float x) { return (v8){x, x, x, x, x, x, x, x}; }

FORGE_INLINE v8 multiply_add_half(v8 a, v8 b, v8 c) {
#if FORGE_HAS_FMA
  return __builtin_elementwise_fma(a, b, c);
#else
  return a * b + c;
#endif
}

/* Two halves as one. */
FORGE_INLINE v16 joined(v8 low, v8 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

FORGE_INLINE v8 lower_half(v16 x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7); }
FORGE_INLINE v8 upper_half(v16 x) {
  return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Zeros in the upper half. */
FORGE_INLINE v16 widened(v8 x) {
  return __builtin_shufflevector(x, (v8){0}, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Per lane: mask ? yes : no. */
FORGE_INLINE v16 choose(v16i mask, v16 yes, v16 no) {
  return (v16)((mask & (v16i)yes) | (~mask & (v16i)no));
}

/* Per lane: mask ? x : +0, also where x is NaN. */
FORGE_INLINE v16 keep(v16i mask, v16 x) { return (v16)(mask & (v16i)x); }

/* min(max(x, low), high), NaN where x is NaN. With bounds of -inf and inf it is x to the bit. */
FORGE_INLINE v16 clamp(v16 x, v16 low, v16 high) {
  x = choose(low > x, low, x);
  return choose(high < x, high, x);
}

/* Without its sign. */
FORGE_INLINE v16 magnitude(v16 x) { return (v16)((v16i)x & 0x7fffffff); }

/* All bits set in the first `count` lanes (any count: 16 or more is all, 0 or less is none). */
FORGE_INLINE v16i first_lanes(int64_t count) {
  static const int32_t window[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                     -1, -1, -1, -1, -1, -1, -1, -1}; /* and 16 zeros */
  typedef int32_t stored __attribute__((vector_size(64), aligned(4), may_alias));
  count = forge_larger(0, forge_smaller(count, FORGE_LANES));
  return *(const stored *)(window + FORGE_LANES - count);
}

/* lanes[i] = p[i * step] for i < count, `rest` for the lanes after. Not inlined: it is for the
 * ends of rows, and would be most of the code of the kernels that use it. */
static __attribute__((noinline)) void gather(float *lanes, const float *p, int64_t step,
                                             int64_t count, float rest) {
  for (int64_t i = 0; i < FORGE_LANES; i++) lanes[i] = i < count ? p[i * step] : rest;
}

/* p[0 ..< count] and `rest` in the lanes after, for the end of a row that is no multiple of 16. */
FORGE_INLINE v16 load_first(const float *p, int64_t count, float rest) {
  float lanes[FORGE_LANES];
  gather(lanes, p, 1, count, rest);
  return load(lanes);
}

FORGE_INLINE void store_first(float *p, int64_t count, v16 x) {
  float lanes[FORGE_LANES];
  store(lanes, x);
  memcpy(p, lanes, (size_t)count * sizeof(float));
}

/* Combines lane i and lane i ^ distance for distances 8, 4, 2, 1: all lanes end up with all. */
#define FORGE_FOLD(x, combine)                                                                 \
  do {                                                                                         \
    x = combine(                                                                               \
      x, __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7)); \
    x = combine(                                                                               \
      x, __builtin_shufflevector(x, x, 4, 5, 6, 7, 0, 1, 2, 3, 12, 13, 14, 15, 8, 9, 10, 11)); \
    x = combine(                                                                               \
      x, __builtin_shufflevector(x, x, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13)); \
    x = combine(                                                                               \
      x, __builtin_shufflevector(x, x, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14)); \
  } while (0)

/* As many tiles of 14, 7, 4, 2 and 1 pixels as fit into `width`, none of more than the constant
 * `most`: X(x, pixels) each. */
#define FORGE_PIXEL_TILES(width, most, X) \
  do {                                    \
    int64_t x = 0;                        \
    FORGE_PIXEL_TILE(14, width, most, X)  \
    FORGE_PIXEL_TILE(7, width, most, X)   \
    FORGE_PIXEL_TILE(4, width, most, X)   \
    FORGE_PIXEL_TILE(2, width, most, X)   \
    FORGE_PIXEL_TILE(1, width, most, X)   \
  } while (0)
#define FORGE_PIXEL_TILE(pixels, width, most, X) \
  for (; pixels <= most && x + pixels <= width; x += pixels) X(x, (pixels <= most ? pixels : 1));

FORGE_INLINE v16 plus(v16 a, v16 b) { return a + b; }

/* The larger; b where either is NaN. */
FORGE_INLINE v16 larger(v16 a, v16 b) { return choose(a > b, a, b); }

/* In every lane the sum of all lanes. */
FORGE_INLINE v16 sum_of_lanes(v16 x) {
  FORGE_FOLD(x, plus);
  return x;
}

/* In every lane the largest of all lanes; NaNs may be passed over. */
FORGE_INLINE v16 largest_of_lanes(v16 x) {
  FORGE_FOLD(x, larger);
  return x;
}
