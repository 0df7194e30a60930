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

/* Tables of a stream. A position is a plain tensor of one whole number: how many rows of a table
 * came before the present part. It is made to leave room for the columns of the part. */

/* Plain table, some of whose rows are the columns of a blocked image of one row: row position + x
 * of out is column x of in. The other rows keep their values. Tiles: columns. */
typedef struct {
  forge_view in;
  forge_view out; /* plain: height 1, width rows, channels */
  forge_view position;
} forge_append_rows_arguments;

/* Blocked image of one row: column x of out is row position + x of in. Tiles: columns. */
typedef struct {
  forge_view in; /* plain: height 1, width rows, channels */
  forge_view out;
  forge_view position;
} forge_rows_from_arguments;

/* out = in + count: a position after `count` more. Tiles: 1. */
typedef struct {
  forge_place in, out;
  int64_t count;
} forge_advance_arguments;

typedef enum {
  FORGE_ROTATE_HALVES = 0, /* channels i and i + half of the rotated ones are a pair */
  FORGE_ROTATE_NEIGHBORS   /* channels 2i and 2i + 1 */
} forge_rotate_pairs;

/* out(t, h, c) = cosines(t, c) * in(t, h, c) + sign * sines(t, c) * in(t, h, partner of c), for the
 * first channels of each head, as many as cosines and sines have. The sign is -1 for the first
 * channel of a pair. The other channels are copied. out may not be in.
 *
 * Cosines and sines are plain: rows, or one for all, of columns, of channels. If has_position, they
 * are tables of one row, and column 0 of the image is at the position. Tiles: rows times heads. */
typedef struct {
  forge_view in, out;
  forge_view cosines, sines; /* plain, of equal size */
  forge_view position;       /* plain, if has_position: only its place is used */
  int32_t heads;
  int32_t pairs; /* forge_rotate_pairs */
  int32_t has_position;
} forge_rotate_arguments;

/* out(t, h, c) = sum over i of softmax(s)(t, i) * values(i, g, c), with
 * s(t, i) = scale * sum over c of queries(t, h, c) * keys(i, g, c), for g = h * groups / heads.
 *
 * The tensors are blocked images whose rows are independent, whose columns are positions, and whose
 * channels are those of all heads. Keys are hidden by the mask, by -inf in the mask, and if causal
 * those after t + causal_offset. A query that sees no key yields 0. A hidden key has no part in the
 * result, even if it or its values are NaN. The softmax is computed for FORGE_ATTENTION_KEYS keys
 * at a time, which begin at multiples of it.
 *
 * Keys and values may also be plain tables of one row, with key_step and value_step floats from one
 * position to the next and a block_stride of FORGE_LANES. If has_position, causal_offset grows by
 * the position of the first query in these tables.
 *
 * scratch has scratch_worker floats per worker, as many as forge_attention_scratch_floats returns.
 * Tiles: rows times heads times blocks of FORGE_ATTENTION_QUERIES queries. */
typedef struct {
  forge_view queries, keys, values, out;
  forge_view mask;     /* plain: only its place is used */
  forge_view position; /* the same, if has_position */
  forge_view scratch;
  int64_t scratch_worker;
  int64_t mask_row, mask_head, mask_query, mask_key; /* strides of the mask, 0 to repeat */
  int64_t key_step, value_step; /* FORGE_LANES, or the channels of a plain table */
  int64_t causal_offset;
  int32_t heads, groups;
  int32_t mask_kind; /* forge_attention_mask */
  int32_t is_causal;
  int32_t has_position;
  float scale;
  float cap; /* scores become cap * tanh(score / cap); 0 for none */
} forge_attention_arguments;

/* The floats of scratch that a worker needs. */
int64_t forge_attention_scratch_floats(const forge_attention_arguments *arguments);

#endif
