/* Convolution of one output pixel with weights shorter than floats, as a dense layer has: see also
 * fixed_weights.h. All vectors of a panel are summed at once on every level: one pixel leaves
 * registers free. */

/* One pixel of a panel, or of `two`. panel_bytes: from one panel's weights to the next's. */
typedef void (*pixel_function)(const convolution_row *row, const char *weights, int64_t panel_bytes,
                               const float *scales, bool two);

/* Returns the bytes of a panel of weights of `bits` bits. */
FORGE_INLINE int64_t panel_bytes_of(const forge_convolution_arguments *a, const int bits) {
  return (int64_t)a->kernel_height * a->kernel_width * forge_blocks(a->in.channels) * FORGE_LANES *
    a->panel_width * bits / 8;
}

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
  const int64_t panel_bytes = panel_bytes_of(a, 16);
  convolution_row row = row_of(a, FORGE_LANES);
  for (int64_t panel = first; panel < last;) {
    const bool two = FORGE_TILE_VECTORS > 1 && panel + 1 < last;
    move_row(&row, a, frame, panel, 0, FORGE_LANES);
    pixel(&row, (const char *)a->weights + panel * panel_bytes, panel_bytes,
          a->scales + panel * a->panel_width, two);
    panel += two ? 2 : 1;
  }
}
