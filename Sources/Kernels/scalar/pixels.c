/* Moves pixels of blocked images: interleaves images, and exchanges channels for blocks of pixels.
 * */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

FORGE_SCALAR(place_pixels) {
  const forge_place_pixels_arguments *a = arguments;
  const int64_t height = a->in.height;
  const int64_t width = forge_smaller(
    a->in.width, forge_quotient_up(forge_larger(a->out.width - a->column, 0), a->step_x));
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height, to = y * a->step_y + a->row;
    if (to >= a->out.height) continue;
    const float *in = forge_row(&a->in, frame, block, y);
    float *out = forge_row(&a->out, frame, block, to) + a->column * FORGE_LANES;
    copy_pixels(out, (int64_t)a->step_x * FORGE_LANES, in, FORGE_LANES, width, FORGE_LANES, false);
  }
}

/* Copies `count` channels of one pixel, `in_step` channels apart, to adjacent ones. in, out:
 * channel 0 of the pixels. */
static void copy_channels_of_pixel(const float *in, int64_t in_block, int64_t in_channel,
                                   int64_t in_step, float *out, int64_t out_block,
                                   int64_t out_channel, int64_t count) {
  if (in_step == 1 && in_channel % FORGE_LANES == 0 && out_channel % FORGE_LANES == 0) {
    for (int64_t c = 0; c < count; c += FORGE_LANES)
      memcpy(out + (out_channel + c) / FORGE_LANES * out_block,
             in + (in_channel + c) / FORGE_LANES * in_block,
             (size_t)forge_smaller(FORGE_LANES, count - c) * sizeof(float));
    return;
  }
  for (int64_t c = 0; c < count; c++) {
    const int64_t from = in_channel + c * in_step, to = out_channel + c;
    out[to / FORGE_LANES * out_block + to % FORGE_LANES] =
      in[from / FORGE_LANES * in_block + from % FORGE_LANES];
  }
}

/* Zeroes the padded lanes of a pixel. */
static void clear_padding(float *out, int64_t out_block, int64_t channels) {
  for (int64_t c = channels; c < forge_blocks(channels) * FORGE_LANES; c++)
    out[c / FORGE_LANES * out_block + c % FORGE_LANES] = 0;
}

FORGE_SCALAR(depth_to_space) {
  const forge_depth_to_space_arguments *a = arguments;
  const int64_t channels = a->out.channels, area = (int64_t)a->block_y * a->block_x;
  for (int64_t y = first; y < last; y++) {
    for (int64_t x = 0; x < a->out.width; x++) {
      const int64_t position = y % a->block_y * a->block_x + x % a->block_x;
      const float *in = forge_row(&a->in, frame, 0, y / a->block_y) + x / a->block_x * FORGE_LANES;
      float *out = forge_row(&a->out, frame, 0, y) + x * FORGE_LANES;
      copy_channels_of_pixel(in, a->in.block_stride,
                             a->interleaved ? position : position * channels,
                             a->interleaved ? area : 1, out, a->out.block_stride, 0, channels);
      clear_padding(out, a->out.block_stride, channels);
    }
  }
}

FORGE_SCALAR(space_to_depth) {
  const forge_space_to_depth_arguments *a = arguments;
  const int64_t channels = a->in.channels;
  for (int64_t y = first; y < last; y++) {
    for (int64_t x = 0; x < a->out.width; x++) {
      float *out = forge_row(&a->out, frame, 0, y) + x * FORGE_LANES;
      for (int64_t u = 0; u < a->block_y; u++) {
        for (int64_t v = 0; v < a->block_x; v++) {
          const float *in =
            forge_row(&a->in, frame, 0, y * a->block_y + u) + (x * a->block_x + v) * FORGE_LANES;
          copy_channels_of_pixel(in, a->in.block_stride, 0, 1, out, a->out.block_stride,
                                 (u * a->block_x + v) * channels, channels);
        }
      }
      clear_padding(out, a->out.block_stride, a->out.channels);
    }
  }
}
