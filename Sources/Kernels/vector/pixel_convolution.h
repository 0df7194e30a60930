/* Convolution of one output pixel with weights shorter than floats, as a dense layer has. All
 * vectors of a panel are summed at once on every level: one pixel leaves registers free. */

FORGE_INLINE int64_t bytes_of_panel(const forge_convolution_arguments *a, const int bits) {
  return (int64_t)a->kernel_height * a->kernel_width * forge_blocks(a->in.channels) * FORGE_LANES *
    a->panel_width * bits / 8;
}

/* One pixel of a panel, or of `two`. panel_bytes: from one panel's weights to the next's. */
typedef void (*pixel_function)(const convolution_row *row, const char *weights, int64_t panel_bytes,
                               const float *scales, bool two);

#define FORGE_HALF_PIXEL(name, vectors)                                                  \
  static void name(const convolution_row *row, const char *weights, int64_t panel_bytes, \
                   const float *scales, bool two) {                                      \
    if (FORGE_TILE_VECTORS > 1 && two)                                                   \
      one_pixel(row, weights, panel_bytes, scales, 2, vectors, FORGE_WEIGHTS_HALVES);    \
    else                                                                                 \
      one_pixel(row, weights, panel_bytes, scales, 1, vectors, FORGE_WEIGHTS_HALVES);    \
  }
FORGE_HALF_PIXEL(half_pixel_1, 1)
FORGE_HALF_PIXEL(half_pixel_2, 2)
FORGE_HALF_PIXEL(half_pixel_3, 3)
FORGE_HALF_PIXEL(half_pixel_4, 4)

/* The sums of a panel do not depend on its neighbour. */
FORGE_KERNEL(half_convolution) {
  static const pixel_function pixels[] = {half_pixel_1, half_pixel_2, half_pixel_3, half_pixel_4};
  const forge_convolution_arguments *a = arguments;
  const pixel_function pixel = pixels[a->panel_width / FORGE_LANES - 1];
  const int64_t panel_bytes = bytes_of_panel(a, 16);
  convolution_row row = row_of(a, FORGE_LANES);
  for (int64_t panel = first; panel < last;) {
    const bool two = FORGE_TILE_VECTORS > 1 && panel + 1 < last;
    move_row(&row, a, frame, panel, 0, FORGE_LANES);
    pixel(&row, (const char *)a->weights + panel * panel_bytes, panel_bytes,
          a->scales + panel * a->panel_width, two);
    panel += two ? 2 : 1;
  }
}

#if FORGE_TILE_VECTORS > 1

enum { FIXED_VECTORS = FORGE_FIXED_PANEL_WIDTH / FORGE_LANES };

/* One pixel of `panels` panels of 24-bit weights, panel_bytes apart. With two, multiply-adds wait
 * for each other half as often. */
FORGE_INLINE void fixed_pixel(const convolution_row *row, const char *weights, int64_t panel_bytes,
                              const float *scales, scaled_inputs *scaled, const int panels) {
  const int64_t channels = row->whole_blocks * FORGE_LANES + row->rest;
  v16 sum[2 * FIXED_VECTORS];
#pragma clang loop unroll(full)
  for (int v = 0; v < panels * FIXED_VECTORS; v++) sum[v] = splat(0);
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const float *at = row->in + ky * row->tap_row + kx * row->tap_column;
      for (int64_t channel = 0; channel < channels; channel += SCALED_AT_ONCE) {
        const int64_t some = forge_smaller(SCALED_AT_ONCE, channels - channel);
        scale_inputs(scaled, at + channel / FORGE_LANES * row->in_block, row->in_block, some);
#pragma clang loop unroll_count(2)
        for (int64_t i = 0; i < some; i++, weights += FORGE_FIXED_GROUP_BYTES) {
          const v16 x = splat(scaled->values[i]);
#pragma clang loop unroll(full)
          for (int p = 0; p < panels; p++) {
            v16 w[FIXED_VECTORS];
            load_group(weights + p * panel_bytes, w);
#pragma clang loop unroll(full)
            for (int v = 0; v < FIXED_VECTORS; v++)
              sum[p * FIXED_VECTORS + v] = multiply_add(x, w[v], sum[p * FIXED_VECTORS + v]);
          }
        }
      }
      /* A tap has whole blocks. */
      if (row->rest > 0) weights += (FORGE_LANES - row->rest) * FORGE_FIXED_GROUP_BYTES;
    }
  }
  finish_pixel(row, sum, scales, panels * FIXED_VECTORS, FIXED_VECTORS, FORGE_WEIGHTS_FIXED);
}

FORGE_KERNEL(fixed_convolution) {
  const forge_convolution_arguments *a = arguments;
  const int64_t panel_bytes = bytes_of_panel(a, 24);
  convolution_row row = row_of(a, FORGE_LANES);
  scaled_inputs scaled;
  scaled.from = NULL;
  for (int64_t panel = first; panel < last;) {
    const bool two = panel + 1 < last;
    const char *weights = (const char *)a->weights + panel * panel_bytes;
    const float *scales = a->scales + panel * a->panel_width;
    move_row(&row, a, frame, panel, 0, FORGE_LANES);
    if (two)
      fixed_pixel(&row, weights, panel_bytes, scales, &scaled, 2);
    else
      fixed_pixel(&row, weights, panel_bytes, scales, &scaled, 1);
    panel += two ? 2 : 1;
  }
}

#endif
