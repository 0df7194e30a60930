/* Tables of a stream: rows that are appended, and rows that are read from a position on. */
#include "../attention.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

FORGE_SCALAR(append_rows) {
  const forge_append_rows_arguments *a = arguments;
  const int64_t channels = a->in.channels;
  const int64_t position = forge_position(&a->position, frame, a->out.width - a->in.width);
  for (int64_t x = first; x < last; x++) {
    float *row = forge_origin(&a->out, frame) + (position + x) * channels;
    for (int64_t block = 0; block < forge_blocks(channels); block++)
      memcpy(row + block * FORGE_LANES, forge_row(&a->in, frame, block, 0) + x * FORGE_LANES,
             (size_t)forge_lanes(channels, block) * sizeof(float));
  }
}

FORGE_SCALAR(rows_from) {
  const forge_rows_from_arguments *a = arguments;
  const int64_t channels = a->in.channels, lanes = forge_blocks(channels) * FORGE_LANES;
  const int64_t position = forge_position(&a->position, frame, a->in.width - a->out.width);
  for (int64_t x = first; x < last; x++) {
    const float *row = forge_origin(&a->in, frame) + (position + x) * channels;
    for (int64_t c = 0; c < lanes; c++) {
      float *to = forge_row(&a->out, frame, c / FORGE_LANES, 0) + x * FORGE_LANES;
      to[c % FORGE_LANES] = c < channels ? row[c] : 0;
    }
  }
}

FORGE_SCALAR(advance) {
  const forge_advance_arguments *a = arguments;
  if (first < last) *forge_start(&a->out, frame) = *forge_start(&a->in, frame) + (float)a->count;
}
