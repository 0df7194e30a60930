/* Convolution of one output pixel with weights stored as IEEE halves: a dense layer.
 *
 * Each weight is used once, so that the time is that of reading them, and halves are half as long. They become
 * floats, exactly, on their way to the multiply-add (vcvtph2ps). All vectors of a panel are summed at once on
 * every level: one pixel leaves the registers for it. */

typedef _Float16 halves __attribute__((vector_size(32), aligned(2), may_alias));

FORGE_INLINE v16 load_halves(const uint16_t *p) {
  return __builtin_convertvector(*(const halves *)p, v16);
}

/* The sums of one pixel, panels side by side. */
typedef v16 pixel_sums[2][4];

/* One pixel of `panels` panels of `vectors` vectors. From the third cache weights come faster in two streams than
 * in one, see convolution.h. panel_count: halves from one panel's weights to the next's. */
FORGE_INLINE void half_pixel(const convolution_row *row, const uint16_t *weights, int64_t panel_count,
                             const float *scales, const int panels, const int vectors) {
  const int panel_width = vectors * FORGE_LANES;
  pixel_sums sum;
#pragma clang loop unroll(full)
  for (int p = 0; p < panels; p++)
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) sum[p][v] = splat(0);
  for (int64_t ky = 0; ky < row->kernel_height; ky++) {
    for (int64_t kx = 0; kx < row->kernel_width; kx++) {
      const float *at = row->in + ky * row->tap_row + kx * row->tap_column;
      for (int64_t block = 0; block <= row->whole_blocks; block++, at += row->in_block) {
        const int64_t lanes = block < row->whole_blocks ? FORGE_LANES : row->rest;
#pragma clang loop unroll_count(4)
        for (int64_t lane = 0; lane < lanes; lane++) {
          const v16 x = splat(at[lane]);
          const uint16_t *here = weights + lane * panel_width;
#pragma clang loop unroll(full)
          for (int p = 0; p < panels; p++)
#pragma clang loop unroll(full)
            for (int v = 0; v < vectors; v++)
              sum[p][v] =
                multiply_add(x, load_halves(here + p * panel_count + v * FORGE_LANES), sum[p][v]);
        }
        if (lanes > 0) weights += FORGE_LANES * panel_width;
      }
    }
  }
#pragma clang loop unroll(full)
  for (int p = 0; p < panels; p++)
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) {
      const int vector = p * vectors + v;
      sums one;
      one[0][0] = sum[p][v] * load(scales + vector * FORGE_LANES) + load(row->bias + vector * FORGE_LANES);
      finish_tile(row, one, 0, vector, 1, 1);
    }
}

#define FORGE_HALF_PIXEL(vectors)                                                                        \
  static void half_pixel_##vectors(const convolution_row *row, const uint16_t *weights,                  \
                                   int64_t panel_count, const float *scales, bool two) {                 \
    if (FORGE_TILE_VECTORS > 1 && two)                                                                   \
      half_pixel(row, weights, panel_count, scales, 2, vectors);                                         \
    else                                                                                                 \
      half_pixel(row, weights, panel_count, scales, 1, vectors);                                         \
  }
FORGE_HALF_PIXEL(1)
FORGE_HALF_PIXEL(2)
FORGE_HALF_PIXEL(3)
FORGE_HALF_PIXEL(4)

void FORGE_KERNEL(half_convolution)(const void *arguments, const forge_frame *frame, int64_t first,
                                    int64_t last) {
  static void (*const pixels[])(const convolution_row *, const uint16_t *, int64_t, const float *, bool) = {
    half_pixel_1, half_pixel_2, half_pixel_3, half_pixel_4};
  const forge_reduced_convolution_arguments *a = arguments;
  const forge_epilogue *e = &a->epilogue;
  const int64_t vectors = a->panel_width / FORGE_LANES;
  const int64_t panel_count = (int64_t)a->kernel_height * a->kernel_width * forge_blocks(a->in.channels) *
                              FORGE_LANES * a->panel_width;
  convolution_row row = {
    .in = forge_row(&a->in, frame, 0, -a->pad_top) - a->pad_left * FORGE_LANES,
    .tap_row = a->dilation_y * a->in.row_stride,
    .tap_column = (int64_t)a->dilation_x * FORGE_LANES,
    .in_block = a->in.block_stride,
    .out_block = a->out.block_stride,
    .residual_block = e->residual.block_stride,
    .kernel_height = a->kernel_height,
    .kernel_width = a->kernel_width,
    .whole_blocks = a->in.channels / FORGE_LANES,
    .rest = a->in.channels % FORGE_LANES,
    .end = finish_of(&e->activation),
  };
  for (int64_t panel = first; panel < last;) {
    const int64_t block = panel * vectors, column = panel * a->panel_width;
    /* Two panels at a time, as many vectors as fit; the sums of a panel do not depend on its neighbour. */
    const bool two = FORGE_TILE_VECTORS > 1 && panel + 1 < last;
    row.bias = a->bias + column;
    row.out = forge_row(&a->out, frame, block, 0);
    row.residual = e->has_residual ? forge_row(&e->residual, frame, block, 0) : NULL;
    row.channels = a->out.channels - column;
    pixels[vectors - 1](&row, (const uint16_t *)a->weights + panel * panel_count, panel_count,
                        a->scales + column, two);
    panel += two ? 2 : 1;
  }
}
