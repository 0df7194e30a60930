/* Attention, one number at a time, with sums in double precision. */
#include "../attention.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

int64_t forge_attention_scratch_floats(const forge_attention_arguments *a) {
  return forge_attention_scratch_of(a).end;
}

/* Returns the score of a key for a query, -inf if it is hidden. */
static double score(const forge_attention_arguments *a, const forge_frame *frame,
                    const forge_attention_part *part, int64_t query, int64_t key) {
  if (a->is_causal && key > query + part->offset) return -INFINITY;
  const float mask = part->mask ? part->mask[query * a->mask_query + key * a->mask_key] : 1;
  if (mask == (a->mask_kind == FORGE_ATTENTION_ADDED ? -INFINITY : 0)) return -INFINITY;
  double sum = 0;
  for (int64_t c = 0; c < part->channels; c++)
    sum += (double)*forge_channel(&a->queries, frame, part->row, query, part->query_channel + c) *
      (double)*forge_stepped_channel(&a->keys, frame, part->row, key, a->key_step,
                                     part->key_channel + c);
  sum *= (double)a->scale;
  if (a->cap > 0) sum = (double)a->cap * tanh(sum / (double)a->cap);
  return a->mask_kind == FORGE_ATTENTION_ADDED ? sum + (double)mask : sum;
}

FORGE_SCALAR(attention) {
  const forge_attention_arguments *a = arguments;
  const int64_t lanes = forge_blocks(a->out.channels) * FORGE_LANES;
  for (int64_t tile = first; tile < last; tile++) {
    const forge_attention_part part = forge_attention_part_of(a, frame, tile);
    for (int64_t t = part.first; t < part.first + part.count; t++) {
      double largest = -INFINITY, weights = 0;
      for (int64_t key = 0; key < part.keys; key++) {
        const double s = score(a, frame, &part, t, key);
        if (s > largest) largest = s;
      }
      const double shift = largest == -INFINITY ? 0 : largest;
      for (int64_t key = 0; key < part.keys; key++)
        weights += exp(score(a, frame, &part, t, key) - shift);
      for (int64_t c = 0; c < part.value_channels; c++) {
        double sum = 0;
        for (int64_t key = 0; key < part.keys; key++) {
          const double s = score(a, frame, &part, t, key);
          if (s == -INFINITY) continue;
          sum += exp(s - shift) *
            (double)*forge_stepped_channel(&a->values, frame, part.row, key, a->value_step,
                                           part.value_channel + c);
        }
        *forge_channel(&a->out, frame, part.row, t, part.out_channel + c) =
          weights == 0 ? 0 : (float)(sum / weights);
      }
      if (part.head == a->heads - 1)
        for (int64_t c = a->out.channels; c < lanes; c++)
          *forge_channel(&a->out, frame, part.row, t, c) = 0;
    }
  }
}
