/* Convolution in int8: products of four channels, summed exactly in 32 bits (vpdpbusd). */

FORGE_KERNEL(byte_range) {
  const forge_words_arguments *a = arguments;
  int32_t *least = forge_range_of(&a->range, frame) + FORGE_RANGE_ROWS;
  int32_t *most = least + forge_byte_range_tiles(a);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const v16i mask = first_lanes(a->in.channels - block * FORGE_LANES);
    const float *in = forge_row(&a->in, frame, block, y);
    v16i low = {0}, high = {0};
    for (int64_t x = 0; x < a->in.width; x++) {
      v16i bits = (v16i)keep(mask, load(in + x * FORGE_LANES));
      bits ^= bits >> 31 & 0x7fffffff; /* forge_ordered */
      low = __builtin_elementwise_min(low, bits);
      high = __builtin_elementwise_max(high, bits);
    }
    least[tile] = __builtin_reduce_min(low);
    most[tile] = __builtin_reduce_max(high);
  }
}

typedef uint8_t u8x16 __attribute__((vector_size(16)));
typedef uint32_t quads_stored __attribute__((vector_size(16), aligned(4), may_alias));

/* The bits of the scalar kernel: no fused multiply-add. */
FORGE_INLINE void store_quads(float *out, v16 x, v16 inverse, v16i zero) {
  const v16 shift = splat(FORGE_ROUNDING);
  const v16 shifted = x * inverse + shift;
  v16i q = (v16i)shifted - (v16i)shift + zero;
  q = __builtin_elementwise_min(__builtin_elementwise_max(q, (v16i){0}), (v16i){0} + 255);
  *(quads_stored *)out = (quads_stored) __builtin_convertvector(q, u8x16);
}

FORGE_KERNEL(byte_input) {
  const forge_words_arguments *a = arguments;
  const forge_byte_scale scale = forge_byte_scale_of(a, frame, first == 0 && last > 0);
  store_words(a, frame, first, last, FORGE_QUAD_WORDS, store_quads, splat(scale.inverse),
              (v16i){0} + scale.zero);
}

/* sum + the products of a quad; sums are integers in the bits of floats. */
FORGE_INLINE v16 byte_add(v16 sum, v16 x, v16 weights) {
  return (v16)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)weights);
}

/* Subtracts in advance what the bytes of zero add. Modulo 2^32: the final sum fits 32 bits. */
FORGE_INLINE v16 byte_begin(const convolution_row *row, int64_t vector) {
  typedef uint32_t v16u __attribute__((vector_size(64)));
  const v16u totals = (v16u)load((const float *)row->totals + vector * FORGE_LANES);
  return (v16)((v16u){0} - totals * row->zero);
}

/* In the order and rounding of the scalar kernel. */
FORGE_INLINE v16 byte_end(const convolution_row *row, int64_t vector, v16 sum) {
  const v16 scale = splat(row->scale) * load(row->scales + vector * FORGE_LANES);
  const v16 bias = load(row->bias + vector * FORGE_LANES);
  return __builtin_convertvector((v16i)sum, v16) * scale + bias;
}

FORGE_WORD_TILES(byte, FORGE_QUAD_WORDS)

FORGE_KERNEL(byte_convolution) {
  convolve_words(arguments, frame, first, last, FORGE_QUAD_WORDS, byte_tiles);
}
