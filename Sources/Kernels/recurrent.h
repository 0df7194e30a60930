/* Rounds and places of recurrent cells: see CForgeRecurrentKernels.h. */
#ifndef FORGE_RECURRENT_H
#define FORGE_RECURRENT_H

#include "quantized.h"

/* What a round of a recurrent step computes, for one row. */
typedef struct {
  const float *in;     /* the parts of the gates that come from the input */
  const float *before; /* [outputs]: the hidden values before, or NULL for zeros */
  float *after;        /* [outputs]: the hidden values after */
  float *sequence;     /* [outputs]: their place in the sequence */
  float *last;         /* [outputs]: their place behind the sequence, or NULL before the end */
  /* [units]: the cells, and the cells before this time, or NULL for zeros. */
  float *cells;
  const float *cells_before;
  float *middle; /* [units], of this row: unprojected values, or the update gate of a GRU */
  float *reset;  /* [units]: the reset hidden values of a GRU */
  bool stays;    /* whether values stay as they are: the row has ended, or a mask hides the time */
  bool is_past;  /* whether the row has ended: the output is 0 */
} forge_recurrent_row;

/* Returns whether a time takes two rounds. */
FORGE_INLINE bool forge_recurrent_has_two_rounds(const forge_recurrent_arguments *a) {
  return a->projection || a->cell == FORGE_CELL_GRU_BEFORE;
}

FORGE_INLINE int64_t forge_recurrent_gates(const forge_recurrent_arguments *a) {
  switch (a->cell) {
    case FORGE_CELL_SIMPLE: return 1;
    case FORGE_CELL_LSTM: return 4;
    default: return 3;
  }
}

/* The index of the time, in the order in which times are read. */
FORGE_INLINE int64_t forge_recurrent_step(const forge_recurrent_arguments *a,
                                          const forge_frame *frame) {
  return forge_recurrent_has_two_rounds(a) ? frame->round / 2 : frame->round;
}

FORGE_INLINE forge_recurrent_row forge_recurrent_row_of(const forge_recurrent_arguments *a,
                                                        const forge_frame *frame, int64_t row) {
  const int64_t step = forge_recurrent_step(a, frame);
  const int64_t time = a->is_reversed ? a->times - 1 - step : step;
  const int64_t hidden = a->rows * a->outputs, place = time * a->rows + row;
  float *out = forge_start(&a->out, frame), *scratch = forge_start(&a->scratch, frame);
  float *cells = out + (a->times + 1) * hidden + row * a->units;
  const float *initial =
    a->has_state ? forge_start(&a->initial_hidden, frame) + row * a->outputs : NULL;
  const float *initial_cells = a->has_state && a->cell == FORGE_CELL_LSTM
    ? forge_start(&a->initial_cells, frame) + row * a->units
    : NULL;
  const bool is_past = a->has_lengths && (float)time >= forge_start(&a->lengths, frame)[row];
  const bool is_hidden = a->has_mask && forge_start(&a->mask, frame)[place] == 0;
  return (forge_recurrent_row){
    .in = forge_start(&a->in, frame) + time * a->in_time + row * a->in_row,
    .before = step == 0 ? initial : scratch + (step + 1) % 2 * hidden + row * a->outputs,
    .after = scratch + step % 2 * hidden + row * a->outputs,
    .sequence = out + place * a->outputs,
    .last = step == a->times - 1 ? out + a->times * hidden + row * a->outputs : NULL,
    .cells = cells,
    .cells_before = step == 0 ? initial_cells : cells,
    .middle = scratch + 2 * hidden + row * a->units,
    .reset = scratch + 2 * hidden + (a->rows + row) * a->units,
    .stays = is_past || is_hidden,
    .is_past = is_past,
  };
}

/* The quantization of the hidden values of all rows before a round, if products are those of
 * bytes. */
static inline forge_quantization forge_hidden_range(const forge_recurrent_arguments *a,
                                                    const forge_frame *frame) {
  forge_quantization range = {1, 0};
  if (!a->totals) return range;
  int32_t least = 0, most = 0; /* zero is in every range */
  for (int64_t r = 0; r < a->rows; r++) {
    const float *values = forge_recurrent_row_of(a, frame, r).before;
    if (!values) continue;
    for (int64_t k = 0; k < a->outputs; k++) {
      const int32_t number = forge_ordered((int32_t)forge_bits_of(values[k]));
      least = number < least ? number : least;
      most = number > most ? number : most;
    }
  }
  return forge_quantization_of(least, most);
}

#endif
