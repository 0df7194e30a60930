/* How the products of recurrent cells are computed. Included by files with products alone, too. */
#ifndef FORGE_RECURRENT_FORM_H
#define FORGE_RECURRENT_FORM_H

typedef struct scaled_inputs scaled_inputs;

/* What the products of several gates of some blocks of units are computed from. */
typedef struct {
  const char *weights;               /* of the first block */
  const float *scales;               /* of the first block, or NULL */
  int64_t block_bytes, block_scales; /* from one block to the next, or negative */
  const float *values;
  int64_t count; /* of values */
  /* Products of bytes: the quantization of the values, and tables of the first block. */
  forge_quantization range;
  const int32_t *totals, *weight_zeros;
} recurrent_operands;

/* Sets the products of `blocks` blocks. Each function loops over the blocks itself, so that little
 * code is executed between two of them: weights that stream through the second-level cache evict
 * all code that is not executed all the time, from the first-level cache, too. */
typedef void (*recurrent_function)(const recurrent_operands *operands, int64_t blocks,
                                   v16 (*sums)[FORGE_MOST_GATES], scaled_inputs *scaled);

/* The products of a form: one function per number of gates. */
typedef struct {
  forge_weight_form form;
  recurrent_function products[FORGE_MOST_GATES];
} recurrent_form;

#endif
