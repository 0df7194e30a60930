/* Between the plain layout of the API and the blocked layout inside a plan. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

/* in: plain [height][width][channels]; out: blocked, padded lanes become zero. */
void forge_block_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                        int64_t last) {
  const forge_block_arguments *a = arguments;
  const int64_t height = a->out.height, width = a->out.width, channels = a->out.channels;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / height, y = tile % height;
    const int64_t lanes = forge_lanes(channels, block);
    const float *in = forge_origin(&a->in, frame) + y * a->in.row_stride + block * FORGE_LANES;
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t x = 0; x < width; x++, in += channels, out += FORGE_LANES) {
      if (lanes == FORGE_LANES) {
        memcpy(out, in, FORGE_LANES * sizeof(float));
      } else {
        for (int64_t lane = 0; lane < FORGE_LANES; lane++) out[lane] = lane < lanes ? in[lane] : 0;
      }
    }
  }
}

/* in: blocked; out: plain [height][width][channels]. */
void forge_unblock_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                          int64_t last) {
  const forge_unblock_arguments *a = arguments;
  const int64_t width = a->out.width, channels = a->out.channels;
  for (int64_t y = first; y < last; y++) {
    for (int64_t block = 0; block < forge_blocks(channels); block++) {
      const int64_t lanes = forge_lanes(channels, block);
      const float *in = forge_row(&a->in, frame, block, y);
      float *out = forge_origin(&a->out, frame) + y * a->out.row_stride + block * FORGE_LANES;
      for (int64_t x = 0; x < width; x++, in += FORGE_LANES, out += channels) {
        if (lanes == FORGE_LANES) {
          memcpy(out, in, FORGE_LANES * sizeof(float));
        } else {
          for (int64_t lane = 0; lane < lanes; lane++) out[lane] = in[lane];
        }
      }
    }
  }
}
