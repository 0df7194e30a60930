/* Conversion of images to words of bf16 pairs and int8 quads: see ../include/CForgePrecision.h. */

/* Stores 16 channels of a pixel as words. */
typedef void (*word_store)(float *out, v16 x, v16 inverse, v16i zero);

/* Writes rows of words, where a tile is block * (top + height + bottom) + row. A block has `words`
 * words. */
FORGE_INLINE void store_words(const forge_words_arguments *a, const forge_frame *frame,
                              int64_t first, int64_t last, const int64_t words,
                              const word_store put, v16 inverse, v16i zero) {
  const int64_t rows = (int64_t)a->top + a->in.height + a->bottom;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / rows, y = tile % rows - a->top;
    const bool inside = y >= 0 && y < a->in.height;
    const v16i mask = first_lanes(a->in.channels - block * FORGE_LANES);
    const float *in = forge_row(&a->in, frame, block, y);
    float *out = forge_row(&a->out, frame, block, y) - a->left * words;
    const int64_t before = inside ? a->left : (int64_t)a->left + a->in.width + a->right;
    for (int64_t x = 0; x < before; x++, out += words) put(out, splat(0), inverse, zero);
    if (!inside) continue;
    for (int64_t x = 0; x < a->in.width; x++, out += words)
      put(out, keep(mask, load(in + x * FORGE_LANES)), inverse, zero);
    for (int64_t x = 0; x < a->right; x++, out += words) put(out, splat(0), inverse, zero);
  }
}
