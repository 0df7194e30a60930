/* A scale and a bias per channel (batch normalisation that could not be folded). */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

void forge_affine_scalar(const void *arguments, const forge_frame *frame, int64_t first,
                         int64_t last) {
  const forge_affine_arguments *a = arguments;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t block = tile / a->out.height, y = tile % a->out.height;
    const int64_t lanes = forge_lanes(a->out.channels, block);
    const float *scale = a->scale + block * FORGE_LANES, *bias = a->bias + block * FORGE_LANES;
    const float *in = forge_row(&a->in, frame, block, y);
    float *out = forge_row(&a->out, frame, block, y);
    for (int64_t i = 0; i < (int64_t)a->out.width * FORGE_LANES; i++) {
      const int64_t lane = i % FORGE_LANES;
      out[i] =
        lane < lanes ? forge_activate_scalar(in[i] * scale[lane] + bias[lane], a->activation) : 0;
    }
  }
}
