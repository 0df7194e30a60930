/* Conversion between the plain layout of the API and the blocked layout inside a plan. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

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
