/* A vector of 16 floats, one block, in clang's vector extension: one register of AVX-512, two of
 * AVX2, four of SSE2 or NEON. Operators work per lane. Comparisons give -1 or 0 per lane. */

/* All functions with vector arguments are inlined, so their calling convention does not matter. */
#pragma clang diagnostic ignored "-Wpsabi"

typedef float v16 __attribute__((vector_size(64)));
typedef int32_t v16i __attribute__((vector_size(64)));
/* The same in memory, where it need not be aligned. */
typedef float v16_stored __attribute__((vector_size(64), aligned(4), may_alias));

FORGE_INLINE v16 load(const float *p) { return *(const v16_stored *)p; }

FORGE_INLINE void store(float *p, v16 x) { *(v16_stored *)p = x; }

FORGE_INLINE v16 splat(float x) { return (v16){x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x}; }

/* Half a vector. */
typedef float v8 __attribute__((vector_size(32)));
typedef float v8_stored __attribute__((vector_size(32), aligned(4), may_alias));

FORGE_INLINE v8 load_half(const float *p) { return *(const v8_stored *)p; }

FORGE_INLINE void store_half(float *p, v8 x) { *(v8_stored *)p = x; }

FORGE_INLINE v8 splat_half(float x) { return (v8){x, x, x, x, x, x, x, x}; }

/* Returns a * b + c, rounded once if the instruction set can. */
#if FORGE_HAS_FMA
#define FORGE_MULTIPLY_ADD(a, b, c) __builtin_elementwise_fma(a, b, c)
#else
#define FORGE_MULTIPLY_ADD(a, b, c) (a * b + c)
#endif
FORGE_INLINE v16 multiply_add(v16 a, v16 b, v16 c) { return FORGE_MULTIPLY_ADD(a, b, c); }
FORGE_INLINE v8 multiply_add_half(v8 a, v8 b, v8 c) { return FORGE_MULTIPLY_ADD(a, b, c); }

/* The vector whose lane i is lane index(i, n) of a and b one after the other. */
#define FORGE_SHUFFLE(a, b, index, n)                                                            \
  __builtin_shufflevector(a, b, index(0, n), index(1, n), index(2, n), index(3, n), index(4, n), \
                          index(5, n), index(6, n), index(7, n), index(8, n), index(9, n),       \
                          index(10, n), index(11, n), index(12, n), index(13, n), index(14, n),  \
                          index(15, n))
#define FORGE_AT(i, n) (i)

/* Joins two halves. */
FORGE_INLINE v16 joined(v8 low, v8 high) { return FORGE_SHUFFLE(low, high, FORGE_AT, 0); }

FORGE_INLINE v8 lower_half(v16 x) { return __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7); }
FORGE_INLINE v8 upper_half(v16 x) {
  return __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15);
}

/* Appends zeros as the upper half. */
FORGE_INLINE v16 widened(v8 x) { return joined(x, (v8){0}); }

/* Per lane: mask ? yes : no. */
FORGE_INLINE v16 choose(v16i mask, v16 yes, v16 no) {
  return (v16)((mask & (v16i)yes) | (~mask & (v16i)no));
}

/* Per lane: mask ? x : +0, even if x is NaN. */
FORGE_INLINE v16 keep(v16i mask, v16 x) { return (v16)(mask & (v16i)x); }

/* Returns min(max(x, low), high), NaN for NaN. Bounds of -inf and inf change nothing. */
FORGE_INLINE v16 clamp(v16 x, v16 low, v16 high) {
  x = choose(low > x, low, x);
  return choose(high < x, high, x);
}

FORGE_INLINE v16 magnitude(v16 x) { return (v16)((v16i)x & INT32_MAX); }

/* Returns -|x|. */
FORGE_INLINE v16 negative(v16 x) { return (v16)((v16i)x | INT32_MIN); }

/* Sets all bits of the first `count` lanes. count may be any number. */
FORGE_INLINE v16i first_lanes(int64_t count) {
  static const int32_t window[32] = {-1, -1, -1, -1, -1, -1, -1, -1,
                                     -1, -1, -1, -1, -1, -1, -1, -1}; /* and 16 zeros */
  typedef int32_t stored __attribute__((vector_size(64), aligned(4), may_alias));
  count = forge_larger(0, forge_smaller(count, FORGE_LANES));
  return *(const stored *)(window + FORGE_LANES - count);
}

/* Writes lanes[i] = p[i * step] for i < count, and `rest` after. Not inlined, because it is for the
 * ends of rows only and would dominate the code of its callers. */
static __attribute__((noinline)) void gather(float *lanes, const float *p, int64_t step,
                                             int64_t count, float rest) {
  for (int64_t i = 0; i < FORGE_LANES; i++) lanes[i] = i < count ? p[i * step] : rest;
}

/* Loads p[0 ..< count], the end of a row, and `rest` in the lanes after. */
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

/* Combines lane i with lane i ^ distance for distances 8, 4, 2, 1, so that each lane has the result
 * of all. */
#define FORGE_ACROSS(i, distance) ((i) ^ (distance))
#define FORGE_FOLD(x, combine)                          \
  x = combine(x, FORGE_SHUFFLE(x, x, FORGE_ACROSS, 8)); \
  x = combine(x, FORGE_SHUFFLE(x, x, FORGE_ACROSS, 4)); \
  x = combine(x, FORGE_SHUFFLE(x, x, FORGE_ACROSS, 2)); \
  x = combine(x, FORGE_SHUFFLE(x, x, FORGE_ACROSS, 1));

/* Exchanges numbers `distance` apart between rows `distance` apart: one of four steps of a
 * transposition. */
#define FORGE_LOW(i, distance) ((i) & (distance) ? FORGE_LANES + (i) - (distance) : (i))
#define FORGE_HIGH(i, distance) ((i) & (distance) ? FORGE_LANES + (i) : (i) + (distance))
#define FORGE_EXCHANGE(rows, distance)                                         \
  do {                                                                         \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < FORGE_LANES; i++) { \
      if (i & distance) continue;                                              \
      const v16 a = rows[i], b = rows[i + distance];                           \
      rows[i] = FORGE_SHUFFLE(a, b, FORGE_LOW, distance);                      \
      rows[i + distance] = FORGE_SHUFFLE(a, b, FORGE_HIGH, distance);          \
    }                                                                          \
  } while (0)

/* Transposes `rows`. */
FORGE_INLINE void transpose(v16 rows[FORGE_LANES]) {
  FORGE_EXCHANGE(rows, 8);
  FORGE_EXCHANGE(rows, 4);
  FORGE_EXCHANGE(rows, 2);
  FORGE_EXCHANGE(rows, 1);
}

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

/* Returns the larger, b if either is NaN. */
FORGE_INLINE v16 larger(v16 a, v16 b) { return choose(a > b, a, b); }

FORGE_INLINE v16 sum_of_lanes(v16 x) {
  FORGE_FOLD(x, plus)
  return x;
}

/* May ignore NaN. */
FORGE_INLINE v16 largest_of_lanes(v16 x) {
  FORGE_FOLD(x, larger)
  return x;
}
