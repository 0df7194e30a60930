/* Recurrent cells, one unit at a time. */
#include "../recurrent.h"
#include "../words.h"
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* A recurrent step, and how its weights are stored. */
typedef struct {
  const forge_recurrent_arguments *a;
  forge_weight_form form;
  bool is_dynamic;
  forge_quantization range; /* of the hidden values, if products are those of bytes */
} cells;

/* Returns an unscaled weight: a lane of a vector. */
static float weight_of(const char *weights, forge_weight_form form, int64_t vector, int64_t lane) {
  if (form == FORGE_WEIGHTS_FIXED)
    return forge_of_group(weights + vector / 4 * FORGE_FIXED_GROUP_BYTES, vector % 4, lane);
  const char *at = weights + (vector * FORGE_LANES + lane) * forge_weight_bits(form) / 8;
  if (form == FORGE_WEIGHTS_BYTES) return *(const int8_t *)at;
  float weight;
  uint16_t bits;
  memcpy(&bits, at, sizeof bits);
  if (form == FORGE_WEIGHTS_BFLOATS) return forge_float_of((uint32_t)bits << 16);
  if (form == FORGE_WEIGHTS_HALVES) return forge_float_of_half(bits);
  memcpy(&weight, at, sizeof weight);
  return weight;
}

/* Returns the sum of products of `values` and the weights of a gate of a unit. A packed matrix has
 * `gates` gates, of which this is number `place`. A block of units has `all` gates in all its
 * matrices. */
static float product(const cells *c, const float *weights, const float *scales, const float *values,
                     int64_t count, int64_t unit, int64_t gate, int64_t place, int64_t gates,
                     int64_t all) {
  const int64_t block = unit / FORGE_LANES, lane = unit % FORGE_LANES;
  const int64_t rows = forge_recurrent_rows(c->form, count);
  const char *from = (const char *)weights +
    (block * all + gate - place) * rows * FORGE_LANES * forge_weight_bits(c->form) / 8;
  const float input_scale = c->form == FORGE_WEIGHTS_FIXED ? FORGE_FIXED_INPUT_SCALE : 1;
  float sum = 0;
  for (int64_t k = 0; k < count; k++)
    sum += weight_of(from, c->form, k * gates + place, lane) * (values[k] * input_scale);
  if (scales) sum *= scales[(block * all + gate) * FORGE_LANES + lane];
  return sum * (1 / input_scale);
}

/* The product of bytes of the weights of a gate of a unit and hidden values. */
static float dynamic_product(const cells *c, const float *values, int64_t unit, int64_t gate) {
  const forge_recurrent_arguments *a = c->a;
  const int64_t block = unit / FORGE_LANES, lane = unit % FORGE_LANES;
  const int64_t fours = forge_quotient_up(a->outputs, FORGE_QUAD);
  const int8_t *weights =
    (const int8_t *)a->weights + block * fours * FORGE_MOST_GATES * FORGE_LANES * FORGE_QUAD;
  const int64_t at = (block * FORGE_MOST_GATES + gate) * FORGE_LANES + lane;
  uint32_t sum = 0, total = 0;
  for (int64_t k = 0; k < a->outputs; k++) {
    const uint8_t byte = forge_byte_of(values[k] / c->range.scale, c->range.zero, 0, 255);
    const int64_t four = k / FORGE_QUAD * FORGE_MOST_GATES + gate;
    sum += (uint32_t)(byte * weights[(four * FORGE_LANES + lane) * FORGE_QUAD + k % FORGE_QUAD]);
    total += byte;
  }
  sum -= (uint32_t)c->range.zero * (uint32_t)a->totals[at];
  sum -= total * (uint32_t)a->weight_zeros[at];
  return (float)(int32_t)sum * (c->range.scale * a->scales[at]);
}

/* The product of recurrent weights and `values`, and its bias, for a gate of a unit. */
static float recurrent_part(const cells *c, int64_t gate, int64_t unit, const float *values) {
  const forge_recurrent_arguments *a = c->a;
  const int64_t all = forge_recurrent_gates(a);
  const int64_t block = unit / FORGE_LANES;
  const float bias =
    a->biases ? a->biases[(block * all + gate) * FORGE_LANES + unit % FORGE_LANES] : 0;
  if (!values) return bias;
  if (c->is_dynamic) return dynamic_product(c, values, unit, gate) + bias;
  const bool is_second = a->cell == FORGE_CELL_GRU_BEFORE && gate == 2;
  const int64_t gates = is_second ? 1 : a->cell == FORGE_CELL_GRU_BEFORE ? 2 : all;
  return product(c, a->weights, a->scales, values, a->outputs, unit, gate, is_second ? 0 : gate,
                 gates, all) +
    bias;
}

static float bounded(float x, float bound) { return x > bound ? bound : x < -bound ? -bound : x; }

static float clipped(const forge_recurrent_arguments *a, float x) { return bounded(x, a->clip); }

static float peephole(const forge_recurrent_arguments *a, int64_t gate, int64_t unit, float cell) {
  if (!a->peepholes) return 0;
  const int64_t block = unit / FORGE_LANES;
  return a->peepholes[(block * 3 + gate) * FORGE_LANES + unit % FORGE_LANES] * cell;
}

/* The input's part of a gate of a unit. */
static float input_part(const forge_recurrent_arguments *a, const forge_recurrent_row *row,
                        int64_t gate, int64_t unit) {
  return row->in[a->gate_offsets[gate] + unit / FORGE_LANES * a->in_block + unit % FORGE_LANES];
}

/* The sum of a gate, with the products of `values`. */
static float gate_sum(const cells *c, const forge_recurrent_row *row, int64_t gate, int64_t unit,
                      const float *values) {
  return input_part(c->a, row, gate, unit) + recurrent_part(c, gate, unit, values);
}

static float lstm(const cells *c, const forge_recurrent_row *row, int64_t unit) {
  const forge_recurrent_arguments *a = c->a;
  const float old = row->cells_before ? row->cells_before[unit] : 0;
  float sums[4];
  for (int64_t gate = 0; gate < 4; gate++) sums[gate] = gate_sum(c, row, gate, unit, row->before);
  const float i = forge_activate_scalar(clipped(a, sums[0] + peephole(a, 0, unit, old)), a->gates);
  const float f = a->is_coupled
    ? 1 - i
    : forge_activate_scalar(clipped(a, sums[1] + peephole(a, 1, unit, old)), a->gates);
  const float candidate = forge_activate_scalar(clipped(a, sums[2]), a->candidate);
  const float cell = bounded(f * old + i * candidate, a->cell_clip);
  row->cells[unit] = cell;
  const float o = forge_activate_scalar(clipped(a, sums[3] + peephole(a, 2, unit, cell)), a->gates);
  return o * forge_activate_scalar(cell, a->hidden);
}

static float mixed(float z, float candidate, float before) {
  return (1 - z) * candidate + z * before;
}

static float gru_after(const cells *c, const forge_recurrent_row *row, int64_t unit) {
  const forge_recurrent_arguments *a = c->a;
  const float z =
    forge_activate_scalar(clipped(a, gate_sum(c, row, 0, unit, row->before)), a->gates);
  const float r =
    forge_activate_scalar(clipped(a, gate_sum(c, row, 1, unit, row->before)), a->gates);
  const float sum = input_part(a, row, 2, unit) + r * recurrent_part(c, 2, unit, row->before);
  return mixed(z, forge_activate_scalar(clipped(a, sum), a->candidate),
               row->before ? row->before[unit] : 0);
}

static void finish_row(const forge_recurrent_row *row, int64_t output, float value) {
  row->after[output] = row->sequence[output] = value;
  if (row->last) row->last[output] = value;
}

static void compute(const cells *c, const forge_recurrent_row *row, bool is_second, int64_t unit) {
  const forge_recurrent_arguments *a = c->a;
  switch (a->cell) {
    case FORGE_CELL_SIMPLE: {
      const float sum = gate_sum(c, row, 0, unit, row->before);
      finish_row(row, unit, forge_activate_scalar(clipped(a, sum), a->gates));
      return;
    }
    case FORGE_CELL_LSTM: {
      const float value = lstm(c, row, unit);
      if (a->projection)
        row->middle[unit] = value;
      else
        finish_row(row, unit, value);
      return;
    }
    case FORGE_CELL_GRU_AFTER: finish_row(row, unit, gru_after(c, row, unit)); return;
    default: break;
  }
  const float before = row->before ? row->before[unit] : 0;
  if (is_second) {
    const float sum = clipped(a, gate_sum(c, row, 2, unit, row->reset));
    finish_row(row, unit,
               mixed(row->middle[unit], forge_activate_scalar(sum, a->candidate), before));
  } else {
    const float z = clipped(a, gate_sum(c, row, 0, unit, row->before));
    const float r = clipped(a, gate_sum(c, row, 1, unit, row->before));
    row->middle[unit] = forge_activate_scalar(z, a->gates);
    row->reset[unit] = forge_activate_scalar(r, a->gates) * before;
  }
}

/* A row that has ended, or whose time is hidden, keeps its values. */
static void pass(const forge_recurrent_row *row, int64_t place, bool has_outputs) {
  if (has_outputs) {
    const float value = row->before ? row->before[place] : 0;
    row->after[place] = value;
    row->sequence[place] = row->is_past ? 0 : value;
    if (row->last) row->last[place] = value;
  } else {
    row->cells[place] = row->cells_before ? row->cells_before[place] : 0;
  }
}

static void run(const cells *c, const forge_frame *frame, int64_t first, int64_t last) {
  const forge_recurrent_arguments *a = c->a;
  const bool is_second = forge_recurrent_has_two_rounds(a) && frame->round % 2 == 1;
  const bool is_projection = is_second && a->projection;
  for (int64_t r = 0; r < a->rows; r++) {
    const forge_recurrent_row row = forge_recurrent_row_of(a, frame, r);
    const int64_t count = is_projection ? a->outputs : a->units;
    const int64_t end = forge_smaller(last * FORGE_LANES, count);
    for (int64_t place = first * FORGE_LANES; place < end; place++) {
      if (row.stays) {
        if (a->cell == FORGE_CELL_LSTM && !is_projection) pass(&row, place, false);
        if (is_projection || !a->projection) pass(&row, place, true);
      } else if (is_projection) {
        finish_row(
          &row, place,
          product(c, a->projection, a->projection_scales, row.middle, a->units, place, 0, 0, 1, 1));
      } else {
        compute(c, &row, is_second, place);
      }
    }
  }
}

#define FORGE_SCALAR_RECURRENT(name, stored)                                           \
  FORGE_SCALAR(name) {                                                                 \
    run(&(cells){.a = arguments, .form = FORGE_WEIGHTS_##stored}, frame, first, last); \
  }
FORGE_SCALAR_RECURRENT(recurrent, FLOATS)
FORGE_SCALAR_RECURRENT(fixed_recurrent, FIXED)
FORGE_SCALAR_RECURRENT(half_recurrent, HALVES)
FORGE_SCALAR_RECURRENT(bfloat_recurrent, BFLOATS)
FORGE_SCALAR_RECURRENT(byte_recurrent, BYTES)

FORGE_SCALAR(dynamic_recurrent) {
  const cells c = {
    .a = arguments, .is_dynamic = true, .range = forge_hidden_range(arguments, frame)};
  run(&c, frame, first, last);
}
