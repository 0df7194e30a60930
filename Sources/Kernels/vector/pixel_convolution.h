/* Convolution of one output pixel with weights shorter than floats, as a dense layer has. All
 * vectors of a panel are summed at once on every level: one pixel leaves registers free. */

/* One pixel of a panel, or of `two`. panel_bytes: from one panel's weights to the next's. scaled:
 * the inputs of 24-bit weights, which all panels share. */
typedef void (*pixel_function)(const convolution_row *row, const char *weights, int64_t panel_bytes,
                               const float *scales, scaled_inputs *scaled, bool two);

/* Panels first ..< last. bits: of a weight. The sums of a panel do not depend on its neighbour. */
FORGE_INLINE void convolve_pixels(const forge_convolution_arguments *a, const forge_frame *frame,
                                  int64_t first, int64_t last, pixel_function pixel,
                                  const int bits) {
  const int64_t panel_bytes = (int64_t)a->kernel_height * a->kernel_width *
    forge_blocks(a->in.channels) * FORGE_LANES * a->panel_width * bits / 8;
  convolution_row row = row_of(a, FORGE_LANES);
  scaled_inputs scaled;
  scaled.from = NULL;
  for (int64_t panel = first; panel < last;) {
    const bool two = FORGE_TILE_VECTORS > 1 && panel + 1 < last;
    move_row(&row, a, frame, panel, 0, FORGE_LANES);
    pixel(&row, (const char *)a->weights + panel * panel_bytes, panel_bytes,
          a->scales + panel * a->panel_width, &scaled, two);
    panel += two ? 2 : 1;
  }
}

#define FORGE_HALF_PIXEL(name, vectors)                                                  \
  static void name(const convolution_row *row, const char *weights, int64_t panel_bytes, \
                   const float *scales, scaled_inputs *scaled, bool two) {               \
    (void)scaled;                                                                        \
    if (FORGE_TILE_VECTORS > 1 && two)                                                   \
      one_pixel(row, weights, panel_bytes, scales, 2, vectors, FORGE_WEIGHTS_HALVES);    \
    else                                                                                 \
      one_pixel(row, weights, panel_bytes, scales, 1, vectors, FORGE_WEIGHTS_HALVES);    \
  }
FORGE_HALF_PIXEL(half_pixel_1, 1)
FORGE_HALF_PIXEL(half_pixel_2, 2)
FORGE_HALF_PIXEL(half_pixel_3, 3)
FORGE_HALF_PIXEL(half_pixel_4, 4)

FORGE_KERNEL(half_convolution) {
  static const pixel_function pixels[] = {half_pixel_1, half_pixel_2, half_pixel_3, half_pixel_4};
  const forge_convolution_arguments *a = arguments;
  convolve_pixels(a, frame, first, last, pixels[a->panel_width / FORGE_LANES - 1], 16);
}

#if FORGE_TILE_VECTORS > 1

enum { FIXED_VECTORS = FORGE_FIXED_PANEL_WIDTH / FORGE_LANES };

/* One pixel of `panels` panels of 24-bit weights, panel_bytes apart. With two, multiply-adds wait
 * for each other half as often. */
FORGE_INLINE void fixed_pixels(const convolution_row *row, const char *weights, int64_t panel_bytes,
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

static void fixed_pixel(const convolution_row *row, const char *weights, int64_t panel_bytes,
                        const float *scales, scaled_inputs *scaled, bool two) {
  if (two)
    fixed_pixels(row, weights, panel_bytes, scales, scaled, 2);
  else
    fixed_pixels(row, weights, panel_bytes, scales, scaled, 1);
}

FORGE_KERNEL(fixed_convolution) { convolve_pixels(arguments, frame, first, last, fixed_pixel, 24); }

#endif
