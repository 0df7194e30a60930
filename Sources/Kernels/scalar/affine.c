/* A scale and a bias per channel (batch normalisation that could not be folded). */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

static float scaled(const void *arguments, const forge_frame *frame, int64_t c, int64_t y,
                    int64_t x) {
  const forge_affine_arguments *a = arguments;
  return scalar_at(&a->in, frame, c, y, x) * a->scale[c] + a->bias[c];
}

FORGE_SCALAR_KERNEL(affine, scaled)
