/* Softmax and its logarithm, one number at a time, summed in double precision.
 *
 * On all levels a NaN or +inf among the numbers, or nothing but -inf, makes all of them NaN. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* Returns the place of number i. Plain rows are contiguous; blocked ones are in pieces of 16,
 * `block_stride` apart. */
static int64_t place(int64_t i, int64_t block_stride) {
  return block_stride ? i / FORGE_LANES * block_stride + i % FORGE_LANES : i;
}

/* in, out: `count` numbers each; out may be in. */
static void softmax(const float *in, int64_t in_block_stride, float *out, int64_t out_block_stride,
                    int64_t count, bool logarithm) {
  float largest = -INFINITY;
  for (int64_t i = 0; i < count; i++) {
    const float x = in[place(i, in_block_stride)];
    if (x > largest) largest = x;
  }
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += exp((double)(in[place(i, in_block_stride)] - largest));
  for (int64_t i = 0; i < count; i++) {
    const double x = (double)(in[place(i, in_block_stride)] - largest);
    out[place(i, out_block_stride)] = (float)(logarithm ? x - log(sum) : exp(x) / sum);
  }
}

FORGE_SCALAR(softmax) {
  const forge_softmax_arguments *a = arguments;
  const int64_t channels = a->out.channels, blocks = forge_blocks(channels);
  for (int64_t y = first; y < last; y++) {
    for (int64_t x = 0; x < a->out.width; x++) {
      float *out = forge_row(&a->out, frame, 0, y) + x * FORGE_LANES;
      softmax(forge_row(&a->in, frame, 0, y) + x * FORGE_LANES, a->in.block_stride, out,
              a->out.block_stride, channels, a->logarithm);
      for (int64_t c = channels; c < blocks * FORGE_LANES; c++)
        out[place(c, a->out.block_stride)] = 0;
    }
  }
}

FORGE_SCALAR(softmax_plain) {
  const forge_softmax_plain_arguments *a = arguments;
  for (int64_t row = first; row < last; row++)
    softmax(forge_start(&a->in, frame) + row * a->columns, 0,
            forge_start(&a->out, frame) + row * a->columns, 0, a->columns, a->logarithm);
}
