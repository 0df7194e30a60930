/* Scaled dot-product attention. Included by CForgeKernels.h. */
#ifndef CFORGE_ATTENTION_KERNELS_H
#define CFORGE_ATTENTION_KERNELS_H

/* The queries of a tile, and the keys whose scores are in memory at a time. */
#define FORGE_ATTENTION_QUERIES 32
#define FORGE_ATTENTION_KEYS 256

typedef enum {
  FORGE_ATTENTION_UNMASKED = 0,
  FORGE_ATTENTION_ADDED,  /* the mask is added to the scores */
  FORGE_ATTENTION_VISIBLE /* the mask is 0 for hidden keys */
} forge_attention_mask;

/* out(t, h, c) = sum over i of softmax(s)(t, i) * values(i, g, c), with
 * s(t, i) = scale * sum over c of queries(t, h, c) * keys(i, g, c), for g = h * groups / heads.
 *
 * The tensors are blocked images whose rows are independent, whose columns are positions, and whose
 * channels are those of all heads. Keys are hidden by the mask, by -inf in the mask, and if causal
 * those after t + causal_offset. A query that sees no key yields 0. The softmax is computed for
 * FORGE_ATTENTION_KEYS keys at a time, which begin at multiples of it.
 *
 * scratch has scratch_worker floats per worker, as many as forge_attention_scratch_floats returns.
 * Tiles: rows times heads times blocks of FORGE_ATTENTION_QUERIES queries. */
typedef struct {
  forge_view queries, keys, values, out;
  forge_view mask; /* plain: only its place is used */
  forge_view scratch;
  int64_t scratch_worker;
  int64_t mask_row, mask_head, mask_query, mask_key; /* strides of the mask, 0 to repeat */
  int64_t causal_offset;
  int32_t heads, groups;
  int32_t mask_kind; /* forge_attention_mask */
  int32_t is_causal;
  float scale;
  float cap; /* scores become cap * tanh(score / cap); 0 for none */
} forge_attention_arguments;

/* The floats of scratch that a worker needs. */
int64_t forge_attention_scratch_floats(const forge_attention_arguments *arguments);

#endif
