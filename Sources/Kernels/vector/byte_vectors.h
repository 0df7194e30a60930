/* Vectors of 64 bytes: products of quads, and floats to bytes.
 *
 * FORGE_BYTES is the width of the level's registers in bits: 512, 256, 128, or 0 for those that
 * clang's vector extension alone has to express. FORGE_HAS_QUADS says whether an instruction
 * multiplies quads of bytes: vpdpbusd, or on arm64 usdot, or sdot with FORGE_SIGNED_QUADS. All sums
 * are exact. */

typedef uint8_t v64b __attribute__((vector_size(64)));
typedef int16_t v32h __attribute__((vector_size(64)));
typedef uint16_t v32uh __attribute__((vector_size(64)));
typedef uint32_t v16u __attribute__((vector_size(64)));
typedef uint8_t v64b_stored __attribute__((vector_size(64), aligned(1), may_alias));
typedef int32_t v16i_stored __attribute__((vector_size(64), aligned(1), may_alias));

FORGE_INLINE v64b load_bytes(const void *p) { return *(const v64b_stored *)p; }
FORGE_INLINE v16i load_integers(const void *p) { return *(const v16i_stored *)p; }
FORGE_INLINE void store_integers(void *p, v16i x) { *(v16i_stored *)p = x; }

FORGE_INLINE v16i splat_word(int32_t x) { return (v16i){0} + x; }

/* The quad of bytes at `p` in all lanes. */
FORGE_INLINE v16i splat_quad(const void *p) {
  int32_t quad;
  memcpy(&quad, p, sizeof quad);
  return splat_word(quad);
}

/* ---- products ---- */

#if FORGE_HAS_QUADS

typedef v16i quad_inputs;
typedef v16i quad_weights;
FORGE_INLINE quad_weights weights_of(v16i x) { return x; }
#if FORGE_SIGNED_QUADS
/* 128 less than each byte: see fold_excess. */
FORGE_INLINE quad_inputs inputs_of(v16i x) { return x ^ (int32_t)0x80808080; }
#else
FORGE_INLINE quad_inputs inputs_of(v16i x) { return x; }
#endif

/* sum + the products of four unsigned and four signed bytes, per lane. */
FORGE_INLINE v16i add_quads(v16i sum, quad_inputs x, quad_weights w) {
#if FORGE_BYTES == 512
  return (v16i)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)w);
#elif FORGE_BYTES == 0
  int32x4_t sums[4];
  uint8x16_t inputs[4];
  int8x16_t weights[4];
  memcpy(sums, &sum, sizeof sums);
  memcpy(inputs, &x, sizeof inputs);
  memcpy(weights, &w, sizeof weights);
  for (int i = 0; i < 4; i++)
#if FORGE_SIGNED_QUADS
    sums[i] = vdotq_s32(sums[i], vreinterpretq_s8_u8(inputs[i]), weights[i]);
#else
    sums[i] = vusdotq_s32(sums[i], inputs[i], weights[i]);
#endif
  memcpy(&sum, sums, sizeof sum);
  return sum;
#else
  typedef int32_t v8i __attribute__((vector_size(32)));
  const v8i low =
    (v8i)FORGE_DPBUSD_256((__m256i)__builtin_shufflevector(sum, sum, 0, 1, 2, 3, 4, 5, 6, 7),
                          (__m256i)__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7),
                          (__m256i)__builtin_shufflevector(w, w, 0, 1, 2, 3, 4, 5, 6, 7));
  const v8i high =
    (v8i)FORGE_DPBUSD_256((__m256i)__builtin_shufflevector(sum, sum, 8, 9, 10, 11, 12, 13, 14, 15),
                          (__m256i)__builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15),
                          (__m256i)__builtin_shufflevector(w, w, 8, 9, 10, 11, 12, 13, 14, 15));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}

#else

/* The even and the odd bytes of quads, widened to 16 bits. Sums of two products of 16 bits are
 * exact in 32; the instruction that multiplies bytes would saturate at 16. */
typedef struct {
  v32h even, odd;
} quad_inputs;
typedef quad_inputs quad_weights;

FORGE_INLINE quad_inputs inputs_of(v16i x) {
  const v32uh halves = (v32uh)x;
  return (quad_inputs){(v32h)(halves & 255), (v32h)(halves >> 8)};
}

FORGE_INLINE quad_weights weights_of(v16i w) {
  const v32h halves = (v32h)w;
  return (quad_weights){(v32h)((v32uh)w << 8) >> 8, halves >> 8};
}

/* The sums of products of neighboring numbers of 16 bits. */
FORGE_INLINE v16i pair_products(v32h a, v32h b) {
#if FORGE_BYTES == 512
  return (v16i)_mm512_madd_epi16((__m512i)a, (__m512i)b);
#elif FORGE_BYTES == 256
  __m256i x[2], y[2];
  memcpy(x, &a, sizeof x);
  memcpy(y, &b, sizeof y);
  for (int i = 0; i < 2; i++) x[i] = _mm256_madd_epi16(x[i], y[i]);
  v16i sums;
  memcpy(&sums, x, sizeof sums);
  return sums;
#elif FORGE_BYTES == 128
  __m128i x[4], y[4];
  memcpy(x, &a, sizeof x);
  memcpy(y, &b, sizeof y);
  for (int i = 0; i < 4; i++) x[i] = _mm_madd_epi16(x[i], y[i]);
  v16i sums;
  memcpy(&sums, x, sizeof sums);
  return sums;
#else
  const v16i even = ((v16i)((v16u)a << 16) >> 16) * ((v16i)((v16u)b << 16) >> 16);
  return even + ((v16i)a >> 16) * ((v16i)b >> 16);
#endif
}

FORGE_INLINE v16i add_quads(v16i sum, quad_inputs x, quad_weights w) {
  /* Modulo 2^32. */
  v16u total = (v16u)sum;
  total += (v16u)pair_products(x.even, w.even);
  total += (v16u)pair_products(x.odd, w.odd);
  return (v16i)total;
}

#endif

/* Inputs of add_quads whose bytes are below 128. */
FORGE_INLINE quad_inputs small_inputs_of(v16i x) {
#if FORGE_SIGNED_QUADS
  return x;
#else
  return inputs_of(x);
#endif
}

/* a + b and a * b modulo 2^32. */
FORGE_INLINE v16i wrapping_sum(v16i a, v16i b) { return (v16i)((v16u)a + (v16u)b); }
FORGE_INLINE v16i wrapping_product(v16i a, v16i b) { return (v16i)((v16u)a * (v16u)b); }

#if FORGE_SIGNED_QUADS
/* folded = biases + 128 * the sums of weights, [quads][width][4]: what products of signed bytes
 * lack, whose inputs are 128 too small. */
static void fold_excess(int32_t *folded, const int32_t *biases, const int8_t *weights,
                        int64_t quads, int64_t width) {
  for (int64_t n = 0; n < width; n += FORGE_LANES) {
    v16i sum = {0};
    for (int64_t q = 0; q < quads; q++)
      sum = add_quads(sum, splat_word(0x01010101),
                      weights_of(load_integers(weights + (q * width + n) * FORGE_QUAD)));
    store_integers(folded + n,
                   wrapping_sum(load_integers(biases + n), wrapping_product(sum, splat_word(128))));
  }
}
#endif

FORGE_INLINE v16 floats_of(v16i x) { return __builtin_convertvector(x, v16); }

/* ---- floats to bytes ---- */

/* How floats become bytes: see forge_byte_of. */
typedef struct {
  int32_t zero, low, high;
} byte_rule;

/* Rounds to integers: -32768 or less for NaN, and beyond the bound anything beyond it. */
FORGE_INLINE v16i round_words(v16 f) {
#if FORGE_BYTES == 512
  /* The smaller of two is the second if one is NaN. NaN and numbers below the range of integers
   * become the least integer. */
  return (v16i)_mm512_cvtps_epi32(_mm512_min_ps(_mm512_set1_ps(FORGE_BYTE_BOUND), (__m512)f));
#elif FORGE_BYTES == 256
  __m256 x[2];
  memcpy(x, &f, sizeof x);
  __m256i whole[2];
  for (int i = 0; i < 2; i++)
    whole[i] = _mm256_cvtps_epi32(_mm256_min_ps(_mm256_set1_ps(FORGE_BYTE_BOUND), x[i]));
  v16i words;
  memcpy(&words, whole, sizeof words);
  return words;
#elif FORGE_BYTES == 128
  __m128 x[4];
  memcpy(x, &f, sizeof x);
  __m128i whole[4];
  for (int i = 0; i < 4; i++)
    whole[i] = _mm_cvtps_epi32(_mm_min_ps(_mm_set1_ps(FORGE_BYTE_BOUND), x[i]));
  v16i words;
  memcpy(&words, whole, sizeof words);
  return words;
#else
  const v16 bound = splat(FORGE_BYTE_BOUND);
  f = choose(f > bound, bound, f);
  f = choose(f > -bound, f, -bound - 1); /* NaN, too */
  const v16 shift = splat(FORGE_ROUND_WORDS);
  return (v16i)(f + shift) - (v16i)shift;
#endif
}

typedef uint8_t v16b __attribute__((vector_size(16)));
typedef uint8_t v16b_stored __attribute__((vector_size(16), aligned(1), may_alias));

/* 16 bytes as integers. */
FORGE_INLINE v16i words_of(const uint8_t *p) {
  return __builtin_convertvector(*(const v16b_stored *)p, v16i);
}

/* The bytes of 16 floats. */
FORGE_INLINE v16b bytes_of(v16 f, byte_rule end) {
  v16i whole = round_words(f);
#if FORGE_BYTES == 256 || FORGE_BYTES == 128
  __m128i x[4];
  memcpy(x, &whole, sizeof x);
  const __m128i zero = _mm_set1_epi16((int16_t)end.zero);
  const __m128i low = _mm_adds_epi16(_mm_packs_epi32(x[0], x[1]), zero);
  const __m128i high = _mm_adds_epi16(_mm_packs_epi32(x[2], x[3]), zero);
  const __m128i bytes = _mm_packus_epi16(low, high);
  return (v16b)_mm_min_epu8(_mm_max_epu8(bytes, _mm_set1_epi8((char)end.low)),
                            _mm_set1_epi8((char)end.high));
#else
  /* No sum overflows: the bound is above, and the zero point not below 0. */
  whole += end.zero;
  whole = __builtin_elementwise_max(whole, splat_word(end.low));
  whole = __builtin_elementwise_min(whole, splat_word(end.high));
  return __builtin_convertvector(whole, v16b);
#endif
}

FORGE_INLINE void store_sixteen(uint8_t *out, v16b x) { *(v16b_stored *)out = x; }

/* Stores the bytes of `vectors` vectors of floats. */
FORGE_INLINE void store_bytes(uint8_t *out, const v16 *f, const int vectors, byte_rule end) {
#if FORGE_BYTES == 512
  if (vectors == 4) {
    __m512i whole[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < 4; v++) whole[v] = (__m512i)round_words(f[v]);
    const __m512i zero = _mm512_set1_epi16((int16_t)end.zero);
    const __m512i low = _mm512_adds_epi16(_mm512_packs_epi32(whole[0], whole[1]), zero);
    const __m512i high = _mm512_adds_epi16(_mm512_packs_epi32(whole[2], whole[3]), zero);
    /* Narrowing works within each 128 bits and leaves fours of channels to be put in order. */
    const __m512i order = _mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
    __m512i bytes = _mm512_packus_epi16(low, high);
    bytes = _mm512_max_epu8(bytes, _mm512_set1_epi8((char)end.low));
    bytes = _mm512_min_epu8(bytes, _mm512_set1_epi8((char)end.high));
    _mm512_storeu_si512(out, _mm512_permutexvar_epi32(order, bytes));
    return;
  }
#endif
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++) store_sixteen(out + v * FORGE_LANES, bytes_of(f[v], end));
}

/* ---- joined rows ---- */

/* Lane-wise joining, within each 128 bits, of the lower or the upper halves. */
#define FORGE_JOIN_BYTE(i, half) ((i) / 16 * 16 + (i) % 16 / 2 + (i) % 2 * 64 + 8 * (half))
#define FORGE_JOIN_PAIR(i, half) ((i) / 8 * 8 + (i) % 8 / 2 + (i) % 2 * 32 + 4 * (half))
/* The place of byte i among the vectors of its block one after the other. */
#define FORGE_JOINED_PLACE(i, half) ((i) % 16 / 4 * 16 + (i) / 16 * 4 + (i) % 4)
#define FORGE_INDICES_8(at, index, half)                                          \
  index(at, half), index(at + 1, half), index(at + 2, half), index(at + 3, half), \
    index(at + 4, half), index(at + 5, half), index(at + 6, half), index(at + 7, half)
#define FORGE_INDICES_32(at, index, half)                                 \
  FORGE_INDICES_8(at, index, half), FORGE_INDICES_8(at + 8, index, half), \
    FORGE_INDICES_8(at + 16, index, half), FORGE_INDICES_8(at + 24, index, half)
#define FORGE_INDICES_64(index, half) \
  FORGE_INDICES_32(0, index, half), FORGE_INDICES_32(32, index, half)

/* Joins the bytes of four rows to quads: those of channel c are at forge_depthwise_place(c). */
FORGE_INLINE void join_rows(const v64b rows[4], v16i quads[4]) {
  const v32h low =
    (v32h)__builtin_shufflevector(rows[0], rows[1], FORGE_INDICES_64(FORGE_JOIN_BYTE, 0));
  const v32h high =
    (v32h)__builtin_shufflevector(rows[0], rows[1], FORGE_INDICES_64(FORGE_JOIN_BYTE, 1));
  const v32h next_low =
    (v32h)__builtin_shufflevector(rows[2], rows[3], FORGE_INDICES_64(FORGE_JOIN_BYTE, 0));
  const v32h next_high =
    (v32h)__builtin_shufflevector(rows[2], rows[3], FORGE_INDICES_64(FORGE_JOIN_BYTE, 1));
  quads[0] = (v16i)__builtin_shufflevector(low, next_low, FORGE_INDICES_32(0, FORGE_JOIN_PAIR, 0));
  quads[1] = (v16i)__builtin_shufflevector(low, next_low, FORGE_INDICES_32(0, FORGE_JOIN_PAIR, 1));
  quads[2] =
    (v16i)__builtin_shufflevector(high, next_high, FORGE_INDICES_32(0, FORGE_JOIN_PAIR, 0));
  quads[3] =
    (v16i)__builtin_shufflevector(high, next_high, FORGE_INDICES_32(0, FORGE_JOIN_PAIR, 1));
}

/* Stores the bytes of a block whose floats are in the order of joined rows. */
FORGE_INLINE void store_joined(uint8_t *out, const v16 f[4], byte_rule end) {
#if FORGE_BYTES == 512
  __m512i whole[4];
#pragma clang loop unroll(full)
  for (int v = 0; v < 4; v++) whole[v] = (__m512i)round_words(f[v]);
  const __m512i zero = _mm512_set1_epi16((int16_t)end.zero);
  __m512i bytes =
    _mm512_packus_epi16(_mm512_adds_epi16(_mm512_packs_epi32(whole[0], whole[1]), zero),
                        _mm512_adds_epi16(_mm512_packs_epi32(whole[2], whole[3]), zero));
  bytes = _mm512_max_epu8(bytes, _mm512_set1_epi8((char)end.low));
  _mm512_storeu_si512(out, _mm512_min_epu8(bytes, _mm512_set1_epi8((char)end.high)));
#elif FORGE_BYTES == 256 || FORGE_BYTES == 128
  __m128i whole[4][4]; /* [vector][lane] */
#pragma clang loop unroll(full)
  for (int v = 0; v < 4; v++) {
    const v16i words = round_words(f[v]);
    memcpy(whole[v], &words, sizeof words);
  }
  const __m128i zero = _mm_set1_epi16((int16_t)end.zero);
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++) {
    const __m128i low = _mm_adds_epi16(_mm_packs_epi32(whole[0][i], whole[1][i]), zero);
    const __m128i high = _mm_adds_epi16(_mm_packs_epi32(whole[2][i], whole[3][i]), zero);
    __m128i bytes = _mm_max_epu8(_mm_packus_epi16(low, high), _mm_set1_epi8((char)end.low));
    bytes = _mm_min_epu8(bytes, _mm_set1_epi8((char)end.high));
    _mm_storeu_si128((__m128i *)(out + 16 * i), bytes);
  }
#else
  v64b bytes;
#pragma clang loop unroll(full)
  for (int v = 0; v < 4; v++) {
    const v16b some = bytes_of(f[v], end);
    memcpy((uint8_t *)&bytes + 16 * v, &some, sizeof some);
  }
  bytes = __builtin_shufflevector(bytes, bytes, FORGE_INDICES_64(FORGE_JOINED_PLACE, 0));
  *(v64b_stored *)out = bytes;
#endif
}
