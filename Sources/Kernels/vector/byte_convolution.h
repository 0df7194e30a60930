/* Convolution in int8: products of four channels, summed exactly in 32 bits (vpdpbusd). */

/* Widens a range of ordered bits, per lane, by the lanes of `mask`. */
FORGE_INLINE void widen_range(const float *in, v16i mask, v16i *low, v16i *high) {
  v16i bits = (v16i)keep(mask, load(in));
  bits ^= bits >> 31 & 0x7fffffff; /* forge_ordered */
  *low = __builtin_elementwise_min(*low, bits);
  *high = __builtin_elementwise_max(*high, bits);
}

/* The conversions of the pixels of runs of a row. */
static void byte_pixel_ranges(const forge_words_arguments *a, const forge_frame *frame,
                              int64_t first, int64_t last) {
  const int64_t runs = forge_quotient_up(a->in.width, FORGE_RANGE_PIXELS);
  const int64_t blocks = forge_blocks(a->in.channels);
  int32_t *range = forge_range_of(&a->range, frame);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile / runs, from = tile % runs * FORGE_RANGE_PIXELS;
    const int64_t count = forge_smaller(FORGE_RANGE_PIXELS, a->in.width - from);
    v16i low[FORGE_RANGE_PIXELS] = {0}, high[FORGE_RANGE_PIXELS] = {0};
    for (int64_t block = 0; block < blocks; block++) {
      const v16i mask = first_lanes(a->in.channels - block * FORGE_LANES);
      const float *in = forge_row(&a->in, frame, block, y) + from * FORGE_LANES;
      for (int64_t i = 0; i < count; i++)
        widen_range(in + i * FORGE_LANES, mask, &low[i], &high[i]);
    }
    for (int64_t i = 0; i < count; i++)
      forge_store_byte_scale(
        range, y * a->in.width + from + i,
        forge_byte_scale_of(__builtin_reduce_min(low[i]), __builtin_reduce_max(high[i])));
  }
}

FORGE_KERNEL(byte_range) {
  const forge_words_arguments *a = arguments;
  if (a->flat) {
    byte_pixel_ranges(a, frame, first, last);
    return;
  }
  int32_t *least = forge_range_of(&a->range, frame) + FORGE_RANGE_ROWS;
  int32_t *most = least + forge_byte_range_tiles(a);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const v16i mask = first_lanes(a->in.channels - block * FORGE_LANES);
    const float *in = forge_row(&a->in, frame, block, y);
    v16i low = {0}, high = {0};
    for (int64_t x = 0; x < a->in.width; x++) widen_range(in + x * FORGE_LANES, mask, &low, &high);
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

/* Converts each pixel in its own way; there is no border. */
static void byte_pixels(const forge_words_arguments *a, const forge_frame *frame, int64_t first,
                        int64_t last) {
  const int32_t *range = forge_range_of(&a->range, frame);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const v16i mask = first_lanes(a->in.channels - block * FORGE_LANES);
    const float *in = forge_row(&a->in, frame, block, y);
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < a->in.width; x++) {
      const forge_byte_scale scale = forge_byte_scale_at(range, y * a->in.width + x);
      store_quads(out + x * FORGE_QUAD_WORDS, keep(mask, load(in + x * FORGE_LANES)),
                  splat(scale.inverse), (v16i){0} + scale.zero);
    }
  }
}

FORGE_KERNEL(byte_input) {
  const forge_words_arguments *a = arguments;
  if (a->flat) {
    byte_pixels(a, frame, first, last);
    return;
  }
  const forge_byte_scale scale = forge_image_byte_scale(a, frame, first == 0 && last > 0);
  store_words(a, frame, first, last, FORGE_QUAD_WORDS, store_quads, splat(scale.inverse),
              (v16i){0} + scale.zero);
}

/* sum + the products of a quad; sums are integers in the bits of floats. */
FORGE_INLINE v16 byte_add(v16 sum, v16 x, v16 weights) {
  return (v16)_mm512_dpbusd_epi32((__m512i)sum, (__m512i)x, (__m512i)weights);
}

/* Subtracts in advance what the bytes of zero add. Modulo 2^32: the final sum fits 32 bits. */
FORGE_INLINE v16 byte_begin(const convolution_row *row, int64_t vector, int64_t x) {
  typedef uint32_t v16u __attribute__((vector_size(64)));
  const v16u totals = (v16u)load((const float *)row->totals + vector * FORGE_LANES);
  const forge_byte_scale scale = forge_byte_scale_at(row->ranges, x * row->range_step);
  return (v16)((v16u){0} - totals * (uint32_t)scale.zero);
}

/* In the order and rounding of the scalar kernel. */
FORGE_INLINE v16 byte_end(const convolution_row *row, int64_t vector, int64_t x, v16 sum) {
  const forge_byte_scale of_pixel = forge_byte_scale_at(row->ranges, x * row->range_step);
  const v16 scale = splat(of_pixel.scale) * load(row->scales + vector * FORGE_LANES);
  const v16 bias = load(row->bias + vector * FORGE_LANES);
  return __builtin_convertvector((v16i)sum, v16) * scale + bias;
}

FORGE_WORD_TILES(byte, FORGE_QUAD_WORDS)

FORGE_KERNEL(byte_convolution) {
  convolve_words(arguments, frame, first, last, FORGE_QUAD_WORDS, byte_tiles);
}
