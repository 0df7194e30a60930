/* Floats to bytes and back. */

/* Converts the pixels of a row of a block. `vectors`, a constant, is the number of the vectors of
 * floats that hold its channels. */
FORGE_INLINE void quantize_row(const float *in, int64_t in_block, uint8_t *out, int64_t pixels,
                               float scale, byte_rule end, const int vectors) {
  const v16 divisor = splat(scale);
  for (int64_t x = 0; x < pixels; x++) {
    v16 f[4];
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) f[v] = load(in + v * in_block + x * FORGE_LANES) / divisor;
    store_bytes(out + x * FORGE_BYTE_LANES, f, vectors, end);
  }
}

FORGE_KERNEL(quantize) {
  const forge_quantize_arguments *a = arguments;
  const forge_quantization q = a->has_range ? forge_quantization_at(&a->range, frame, 0)
                                            : (forge_quantization){a->scale, a->zero};
  const byte_rule end = {q.zero, a->low, a->high};
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const float *in = forge_row(&a->in, frame, block * 4, y);
    uint8_t *out = forge_byte_row(&a->out, frame, block, y);
    const int64_t step = a->in.block_stride, pixels = a->out.width;
    switch (forge_panel_width(a->out.channels, block) / FORGE_LANES) {
      case 1: quantize_row(in, step, out, pixels, q.scale, end, 1); break;
      case 2: quantize_row(in, step, out, pixels, q.scale, end, 2); break;
      case 3: quantize_row(in, step, out, pixels, q.scale, end, 3); break;
      default: quantize_row(in, step, out, pixels, q.scale, end, 4); break;
    }
  }
}

FORGE_KERNEL(dequantize) {
  const forge_dequantize_arguments *a = arguments;
  const forge_quantization q = a->has_range ? forge_quantization_at(&a->range, frame, 0)
                                            : (forge_quantization){a->scale, a->zero};
  const v16 scale = splat(q.scale);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const uint8_t *in = forge_byte_row(&a->in, frame, block, y);
    const int64_t vectors = forge_panel_width(a->in.channels, block) / FORGE_LANES;
    for (int64_t v = 0; v < vectors; v++) {
      const v16i mask = first_lanes(a->in.channels - block * FORGE_BYTE_LANES - v * FORGE_LANES);
      float *out = forge_row(&a->out, frame, block * 4 + v, y);
      for (int64_t x = 0; x < a->in.width; x++) {
        const v16i whole = words_of(in + x * FORGE_BYTE_LANES + v * FORGE_LANES) - q.zero;
        store(out + x * FORGE_LANES, keep(mask, floats_of(whole) * scale));
      }
    }
  }
}

/* Converts plain pixels of `channels` floats, 1 to 4, to pixels of four bytes. */
static void quantize_small_pixels(const float *in, uint8_t *out, int64_t pixels, int64_t channels,
                                  float scale, byte_rule end) {
  const uint32_t mask = channels == FORGE_SMALL_PIXEL ? UINT32_MAX : (1u << 8 * channels) - 1;
  const uint32_t rest = (uint32_t)end.zero * 0x01010101u & ~mask;
  const v16 divisor = splat(scale);
  int64_t x = 0;
  for (; x + FORGE_LANES <= pixels; x += FORGE_LANES, in += FORGE_LANES * channels) {
    uint8_t bytes[FORGE_LANES * FORGE_SMALL_PIXEL + FORGE_SMALL_PIXEL];
    for (int64_t v = 0; v < channels; v++)
      store_sixteen(bytes + v * FORGE_LANES, bytes_of(load(in + v * FORGE_LANES) / divisor, end));
    for (int64_t i = 0; i < FORGE_LANES; i++) {
      uint32_t pixel;
      memcpy(&pixel, bytes + i * channels, sizeof pixel);
      pixel = (pixel & mask) | rest;
      memcpy(out + (x + i) * FORGE_SMALL_PIXEL, &pixel, sizeof pixel);
    }
  }
  for (; x < pixels; x++)
    for (int64_t c = 0; c < channels; c++, in++)
      out[x * FORGE_SMALL_PIXEL + c] = forge_byte_of(*in / scale, end.zero, end.low, end.high);
}

FORGE_KERNEL(quantize_pixels) {
  const forge_quantize_pixels_arguments *a = arguments;
  if (a->in_is_bytes) {
    forge_quantize_pixels_scalar(arguments, frame, first, last);
    return;
  }
  const int64_t width = (int64_t)a->left + a->out.width + a->right;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile - a->top;
    uint8_t *out = forge_byte_row(&a->out, frame, 0, y);
    memset(out - (int64_t)a->left * FORGE_SMALL_PIXEL, a->zero,
           (size_t)(width * FORGE_SMALL_PIXEL));
    if (y >= 0 && y < a->out.height)
      quantize_small_pixels(forge_row(&a->in, frame, 0, y), out, a->out.width, a->in.channels,
                            a->scale, (byte_rule){a->zero, a->low, a->high});
  }
}

FORGE_KERNEL(float_range) {
  const forge_float_range_arguments *a = arguments;
  int32_t *rows = (int32_t *)forge_origin(&a->rows, frame);
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->in.height, y = tile % a->in.height;
    const v16i mask = first_lanes(a->in.channels - block * FORGE_LANES);
    const float *in = forge_row(&a->in, frame, block, y);
    v16i least = {0}, most = {0};
    for (int64_t x = 0; x < a->in.width; x++) {
      v16i bits = (v16i)keep(mask, load(in + x * FORGE_LANES));
      bits ^= bits >> 31 & 0x7fffffff; /* in the order of the floats */
      least = __builtin_elementwise_min(least, bits);
      most = __builtin_elementwise_max(most, bits);
    }
    rows[2 * tile] = __builtin_reduce_min(least);
    rows[2 * tile + 1] = __builtin_reduce_max(most);
  }
}
