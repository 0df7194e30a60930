/* Convolution of one output pixel with weights in a form shorter than floats: a dense layer.
 *
 * Each weight is used once, so that the time is that of reading them. They become floats on their
 * way to the multiply-add. All vectors of a panel are summed at once on every level: one pixel
 * leaves the registers for it. */

/* The sums of one pixel, panels side by side. */
typedef v16 pixel_sums[2][4];

/* One pixel of a panel, or of `two`. panel_bytes: from one panel's weights to the next's. */
typedef void (*pixel_function)(const convolution_row *row, const char *weights, int64_t panel_bytes,
                               const float *scales, bool two);

/* out = scale * sum + bias, and what follows. */
FORGE_INLINE void finish_pixel(const convolution_row *row, pixel_sums sum, const float *scales,
                               const int panels, const int vectors) {
#pragma clang loop unroll(full)
  for (int p = 0; p < panels; p++)
#pragma clang loop unroll(full)
    for (int v = 0; v < vectors; v++) {
      const int vector = p * vectors + v;
      sums one;
      one[0][0] =
        sum[p][v] * load(scales + vector * FORGE_LANES) + load(row->bias + vector * FORGE_LANES);
      finish_tile(row, one, 0, vector, 1, 1);
    }
}

/* Panels first ..< last. bits: of a weight. From the third cache weights come faster in two streams
 * than in one, see convolution.h; the sums of a panel do not depend on its neighbour. */
FORGE_INLINE void convolve_pixels(const forge_reduced_convolution_arguments *a,
                                  const forge_frame *frame, int64_t first, int64_t last,
                                  pixel_function pixel, const int bits) {
  const forge_epilogue *e = &a->epilogue;
  const int64_t vectors = a->panel_width / FORGE_LANES;
  const int64_t panel_bytes = (int64_t)a->kernel_height * a->kernel_width *
    forge_blocks(a->in.channels) * FORGE_LANES * a->panel_width * bits / 8;
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
    const bool two = FORGE_TILE_VECTORS > 1 && panel + 1 < last;
    row.bias = a->bias + column;
    row.out = forge_row(&a->out, frame, block, 0);
    row.residual = e->has_residual ? forge_row(&e->residual, frame, block, 0) : NULL;
    row.channels = a->out.channels - column;
    pixel(&row, (const char *)a->weights + panel * panel_bytes, panel_bytes, a->scales + column,
          two);
    panel += two ? 2 : 1;
  }
}

/* ---- the forms of weights ---- */

/* One input channel of a panel, IEEE halves: vcvtph2ps, exact. */
FORGE_INLINE void add_halves(v16 sum[4], v16 x, const char *weights, const int vectors) {
  typedef _Float16 halves __attribute__((vector_size(32), aligned(2), may_alias));
  const halves *at = (const halves *)weights;
#pragma clang loop unroll(full)
  for (int v = 0; v < vectors; v++)
    sum[v] = multiply_add(x, __builtin_convertvector(at[v], v16), sum[v]);
}

/* Two input channels of a panel of two vectors, 24 bits of fixed point: see ../words.h. */
FORGE_INLINE void add_fixed(v16 sum[4], v16 x, v16 beside, const char *weights) {
  typedef int32_t stored __attribute__((vector_size(64), aligned(4), may_alias));
  typedef uint32_t bits __attribute__((vector_size(64)));
  const stored *at = (const stored *)weights;
  const v16i a = at[0], b = at[1], c = at[2];
  const v16i d = (v16i)((bits)a << 24 | ((bits)b << 16 & 0xff0000) | ((bits)c << 8 & 0xff00));
  sum[0] = multiply_add(x, __builtin_convertvector(a, v16), sum[0]);
  sum[1] = multiply_add(x, __builtin_convertvector(b, v16), sum[1]);
  sum[0] = multiply_add(beside, __builtin_convertvector(c, v16), sum[0]);
  sum[1] = multiply_add(beside, __builtin_convertvector(d, v16), sum[1]);
}

/* One pixel of `panels` panels of `vectors` vectors, fixed-point weights or halves. */
FORGE_INLINE void one_pixel(const convolution_row *row, const char *weights, int64_t panel_bytes,
                            const float *scales, const int panels, const int vectors,
                            const bool fixed) {
  /* Channels that lie together, and the bytes of their weights. */
  const int together = fixed ? 2 : 1;
  const int bytes = fixed ? FORGE_FIXED_GROUP_BYTES : vectors * FORGE_LANES * (int)sizeof(uint16_t);
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
        for (int64_t lane = 0; lane < lanes; lane += together) {
          const char *here = weights + lane / together * bytes;
          const v16 x = splat(at[lane]);
          /* What is in the padded lanes is not known. */
          const v16 beside = splat(fixed && lane + 1 < lanes ? at[lane + 1] : 0);
#pragma clang loop unroll(full)
          for (int p = 0; p < panels; p++) {
            if (fixed)
              add_fixed(sum[p], x, beside, here + p * panel_bytes);
            else
              add_halves(sum[p], x, here + p * panel_bytes, vectors);
          }
        }
        if (lanes > 0) weights += FORGE_LANES / together * bytes;
      }
    }
  }
  finish_pixel(row, sum, scales, panels, vectors);
}

#define FORGE_PIXEL(name, vectors, fixed)                                                \
  static void name(const convolution_row *row, const char *weights, int64_t panel_bytes, \
                   const float *scales, bool two) {                                      \
    if (FORGE_TILE_VECTORS > 1 && two)                                                   \
      one_pixel(row, weights, panel_bytes, scales, 2, vectors, fixed);                   \
    else                                                                                 \
      one_pixel(row, weights, panel_bytes, scales, 1, vectors, fixed);                   \
  }
FORGE_PIXEL(half_pixel_1, 1, false)
FORGE_PIXEL(half_pixel_2, 2, false)
FORGE_PIXEL(half_pixel_3, 3, false)
FORGE_PIXEL(half_pixel_4, 4, false)

void FORGE_KERNEL(half_convolution)(const void *arguments, const forge_frame *frame, int64_t first,
                                    int64_t last) {
  static const pixel_function pixels[] = {half_pixel_1, half_pixel_2, half_pixel_3, half_pixel_4};
  const forge_reduced_convolution_arguments *a = arguments;
  convolve_pixels(a, frame, first, last, pixels[a->panel_width / FORGE_LANES - 1], 16);
}

#if FORGE_TILE_VECTORS > 1

FORGE_PIXEL(fixed_pixel, FORGE_FIXED_PANEL_WIDTH / FORGE_LANES, true)

void FORGE_KERNEL(fixed_convolution)(const void *arguments, const forge_frame *frame, int64_t first,
                                     int64_t last) {
  convolve_pixels(arguments, frame, first, last, fixed_pixel, 24);
}

#endif
