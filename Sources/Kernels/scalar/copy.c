/* Moves numbers without computing: between the plain layout of the API and the blocked layout of a
 * plan, between tensors of one layout, and zeroes. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* ---- plain to blocked and back ---- */

FORGE_SCALAR(block) {
  const forge_block_arguments *a = arguments;
  const int64_t height = a->out.height, channels = a->out.channels;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height;
    copy_pixels(forge_row(&a->out, frame, block, y), FORGE_LANES,
                forge_origin(&a->in, frame) + y * a->in.row_stride + block * FORGE_LANES, channels,
                a->out.width, forge_lanes(channels, block), true);
  }
}

FORGE_SCALAR(unblock) {
  const forge_unblock_arguments *a = arguments;
  const int64_t channels = a->out.channels;
  for (int64_t y = first; y < last; y++)
    for (int64_t block = 0; block < forge_blocks(channels); block++)
      copy_pixels(forge_origin(&a->out, frame) + y * a->out.row_stride + block * FORGE_LANES,
                  channels, forge_row(&a->in, frame, block, y), FORGE_LANES, a->out.width,
                  forge_lanes(channels, block), false);
}

/* ---- blocked to blocked: whole, into a range of channels, by a table of channels ---- */

/* Padded lanes are zero in `in` and copied with the rest. */
FORGE_SCALAR(copy) {
  const forge_copy_arguments *a = arguments;
  const size_t row = (size_t)a->out.width * FORGE_LANES * sizeof(float);
  for (int64_t block = first; block < last; block++)
    for (int64_t y = 0; y < a->out.height; y++)
      memmove(forge_row(&a->out, frame, block, y), forge_row(&a->in, frame, block, y), row);
}

/* Moves a run of channels that is in one block of `in` and in one block of `out` at a time. */
FORGE_SCALAR(copy_channels) {
  const forge_copy_channels_arguments *a = arguments;
  if (first >= last) return;
  const int64_t channels = a->in.channels;
  for (int64_t channel = 0, run; channel < channels; channel += run) {
    const int64_t to = a->first_channel + channel;
    const int64_t from_lane = channel % FORGE_LANES, to_lane = to % FORGE_LANES;
    run = forge_smaller(FORGE_LANES - forge_larger(from_lane, to_lane), channels - channel);
    for (int64_t y = 0; y < a->in.height; y++)
      copy_pixels(forge_row(&a->out, frame, to / FORGE_LANES, y) + to_lane, FORGE_LANES,
                  forge_row(&a->in, frame, channel / FORGE_LANES, y) + from_lane, FORGE_LANES,
                  a->in.width, run, false);
  }
}

/* indices: int32_t [out.channels], each in 0 ..< in.channels. Padded lanes of `out` become zero. */
FORGE_SCALAR(gather_channels) {
  const forge_gather_channels_arguments *a = arguments;
  for (int64_t y = first; y < last; y++) {
    for (int64_t block = 0; block < forge_blocks(a->out.channels); block++) {
      const int64_t lanes = forge_lanes(a->out.channels, block);
      for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
        float *out = forge_row(&a->out, frame, block, y) + lane;
        if (lane >= lanes) {
          for (int64_t x = 0; x < a->out.width; x++) out[x * FORGE_LANES] = 0;
          continue;
        }
        const int64_t channel = a->indices[block * FORGE_LANES + lane];
        const float *in =
          forge_row(&a->in, frame, channel / FORGE_LANES, y) + channel % FORGE_LANES;
        for (int64_t x = 0; x < a->out.width; x++) out[x * FORGE_LANES] = in[x * FORGE_LANES];
      }
    }
  }
}

/* ---- plain to plain: any copy, transposition or concatenation ---- */

FORGE_SCALAR(copy_plain) {
  const forge_copy_plain_arguments *a = arguments;
  const float *in = forge_start(&a->in, frame);
  float *out = forge_start(&a->out, frame);
  const int64_t *strides[3] = {a->in_strides, a->out_strides, NULL};
  forge_walk walk;
  if (!forge_walk_begin(&walk, a->rank, a->sizes, strides, first, last)) return;
  do {
    const float *from = in + walk.offsets[0];
    float *to = out + walk.offsets[1];
    if (walk.steps[0] == 1 && walk.steps[1] == 1) {
      memcpy(to, from, (size_t)walk.count * sizeof(float));
    } else {
      for (int64_t i = 0; i < walk.count; i++) to[i * walk.steps[1]] = from[i * walk.steps[0]];
    }
  } while (forge_walk_next(&walk));
}

/* ---- zeroes around and inside blocked tensors ---- */

static void clear(float *at, int64_t pixels) {
  memset(at, 0, (size_t)(pixels * FORGE_LANES) * sizeof(float));
}

FORGE_SCALAR(clear_halo) {
  const forge_clear_halo_arguments *a = arguments;
  const int64_t width = a->out.width, height = a->out.height;
  const int64_t left = a->left, right = a->right;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height;
    float *row = forge_row(&a->out, frame, block, y); /* column 0 */
    clear(row - left * FORGE_LANES, left);
    clear(row + width * FORGE_LANES, right);
    for (int64_t above = -a->top; y == 0 && above < 0; above++)
      clear(forge_row(&a->out, frame, block, above) - left * FORGE_LANES, left + width + right);
    for (int64_t below = height; y == height - 1 && below < height + a->bottom; below++)
      clear(forge_row(&a->out, frame, block, below) - left * FORGE_LANES, left + width + right);
  }
}

FORGE_SCALAR(fill) {
  const forge_fill_arguments *a = arguments;
  for (int64_t block = first; block < last; block++)
    for (int64_t y = 0; y < a->out.height; y++)
      clear(forge_row(&a->out, frame, block, y), a->out.width);
}
