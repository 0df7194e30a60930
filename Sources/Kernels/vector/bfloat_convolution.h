/* Convolution in bf16: products of pairs of channels, two multiply-adds per lane and instruction
 * (vdpbf16ps). */

typedef uint32_t pairs_stored __attribute__((vector_size(32), aligned(4), may_alias));

FORGE_INLINE void store_pairs(float *out, v16 x, v16 inverse, v16i zero) {
  (void)inverse, (void)zero;
  *(pairs_stored *)out = (pairs_stored)_mm512_cvtneps_pbh((__m512)x);
}

FORGE_KERNEL(bfloat_input) {
  store_words(arguments, frame, first, last, FORGE_PAIR_WORDS, store_pairs, splat(0), (v16i){0});
}

/* sum + the products of a pair. */
FORGE_INLINE v16 bfloat_add(v16 sum, v16 x, v16 weights) {
  return (v16)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)weights);
}

FORGE_INLINE v16 bfloat_begin(const convolution_row *row, int64_t vector, int64_t x) {
  (void)x;
  return load(row->bias + vector * FORGE_LANES);
}

FORGE_INLINE v16 bfloat_end(const convolution_row *row, int64_t vector, int64_t x, v16 sum) {
  (void)row, (void)vector, (void)x;
  return sum;
}

FORGE_WORD_TILES(bfloat, FORGE_PAIR_WORDS)

FORGE_KERNEL(bfloat_convolution) {
  convolve_words(arguments, frame, first, last, FORGE_PAIR_WORDS, bfloat_tiles);
}
