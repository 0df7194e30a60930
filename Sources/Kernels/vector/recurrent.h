/* Recurrent cells: the gates of 16 units at once. */
#include "../recurrent.h"
#include "recurrent_products.h"

/* What the gates of a block of units are computed from. */
typedef struct {
  const forge_recurrent_arguments *a;
  const forge_recurrent_row *row;
  const recurrent_form *form;
  scaled_inputs *scaled;
  int64_t block, lanes;     /* lanes: units of the block */
  forge_quantization range; /* of the hidden values, for products of bytes */
} recurrent_block;

/* Floats of the block, 0 in the lanes after. */
FORGE_INLINE v16 recurrent_lanes(const recurrent_block *b, const float *at) {
  return b->lanes == FORGE_LANES ? load(at) : load_first(at, b->lanes, 0);
}

/* Floats of the block from a row of units; `values` may be NULL. */
FORGE_INLINE v16 recurrent_load(const recurrent_block *b, const float *values) {
  return values ? recurrent_lanes(b, values + b->block * FORGE_LANES) : splat(0);
}

FORGE_INLINE void recurrent_store(const recurrent_block *b, float *values, v16 x) {
  float *at = values + b->block * FORGE_LANES;
  if (b->lanes == FORGE_LANES)
    store(at, x);
  else
    store_first(at, b->lanes, x);
}

FORGE_INLINE void recurrent_finish(const recurrent_block *b, v16 x) {
  recurrent_store(b, b->row->after, x);
  recurrent_store(b, b->row->sequence, x);
  if (b->row->last) recurrent_store(b, b->row->last, x);
}

/* The usual functions stay in registers. */
FORGE_INLINE v16 recurrent_activation(v16 x, const forge_activation *activation) {
  if (activation->kind == FORGE_SIGMOID) return sigmoid_of(x);
  if (activation->kind == FORGE_TANH) return tanh_of(x);
  float lanes[FORGE_LANES];
  store(lanes, x);
  activate(lanes, lanes, 1, FORGE_LANES, activation);
  return load(lanes);
}

FORGE_INLINE v16 recurrent_clip(const recurrent_block *b, v16 x) {
  return clamp(x, splat(-b->a->clip), splat(b->a->clip));
}

/* Where the input's part of a gate is. */
FORGE_INLINE const float *recurrent_place(const recurrent_block *b, int64_t gate) {
  return b->row->in + b->a->gate_offsets[gate] + b->block * b->a->in_block;
}

/* The input's part of a gate. */
FORGE_INLINE v16 recurrent_input(const recurrent_block *b, int gate) {
  return recurrent_lanes(b, recurrent_place(b, gate));
}

/* Fetches the input's parts, because each is on a cache line of its own. */
FORGE_INLINE void recurrent_fetch(const recurrent_block *b) {
  const int64_t gates = forge_recurrent_gates(b->a);
  for (int64_t gate = 0; gate < gates; gate++) __builtin_prefetch(recurrent_place(b, gate));
}

/* Sets sums[i][g], for each of `count` blocks, to the product of `values` and gate `gate` + g, for
 * g below `gates`. These gates are in one packed matrix; a cell has `all` gates. The blocks are
 * neighbors, in ascending or descending order. */
FORGE_INLINE void recurrent_multiply(const recurrent_block *blocks, int64_t count,
                                     v16 (*sums)[FORGE_MOST_GATES], const float *weights,
                                     const float *scales, const float *values, int64_t inputs,
                                     int gate, const int gates, const int all) {
  const forge_recurrent_arguments *a = blocks->a;
  const recurrent_form *form = blocks->form;
  const int64_t gate_bytes =
    forge_recurrent_rows(form->form, inputs) * FORGE_LANES * forge_weight_bits(form->form) / 8;
  const int64_t first = blocks->block * all + gate;
  const int64_t step = count > 1 ? (blocks[1].block - blocks->block) * all : 0;
  const recurrent_operands operands = {
    .weights = (const char *)weights + first * gate_bytes,
    .scales = scales ? scales + first * FORGE_LANES : NULL,
    .block_bytes = step * gate_bytes,
    .block_scales = step * FORGE_LANES,
    .values = values,
    .count = inputs,
    .range = blocks->range,
    .totals = a->totals ? a->totals + first * FORGE_LANES : NULL,
    .weight_zeros = a->weight_zeros ? a->weight_zeros + first * FORGE_LANES : NULL,
  };
  form->products[gates - 1](&operands, count, sums, blocks->scaled);
}

/* The same with hidden values, or NULL for zeros, and the biases. */
FORGE_INLINE void recurrent_gates(const recurrent_block *blocks, int64_t count,
                                  v16 (*sums)[FORGE_MOST_GATES], const float *values, int gate,
                                  const int gates, const int all) {
  const forge_recurrent_arguments *a = blocks->a;
  if (values)
    recurrent_multiply(blocks, count, sums, a->weights, a->scales, values, a->outputs, gate, gates,
                       all);
  for (int64_t i = 0; i < count; i++) {
    const int64_t first = blocks[i].block * all + gate;
    for (int g = 0; g < gates; g++) {
      if (!values) sums[i][g] = splat(0);
      if (a->biases) sums[i][g] += load(a->biases + (first + g) * FORGE_LANES);
    }
  }
}

FORGE_INLINE v16 recurrent_peephole(const recurrent_block *b, int gate, v16 sum, v16 cell) {
  if (!b->a->peepholes) return sum;
  return multiply_add(load(b->a->peepholes + (b->block * 3 + gate) * FORGE_LANES), cell, sum);
}

/* Sets the products of `count` blocks in a round. */
FORGE_INLINE void recurrent_sums(const recurrent_block *blocks, int64_t count, bool is_second,
                                 v16 (*sums)[FORGE_MOST_GATES]) {
  const forge_recurrent_arguments *a = blocks->a;
  const forge_recurrent_row *row = blocks->row;
  switch (a->cell) {
    case FORGE_CELL_SIMPLE: recurrent_gates(blocks, count, sums, row->before, 0, 1, 1); break;
    case FORGE_CELL_LSTM:
      if (is_second)
        recurrent_multiply(blocks, count, sums, a->projection, a->projection_scales, row->middle,
                           a->units, 0, 1, 1);
      else
        recurrent_gates(blocks, count, sums, row->before, 0, 4, 4);
      break;
    case FORGE_CELL_GRU_AFTER: recurrent_gates(blocks, count, sums, row->before, 0, 3, 3); break;
    default:
      if (is_second)
        recurrent_gates(blocks, count, sums, row->reset, 2, 1, 3);
      else
        recurrent_gates(blocks, count, sums, row->before, 0, 2, 3);
  }
}

FORGE_INLINE void simple_cell(const recurrent_block *b, const v16 *sums) {
  const v16 sum = recurrent_clip(b, sums[0] + recurrent_input(b, 0));
  recurrent_finish(b, recurrent_activation(sum, &b->a->gates));
}

FORGE_INLINE void lstm_cell(const recurrent_block *b, const v16 *products) {
  const forge_recurrent_arguments *a = b->a;
  v16 sums[4];
  for (int g = 0; g < 4; g++) sums[g] = products[g] + recurrent_input(b, g);
  const v16 old = recurrent_load(b, b->row->cells_before);
  const v16 i =
    recurrent_activation(recurrent_clip(b, recurrent_peephole(b, 0, sums[0], old)), &a->gates);
  const v16 f = a->is_coupled
    ? 1 - i
    : recurrent_activation(recurrent_clip(b, recurrent_peephole(b, 1, sums[1], old)), &a->gates);
  const v16 candidate = recurrent_activation(recurrent_clip(b, sums[2]), &a->candidate);
  const v16 cell =
    clamp(multiply_add(f, old, i * candidate), splat(-a->cell_clip), splat(a->cell_clip));
  recurrent_store(b, b->row->cells, cell);
  const v16 o =
    recurrent_activation(recurrent_clip(b, recurrent_peephole(b, 2, sums[3], cell)), &a->gates);
  const v16 value = o * recurrent_activation(cell, &a->hidden);
  if (a->projection)
    recurrent_store(b, b->row->middle, value);
  else
    recurrent_finish(b, value);
}

FORGE_INLINE void gru_finish(const recurrent_block *b, v16 z, v16 sum) {
  const v16 candidate = recurrent_activation(recurrent_clip(b, sum), &b->a->candidate);
  recurrent_finish(b, multiply_add(1 - z, candidate, z * recurrent_load(b, b->row->before)));
}

FORGE_INLINE v16 gru_gate(const recurrent_block *b, int gate, v16 sum) {
  return recurrent_activation(recurrent_clip(b, sum + recurrent_input(b, gate)), &b->a->gates);
}

FORGE_INLINE void gru_after_cell(const recurrent_block *b, const v16 *sums) {
  const v16 z = gru_gate(b, 0, sums[0]), r = gru_gate(b, 1, sums[1]);
  gru_finish(b, z, multiply_add(r, sums[2], recurrent_input(b, 2)));
}

FORGE_INLINE void gru_before_cell(const recurrent_block *b, bool is_second, const v16 *sums) {
  if (is_second) {
    gru_finish(b, recurrent_load(b, b->row->middle), sums[0] + recurrent_input(b, 2));
  } else {
    recurrent_store(b, b->row->middle, gru_gate(b, 0, sums[0]));
    recurrent_store(b, b->row->reset, gru_gate(b, 1, sums[1]) * recurrent_load(b, b->row->before));
  }
}

/* A row that has ended, or whose time is hidden, keeps its values. */
FORGE_INLINE void recurrent_pass(const recurrent_block *b, bool has_outputs) {
  const forge_recurrent_row *row = b->row;
  if (has_outputs) {
    const v16 values = recurrent_load(b, row->before);
    recurrent_store(b, row->after, values);
    recurrent_store(b, row->sequence, row->is_past ? splat(0) : values);
    if (row->last) recurrent_store(b, row->last, values);
  } else {
    recurrent_store(b, row->cells, recurrent_load(b, row->cells_before));
  }
}

FORGE_INLINE void recurrent_cell(const recurrent_block *b, bool is_second, const v16 *sums) {
  const forge_recurrent_arguments *a = b->a;
  const bool is_projection = is_second && a->projection;
  if (b->row->stays) {
    if (a->cell == FORGE_CELL_LSTM && !is_projection) recurrent_pass(b, false);
    if (is_projection || !a->projection) recurrent_pass(b, true);
    return;
  }
  switch (a->cell) {
    case FORGE_CELL_SIMPLE: simple_cell(b, sums); break;
    case FORGE_CELL_LSTM:
      if (is_projection)
        recurrent_finish(b, sums[0]);
      else
        lstm_cell(b, sums);
      break;
    case FORGE_CELL_GRU_AFTER: gru_after_cell(b, sums); break;
    default: gru_before_cell(b, is_second, sums); break;
  }
}

/* The blocks of one row that are computed at once: first all products, then all functions, so that
 * the code of the functions is read from the third-level cache once (see recurrent_function). With
 * several rows the weights of one block are in the cache for all of them. */
enum { BLOCKS_OF_ONE_ROW = 32 };

/* Each time takes the blocks in the opposite order of the one before, whose last weights may still
 * be in the second-level cache. */
static void recurrent_blocks(const forge_recurrent_arguments *a, const forge_frame *frame,
                             int64_t first, int64_t last, const recurrent_form *form) {
  const bool is_second = forge_recurrent_has_two_rounds(a) && frame->round % 2 == 1;
  const bool is_backwards = forge_recurrent_step(a, frame) % 2 == 1;
  const int64_t count = is_second && a->projection ? a->outputs : a->units;
  const int64_t end = forge_smaller(last, forge_blocks(count));
  scaled_inputs scaled;
  scaled.from = NULL;
  const int64_t together = a->rows == 1 ? BLOCKS_OF_ONE_ROW : 1;
  const forge_quantization range = forge_hidden_range(a, frame);
  for (int64_t place = first; place < end; place += together) {
    const int64_t blocks = forge_smaller(together, end - place);
    for (int64_t r = 0; r < a->rows; r++) {
      const forge_recurrent_row row = forge_recurrent_row_of(a, frame, r);
      v16 sums[BLOCKS_OF_ONE_ROW][FORGE_MOST_GATES];
      recurrent_block some[BLOCKS_OF_ONE_ROW];
      for (int64_t i = 0; i < blocks; i++) {
        const int64_t block = is_backwards ? end - 1 - (place + i - first) : place + i;
        some[i] =
          (recurrent_block){a, &row, form, &scaled, block, forge_lanes(count, block), range};
      }
      if (!row.stays) recurrent_sums(some, blocks, is_second, sums);
      for (int64_t i = 0; i < blocks; i++) recurrent_fetch(&some[i]);
      for (int64_t i = 0; i < blocks; i++) recurrent_cell(&some[i], is_second, sums[i]);
    }
  }
}

FORGE_RECURRENT_PRODUCTS(float_recurrence, FORGE_WEIGHTS_FLOATS)

FORGE_KERNEL(recurrent) { recurrent_blocks(arguments, frame, first, last, &float_recurrence); }
