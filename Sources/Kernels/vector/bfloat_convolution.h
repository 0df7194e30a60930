/* Convolution in bf16: products of pairs of channels, two multiply-adds per lane and instruction
 * (vdpbf16ps). */

typedef uint32_t pairs_stored __attribute__((vector_size(32), aligned(4), may_alias));

FORGE_INLINE void store_pairs(float *p, __m256bh x) { *(pairs_stored *)p = (pairs_stored)x; }

void FORGE_KERNEL(bfloat_input)(const void *arguments, const forge_frame *frame, int64_t first,
                                int64_t last) {
  const forge_words_arguments *a = arguments;
  const __m256bh zero = (__m256bh)_mm256_setzero_si256();
  for (int64_t tile = first; tile < last; tile++) {
    words_source row;
    float *out = words_of(a, frame, tile, FORGE_PAIR_WORDS, &row);
    const int64_t before = row.in ? row.left : row.left + row.width + row.right;
    for (int64_t x = 0; x < before; x++, out += FORGE_PAIR_WORDS) store_pairs(out, zero);
    if (!row.in) continue;
    for (int64_t x = 0; x < row.width; x++, out += FORGE_PAIR_WORDS)
      store_pairs(out, _mm512_cvtneps_pbh((__m512)keep(row.mask, load(row.in + x * FORGE_LANES))));
    for (int64_t x = 0; x < row.right; x++, out += FORGE_PAIR_WORDS) store_pairs(out, zero);
  }
}

/* sum + the products of a pair. */
FORGE_INLINE v16 bfloat_add(v16 sum, v16 x, v16 weights) {
  return (v16)_mm512_dpbf16_ps((__m512)sum, (__m512bh)x, (__m512bh)weights);
}

FORGE_INLINE v16 bfloat_begin(const convolution_row *row, int64_t vector) {
  return load(row->bias + vector * FORGE_LANES);
}

FORGE_INLINE v16 bfloat_end(const convolution_row *row, int64_t vector, v16 sum) {
  (void)row, (void)vector;
  return sum;
}

FORGE_WORD_TILES(bfloat, FORGE_PAIR_WORDS)

void FORGE_KERNEL(bfloat_convolution)(const void *arguments, const forge_frame *frame,
                                      int64_t first, int64_t last) {
  convolve_words(arguments, frame, first, last, FORGE_PAIR_WORDS, bfloat_tiles);
}
