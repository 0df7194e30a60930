/* Recurrent cells, one unit at a time. */
#include "../recurrent.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* weights[from ..< from + count rows of 16 * gates] . values, for one lane; 0 for no values. */
static float product(const float *weights, int64_t stride, const float *values, int64_t count) {
  float sum = 0;
  for (int64_t k = 0; values && k < count; k++) sum += weights[k * stride] * values[k];
  return sum;
}

/* The product of recurrent weights and `values`, and its bias, for a gate of a unit. */
static float recurrent_part(const forge_recurrent_arguments *a, int64_t gate, int64_t unit,
                            const float *values) {
  const int64_t gates = forge_recurrent_gates(a), stride = gates * FORGE_LANES;
  const int64_t block = unit / FORGE_LANES, place = gate * FORGE_LANES + unit % FORGE_LANES;
  const float *weights = a->weights + block * a->outputs * stride + place;
  const float bias = a->biases ? a->biases[block * stride + place] : 0;
  return product(weights, stride, values, a->outputs) + bias;
}

static float clipped(const forge_recurrent_arguments *a, float x) {
  return x > a->clip ? a->clip : x < -a->clip ? -a->clip : x;
}

static float peephole(const forge_recurrent_arguments *a, int64_t gate, int64_t unit, float cell) {
  if (!a->peepholes) return 0;
  const int64_t block = unit / FORGE_LANES;
  return a->peepholes[(block * 3 + gate) * FORGE_LANES + unit % FORGE_LANES] * cell;
}

/* The sum of a gate, with the products of `values`. */
static float gate_sum(const forge_recurrent_arguments *a, const forge_recurrent_row *row,
                      int64_t gate, int64_t unit, const float *values) {
  return row->in[a->gate_offsets[gate] + unit] + recurrent_part(a, gate, unit, values);
}

static float lstm(const forge_recurrent_arguments *a, const forge_recurrent_row *row,
                  int64_t unit) {
  const float old = row->cells_before ? row->cells_before[unit] : 0;
  float sums[4];
  for (int64_t gate = 0; gate < 4; gate++) sums[gate] = gate_sum(a, row, gate, unit, row->before);
  const float i = forge_activate_scalar(clipped(a, sums[0] + peephole(a, 0, unit, old)), a->gates);
  const float f = a->is_coupled
    ? 1 - i
    : forge_activate_scalar(clipped(a, sums[1] + peephole(a, 1, unit, old)), a->gates);
  const float candidate = forge_activate_scalar(clipped(a, sums[2]), a->candidate);
  const float cell = f * old + i * candidate;
  row->cells[unit] = cell;
  const float o = forge_activate_scalar(clipped(a, sums[3] + peephole(a, 2, unit, cell)), a->gates);
  return o * forge_activate_scalar(cell, a->hidden);
}

static float mixed(float z, float candidate, float before) {
  return (1 - z) * candidate + z * before;
}

static float gru_after(const forge_recurrent_arguments *a, const forge_recurrent_row *row,
                       int64_t unit) {
  const float z =
    forge_activate_scalar(clipped(a, gate_sum(a, row, 0, unit, row->before)), a->gates);
  const float r =
    forge_activate_scalar(clipped(a, gate_sum(a, row, 1, unit, row->before)), a->gates);
  const float sum =
    row->in[a->gate_offsets[2] + unit] + r * recurrent_part(a, 2, unit, row->before);
  return mixed(z, forge_activate_scalar(clipped(a, sum), a->candidate),
               row->before ? row->before[unit] : 0);
}

static void finish_row(const forge_recurrent_row *row, int64_t output, float value) {
  row->after[output] = row->sequence[output] = value;
  if (row->last) row->last[output] = value;
}

static void compute(const forge_recurrent_arguments *a, const forge_recurrent_row *row,
                    bool is_second, int64_t unit) {
  const float before = row->before ? row->before[unit] : 0;
  switch (a->cell) {
    case FORGE_CELL_SIMPLE: {
      const float sum = gate_sum(a, row, 0, unit, row->before);
      finish_row(row, unit, forge_activate_scalar(clipped(a, sum), a->gates));
      return;
    }
    case FORGE_CELL_LSTM: {
      const float value = lstm(a, row, unit);
      if (a->projection)
        row->middle[unit] = value;
      else
        finish_row(row, unit, value);
      return;
    }
    case FORGE_CELL_GRU_AFTER: finish_row(row, unit, gru_after(a, row, unit)); return;
    default: break;
  }
  if (is_second) {
    const float sum = clipped(a, gate_sum(a, row, 2, unit, row->reset));
    finish_row(row, unit,
               mixed(row->middle[unit], forge_activate_scalar(sum, a->candidate), before));
  } else {
    const float z = clipped(a, gate_sum(a, row, 0, unit, row->before));
    const float r = clipped(a, gate_sum(a, row, 1, unit, row->before));
    row->middle[unit] = forge_activate_scalar(z, a->gates);
    row->reset[unit] = forge_activate_scalar(r, a->gates) * before;
  }
}

/* A row that has ended keeps its values, and its outputs are 0. */
static void pass(const forge_recurrent_row *row, int64_t place, bool has_outputs) {
  if (has_outputs) {
    const float value = row->before ? row->before[place] : 0;
    row->after[place] = value;
    row->sequence[place] = 0;
    if (row->last) row->last[place] = value;
  } else {
    row->cells[place] = row->cells_before ? row->cells_before[place] : 0;
  }
}

FORGE_SCALAR(recurrent) {
  const forge_recurrent_arguments *a = arguments;
  const bool is_second = forge_recurrent_has_two_rounds(a) && frame->round % 2 == 1;
  const bool is_projection = is_second && a->projection;
  for (int64_t r = 0; r < a->rows; r++) {
    const forge_recurrent_row row = forge_recurrent_row_of(a, frame, r);
    const int64_t count = is_projection ? a->outputs : a->units;
    const int64_t end = forge_smaller(last * FORGE_LANES, count);
    for (int64_t place = first * FORGE_LANES; place < end; place++) {
      if (row.is_past) {
        if (a->cell == FORGE_CELL_LSTM && !is_projection) pass(&row, place, false);
        if (is_projection || !a->projection) pass(&row, place, true);
      } else if (is_projection) {
        const float *weights =
          a->projection + place / FORGE_LANES * a->units * FORGE_LANES + place % FORGE_LANES;
        finish_row(&row, place, product(weights, FORGE_LANES, row.middle, a->units));
      } else {
        compute(a, &row, is_second, place);
      }
    }
  }
}
