/* The tiles of attention and their scratch memory: see CForgeAttentionKernels.h. */
#ifndef FORGE_ATTENTION_H
#define FORGE_ATTENTION_H

#include "internal.h"

/* What one tile computes: some queries of a head of a row. */
typedef struct {
  int64_t row, head;
  int64_t first, count;   /* queries */
  int64_t channels;       /* of the queries and keys of a head */
  int64_t value_channels; /* of the values of a head */
  int64_t query_channel, key_channel, value_channel, out_channel; /* the first ones */
  int64_t keys;      /* that a query of the tile may see */
  int64_t offset;    /* query t sees the keys up to t + offset, if causal */
  const float *mask; /* of query 0 and key 0 */
} forge_attention_part;

/* Returns the position that a view holds, as a whole number from 0 to `last`, the largest that
 * leaves room for the present part. NaN is 0. */
FORGE_INLINE int64_t forge_position(const forge_view *view, const forge_frame *frame,
                                    int64_t last) {
  const float position = *forge_origin(view, frame);
  if (!(position >= 0)) return 0;
  return position < (float)last ? (int64_t)position : forge_larger(last, 0);
}

FORGE_INLINE forge_attention_part forge_attention_part_of(const forge_attention_arguments *a,
                                                          const forge_frame *frame, int64_t tile) {
  const int64_t across = forge_quotient_up(a->queries.width, FORGE_ATTENTION_QUERIES);
  forge_attention_part part = {
    .row = tile / across / a->heads,
    .head = tile / across % a->heads,
    .first = tile % across * FORGE_ATTENTION_QUERIES,
    .channels = a->queries.channels / a->heads,
    .value_channels = a->values.channels / a->groups,
    .keys = a->keys.width,
  };
  const int64_t group = part.head * a->groups / a->heads;
  part.count = forge_smaller(FORGE_ATTENTION_QUERIES, a->queries.width - part.first);
  part.query_channel = part.head * part.channels;
  part.key_channel = group * part.channels;
  part.value_channel = group * part.value_channels;
  part.out_channel = part.head * part.value_channels;
  part.offset = a->causal_offset;
  if (a->has_position)
    part.offset += forge_position(&a->position, frame, a->keys.width - a->queries.width);
  if (a->is_causal) {
    const int64_t last = part.first + part.count + part.offset;
    part.keys = forge_larger(0, forge_smaller(part.keys, last));
  }
  if (a->mask_kind != FORGE_ATTENTION_UNMASKED)
    part.mask = forge_origin(&a->mask, frame) + part.row * a->mask_row + part.head * a->mask_head;
  return part;
}

/* The place of a channel at column x of a row of a blocked image, or of a plain table with `step`
 * floats from column to column. */
FORGE_INLINE float *forge_stepped_channel(const forge_view *view, const forge_frame *frame,
                                          int64_t row, int64_t x, int64_t step, int64_t channel) {
  return forge_row(view, frame, channel / FORGE_LANES, row) + x * step + channel % FORGE_LANES;
}

/* The place of a channel at column x of a row of a blocked image. */
FORGE_INLINE float *forge_channel(const forge_view *view, const forge_frame *frame, int64_t row,
                                  int64_t x, int64_t channel) {
  return forge_stepped_channel(view, frame, row, x, FORGE_LANES, channel);
}

/* The parts of a worker's scratch, in floats from its start. */
typedef struct {
  int64_t queries; /* [channels][FORGE_ATTENTION_QUERIES], scaled */
  int64_t scores;  /* [FORGE_ATTENTION_KEYS][FORGE_ATTENTION_QUERIES] */
  int64_t sums;    /* [blocks of value channels][FORGE_ATTENTION_QUERIES][16] */
  int64_t values;  /* [blocks of value channels][FORGE_ATTENTION_KEYS][16] */
  int64_t end;
} forge_attention_scratch;

FORGE_INLINE forge_attention_scratch
forge_attention_scratch_of(const forge_attention_arguments *a) {
  const int64_t channels = a->queries.channels / a->heads;
  const int64_t value_channels = a->values.channels / a->groups;
  const int64_t blocks = forge_blocks(value_channels);
  forge_attention_scratch s = {0};
  s.scores = channels * FORGE_ATTENTION_QUERIES;
  s.sums = s.scores + FORGE_ATTENTION_KEYS * FORGE_ATTENTION_QUERIES;
  s.values = s.sums + blocks * FORGE_ATTENTION_QUERIES * FORGE_LANES;
  s.end = s.values;
  if (value_channels % FORGE_LANES != 0) s.end += blocks * FORGE_ATTENTION_KEYS * FORGE_LANES;
  return s;
}

#endif
