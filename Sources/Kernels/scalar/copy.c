/* Copies between blocked tensors: whole, into a range of channels, by a table of channels. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

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
