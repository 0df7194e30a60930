/* The first convolution of a small gray image, pooled: a vector holds sixteen pixels, not sixteen
 * channels.
 *
 * A window of one channel has one number per tap, used in as many products as there are output
 * channels. With pixels in a vector no channel is padded (20 of 32), and only the pooled quarter is
 * transposed to channels. The sums are bit-identical to those of plain_convolution.h. Of equal
 * maxima another may be taken, which matters for the signs of zeros and for NaNs. */

#if FORGE_TILE_VECTORS > 1

/* The channels whose sums, two vectors of pixels in two rows, fit the registers. */
enum { FORGE_GRAY_CHANNELS = 6 };

/* The floats read past the end of the last row, for pixels that do not exist. */
enum { FORGE_GRAY_SLACK = 2 * FORGE_LANES };

#define FORGE_EVERY_OTHER(i, first) (2 * (i) + (first))

/* image: the window of pixel 0 of the upper row. weights: of the first channel, panel_width floats
 * apart per tap. pooled: [count][16], 16 columns per channel. valid: the existing pixels. */
FORGE_INLINE void gray_channels(const plain_call *call, const float *image, const float *weights,
                                const float *bias, int64_t below, int64_t valid, float *pooled,
                                const int count) {
  const forge_plain_convolution_arguments *a = call->a;
  const int64_t panel_width = a->panel_width,
                skipped = forge_blocks(a->kernel_width) * FORGE_LANES - a->kernel_width;
  v16 sum[FORGE_GRAY_CHANNELS][4];
#pragma clang loop unroll(full)
  for (int c = 0; c < count; c++)
#pragma clang loop unroll(full)
    for (int i = 0; i < 4; i++) sum[c][i] = splat(0);
  for (int64_t ky = 0; ky < a->kernel_height; ky++) {
    const float *at = image + ky * call->image_row;
#pragma clang loop unroll(disable)
    for (int64_t kx = 0; kx < a->kernel_width; kx++, at++, weights += panel_width) {
      const v16 x[4] = {load(at), load(at + FORGE_LANES), load(at + below),
                        load(at + below + FORGE_LANES)};
#pragma clang loop unroll(full)
      for (int c = 0; c < count; c++) {
        const v16 w = splat(weights[c]);
#pragma clang loop unroll(full)
        for (int i = 0; i < 4; i++) sum[c][i] = multiply_add(x[i], w, sum[c][i]);
      }
    }
    weights += skipped * panel_width; /* the padded lanes of a row of taps */
  }
  const v16 low = splat(call->row.end.low), high = splat(call->row.end.high),
            least = splat(-INFINITY);
  const v16i first = first_lanes(valid), second = first_lanes(valid - FORGE_LANES);
#pragma clang loop unroll(full)
  for (int c = 0; c < count; c++) {
    const v16 left = choose(first, larger_or_nan(sum[c][0], sum[c][2]), least);
    const v16 right = choose(second, larger_or_nan(sum[c][1], sum[c][3]), least);
    const v16 even = FORGE_SHUFFLE(left, right, FORGE_EVERY_OTHER, 0);
    const v16 odd = FORGE_SHUFFLE(left, right, FORGE_EVERY_OTHER, 1);
    /* Rounding is monotonic, so the bias is added to the largest sum alone. */
    store(pooled + c * FORGE_LANES, clamp(larger_or_nan(even, odd) + splat(bias[c]), low, high));
  }
}

static void gray_group(const plain_call *call, const float *image, const float *weights,
                       const float *bias, int64_t below, int64_t valid, float *pooled,
                       int64_t count) {
  switch (count) {
    case 1: gray_channels(call, image, weights, bias, below, valid, pooled, 1); break;
    case 2: gray_channels(call, image, weights, bias, below, valid, pooled, 2); break;
    case 3: gray_channels(call, image, weights, bias, below, valid, pooled, 3); break;
    case 4: gray_channels(call, image, weights, bias, below, valid, pooled, 4); break;
    case 5: gray_channels(call, image, weights, bias, below, valid, pooled, 5); break;
    default: gray_channels(call, image, weights, bias, below, valid, pooled, 6); break;
  }
}

/* Whether the source of windows is a copy of a gray image with stride 1. */
static bool is_gray(const plain_call *call) {
  const forge_plain_convolution_arguments *a = call->a;
  return a->pooled && a->in.channels == 1 && a->stride_x == 1 && call->has_slack;
}

static void gray_pooled_row(const plain_call *call, int64_t y, int64_t panel_block, int64_t blocks,
                            const forge_frame *frame) {
  const forge_plain_convolution_arguments *a = call->a;
  const int64_t below = 2 * y + 1 < a->height ? a->stride_y * call->image_row : 0;
  const int64_t channels =
    forge_smaller(a->out.channels - panel_block * FORGE_LANES, blocks * FORGE_LANES);
  const int64_t groups = (channels + FORGE_GRAY_CHANNELS - 1) / FORGE_GRAY_CHANNELS;
  float pooled[4 * FORGE_LANES * FORGE_LANES] = {0};
  for (int64_t x = 0; x < a->out.width; x += FORGE_LANES) {
    const float *image = call->image + 2 * y * a->stride_y * call->image_row + 2 * x;
    for (int64_t group = 0; group < groups; group++) {
      const int64_t first = channels * group / groups, end = channels * (group + 1) / groups;
      gray_group(call, image, call->row.weights + first, call->row.bias + first, below,
                 a->width - 2 * x, pooled + first * FORGE_LANES, end - first);
    }
    const int64_t made = forge_smaller(FORGE_LANES, a->out.width - x);
    for (int64_t v = 0; v < blocks; v++) {
      v16 rows[FORGE_LANES];
#pragma clang loop unroll(full)
      for (int i = 0; i < FORGE_LANES; i++)
        rows[i] = load(pooled + (v * FORGE_LANES + i) * FORGE_LANES);
      transpose(rows);
      float *out = forge_row(&a->out, frame, panel_block + v, y) + x * FORGE_LANES;
      for (int64_t i = 0; i < made; i++) store(out + i * FORGE_LANES, rows[i]);
      if (call->row.end.further)
        activate(out, out, made, forge_lanes(a->out.channels, panel_block + v),
                 call->row.end.further);
    }
  }
}

#endif
