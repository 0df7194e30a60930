/* Rotation of pairs of channels, one number at a time. */
#include "../rotate.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* Returns the distance from a rotated channel to the other one of its pair. */
static int64_t to_partner(int32_t pairs, int64_t channel, int64_t rotated) {
  if (pairs == FORGE_ROTATE_NEIGHBORS) return channel % 2 == 0 ? 1 : -1;
  return channel < rotated / 2 ? rotated / 2 : -(rotated / 2);
}

FORGE_SCALAR(rotate) {
  const forge_rotate_arguments *a = arguments;
  const int64_t channels = a->in.channels / a->heads;
  for (int64_t tile = first; tile < last; tile++) {
    const int64_t y = tile / a->heads, head = tile % a->heads;
    const forge_rotation factors = forge_rotation_of(a, frame, y);
    /* The last head also clears the lanes after the last channel. */
    const int64_t end =
      head + 1 < a->heads ? (head + 1) * channels : forge_blocks(a->in.channels) * FORGE_LANES;
    for (int64_t c = head * channels; c < end; c++) {
      const int64_t channel = c - head * channels;
      const int64_t distance = to_partner(a->pairs, channel, factors.channels);
      const bool turns = channel < factors.channels, exists = c < a->in.channels;
      const int64_t other = turns ? c + distance : c;
      const float *in = forge_row(&a->in, frame, c / FORGE_LANES, y) + c % FORGE_LANES;
      const float *partners =
        forge_row(&a->in, frame, other / FORGE_LANES, y) + other % FORGE_LANES;
      float *out = forge_row(&a->out, frame, c / FORGE_LANES, y) + c % FORGE_LANES;
      for (int64_t x = 0; x < a->in.width; x++) {
        float value = exists ? in[x * FORGE_LANES] : 0;
        if (turns) {
          const int64_t factor = x * factors.channels + channel;
          const float sine = distance > 0 ? -factors.sines[factor] : factors.sines[factor];
          value = value * factors.cosines[factor] + partners[x * FORGE_LANES] * sine;
        }
        out[x * FORGE_LANES] = value;
      }
    }
  }
}
