/* Convolution of one output pixel with weights shorter than floats, as a dense layer has: see also
 * fixed_weights.h. All vectors of a panel are summed at once on every level: one pixel leaves
 * registers free. */

/* Returns the bytes of a panel of weights of `bits` bits. */
FORGE_INLINE int64_t panel_bytes_of(const forge_convolution_arguments *a, const int bits) {
  return (int64_t)a->kernel_height * a->kernel_width * forge_blocks(a->in.channels) * FORGE_LANES *
    a->panel_width * bits / 8;
}

FORGE_PIXELS(half_pixel, FORGE_WEIGHTS_HALVES)

/* The sums of a panel do not depend on its neighbor. */
FORGE_KERNEL(half_convolution) {
  const forge_convolution_arguments *a = arguments;
  const int64_t bytes = panel_bytes_of(a, 16);
  convolution_row row = row_of(a, FORGE_LANES);
  for (int64_t panel = first; panel < last;) {
    const int64_t panels = forge_smaller(last - panel, FORGE_PIXEL_PANELS);
    move_row(&row, a, frame, panel, 0, FORGE_LANES);
    half_pixels[panels - 1][a->panel_width / FORGE_LANES - 1](
      &row, (const char *)a->weights + panel * bytes, bytes, a->scales + panel * a->panel_width);
    panel += panels;
  }
}
