/* Attention, rotation and recurrent cells.
 *
 * Bounds: attention: the exponents are off by d = 2e-6 * (1 + the largest sum of |query * key| *
 * scale + the largest |mask|), the result by (2 d + 1e-6) * the same mean of |values|. Rotation:
 * 2e-7 * the sum of both |terms|. Recurrent cells, whose values are at most 1: 1e-5. */
#include "check.h"

/* ---- attention ---- */

/* A blocked image of positions, or a plain table of one row. */
static image table_image(int32_t base, int64_t width, int64_t channels) {
  image i = plain_image(base, 1, width, channels);
  i.view.block_stride = FORGE_LANES;
  return i;
}

void check_attention(void) {
  static const int64_t head_channels[] = {1, 5, 16, 17, 32, 40, 64};
  static const int64_t widths[] = {1, 2, 7, 31, 32, 33, 70},
                       key_counts[] = {1, 3, 17, 64, 257, 300};
  const int64_t groups = random_from(1, 2), heads = groups * random_from(1, 2);
  const int64_t channels = RANDOM_OF(head_channels), value_channels = RANDOM_OF(head_channels);
  const int64_t queries = RANDOM_OF(widths), keys = RANDOM_OF(key_counts);
  const bool tables = random_below(3) == 0;
  const int64_t rows = tables ? 1 : random_from(1, 2);
  const image q = float_image(IN, rows, queries, heads * channels, 0, 0);
  const image k = tables ? table_image(OTHER, keys, groups * channels)
                         : float_image(OTHER, rows, keys, groups * channels, 0, 0);
  const image v = tables ? table_image(RESIDUAL, keys, groups * value_channels)
                         : float_image(RESIDUAL, rows, keys, groups * value_channels, 0, 0);
  const image out = float_image(OUT, rows, queries, heads * value_channels, 0, 1);
  forge_attention_arguments a = {.queries = q.view,
                                 .keys = k.view,
                                 .values = v.view,
                                 .out = out.view,
                                 .mask = {.base = RANGE},
                                 .scratch = {.base = SCRATCH},
                                 .key_step = tables ? groups * channels : FORGE_LANES,
                                 .value_step = tables ? groups * value_channels : FORGE_LANES,
                                 .causal_offset = random_from(-3, keys),
                                 .heads = (int32_t)heads,
                                 .groups = (int32_t)groups,
                                 .mask_kind = (int32_t)random_below(3),
                                 .is_causal = (int32_t)random_below(2),
                                 .scale = 1 / sqrtf((float)channels),
                                 .cap = random_below(4) == 0 ? 5 : 0,
                                 .mask_query = keys,
                                 .mask_key = 1};
  const fill_kind fill = (fill_kind)random_below(HOSTILE + 1);
  PROBLEM("%lld queries, %lld keys, %lld heads of %lld and %lld, %lld groups, mask %d, causal %d, "
          "tables %d, fill %d",
          (long long)queries, (long long)keys, (long long)heads, (long long)channels,
          (long long)value_channels, (long long)groups, a.mask_kind, a.is_causal, tables, fill);
  trial t = {.arguments = &a, .tiles = forge_attention_tiles(&a), .bytes = out.bytes};
  t.bases[IN] = filled_image(&q, EVEN);
  const fill_kind values = fill == HOSTILE && a.mask_kind != FORGE_ATTENTION_UNMASKED ? EVEN : fill;
  if (tables) {
    t.bases[OTHER] = memory_of(k.bytes, 0);
    t.bases[RESIDUAL] = memory_of(v.bytes, 0);
    fill_numbers(t.bases[OTHER], k.bytes / 4, EVEN);
    fill_numbers(t.bases[RESIDUAL], v.bytes / 4, values == UNEVEN ? EVEN : values);
  } else {
    t.bases[OTHER] = filled_image(&k, EVEN);
    t.bases[RESIDUAL] = filled_image(&v, values);
  }
  if (fill == UNEVEN)
    for (int64_t i = 0; i < q.bytes / 4; i++) t.bases[IN][i] *= random_scale(3);
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  t.bases[RANGE] = memory_of(4 * queries * keys, 0);
  for (int64_t i = 0; i < queries * keys; i++)
    t.bases[RANGE][i] = a.mask_kind == FORGE_ATTENTION_VISIBLE ? (float)random_below(2)
      : random_below(5) == 0                                   ? -INFINITY
                                                               : random_number() * 3;
  a.scratch_worker = forge_attention_scratch_floats(&a);
  t.bases[SCRATCH] = memory_of(4 * a.scratch_worker, 0x41);
  /* Means of magnitudes, and the largest sum of magnitudes of a score. */
  trial m = t;
  m.bases[RESIDUAL] = absolute_of(t.bases[RESIDUAL], v.bytes / 4);
  float *magnitudes = run_form(&m, now.scalar);
  free(m.bases[RESIDUAL]);
  double most = 0;
  for (int64_t r = 0; r < rows; r++)
    for (int64_t h = 0; h < heads; h++)
      for (int64_t x = 0; x < queries; x++)
        for (int64_t key = 0; key < keys; key++) {
          double sum = 0;
          for (int64_t c = 0; c < channels; c++) {
            const int64_t kc = h * groups / heads * channels + c;
            const float *kp = t.bases[OTHER] + k.view.offset + r * k.view.row_stride +
              kc / 16 * k.view.block_stride + key * a.key_step + kc % 16;
            sum +=
              fabs((double)t.bases[IN][place_of(&q.view, r, x, h * channels + c)] * (double)*kp);
          }
          most = fmax(most, sum * (double)a.scale);
        }
  const double d = 2e-6 * (1 + most + 3);
  double *bounds = memory_of(2 * out.bytes, 0);
  for (int64_t i = 0; i < out.bytes / 4; i++)
    bounds[i] = (2 * d + 1e-6) * (double)magnitudes[i] + 1e-40;
  t.bounds = bounds;
  free(try_forms(&t));
  free(magnitudes);
  free(bounds);
  for (int i = 0; i < BASES; i++) free(t.bases[i]);
}

/* ---- rotation ---- */

void check_rotate(void) {
  const int64_t heads = random_from(1, 3), channels = random_from(2, 40), rows = random_from(1, 2);
  const int64_t width = random_from(1, 9), rotated = 2 * random_from(1, channels / 2);
  const image in = float_image(IN, rows, width, heads * channels, 0, 1);
  const image out = float_image(OUT, rows, width, heads * channels, 0, 0);
  const bool has_position = random_below(2);
  const int64_t places = has_position ? width + 5 : width;
  image cosines = plain_image(OTHER, has_position ? 1 : rows, places, rotated);
  image sines = plain_image(MORE, has_position ? 1 : rows, places, rotated);
  const forge_rotate_arguments a = {.in = in.view,
                                    .out = out.view,
                                    .cosines = cosines.view,
                                    .sines = sines.view,
                                    .position = {.base = RANGE},
                                    .heads = (int32_t)heads,
                                    .pairs = (int32_t)random_below(2),
                                    .has_position = has_position};
  const fill_kind fill = (fill_kind)random_below(FILLS);
  PROBLEM("%lld heads of %lld, %lld rotated, pairs %d, fill %d", (long long)heads,
          (long long)channels, (long long)rotated, a.pairs, fill);
  trial t = {.arguments = &a, .tiles = forge_rotate_tiles(&a), .bytes = out.bytes};
  t.bases[IN] = filled_image(&in, fill);
  t.bases[OTHER] = memory_of(cosines.bytes, 0);
  t.bases[MORE] = memory_of(sines.bytes, 0);
  fill_numbers(t.bases[OTHER], cosines.bytes / 4, EVEN);
  fill_numbers(t.bases[MORE], sines.bytes / 4, EVEN);
  t.bases[RANGE] = memory_of(4, 0);
  t.bases[RANGE][0] = (float)random_below(6);
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  double *bounds = memory_of(2 * out.bytes, 0);
  for (int64_t i = 0; i < rows * width; i++)
    for (int64_t c = 0; c < heads * channels; c++) {
      const int64_t head = c / channels * channels, at = c % channels, half = rotated / 2;
      const int64_t partner = a.pairs == FORGE_ROTATE_HALVES ? (at + half) % rotated : at ^ 1;
      const int64_t y = i / width, x = i % width;
      double size = 0;
      if (at < rotated)
        size = fabs((double)t.bases[IN][place_of(&in.view, y, x, c)]) +
          fabs((double)t.bases[IN][place_of(&in.view, y, x, head + partner)]);
      bounds[place_of(&out.view, y, x, c)] = 2e-7 * size + 3e-45;
    }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  for (int i = 0; i < BASES; i++) free(t.bases[i]);
}

/* ---- recurrent cells ---- */

/* Packs weights [gates][units][inputs] that are floats: see forge_recurrent_arguments. */
static float *pack_floats(const float *weights, int64_t gates, int64_t first_gates, int64_t units,
                          int64_t inputs) {
  const int64_t blocks = forge_blocks(units);
  float *packed = memory_of(4 * blocks * inputs * gates * 16, 0), *at = packed;
  for (int64_t block = 0; block < blocks; block++)
    for (int64_t first = 0; first < gates; first += first_gates)
      for (int64_t i = 0; i < inputs; i++)
        for (int64_t g = first; g < forge_smaller(gates, first + first_gates); g++, at += 16)
          for (int64_t u = block * 16; u < forge_smaller(units, block * 16 + 16); u++)
            at[u % 16] = weights[(g * units + u) * inputs + i];
  return packed;
}

static float *pack_weights(const float *weights, int64_t gates, int64_t first_gates, int64_t units,
                           int64_t inputs, forge_weight_form form, float **scales) {
  *scales = NULL;
  if (form == FORGE_WEIGHTS_FLOATS) return pack_floats(weights, gates, first_gates, units, inputs);
  const forge_recurrent_packing packing = {.weights = weights,
                                           .form = form,
                                           .gates = (int32_t)gates,
                                           .first_gates = (int32_t)first_gates,
                                           .threads = 1,
                                           .blocks = {0, 1, 2, 3},
                                           .units = units,
                                           .inputs = inputs,
                                           .accuracy = 1};
  float *packed = memory_of(4 * forge_recurrent_packed_floats(&packing), 0x41);
  *scales = memory_of(4 * forge_recurrent_scale_floats(&packing), 0x41);
  if (!forge_pack_recurrent(&packing, packed, *scales)) report("packing", "weights are refused");
  if (form == FORGE_WEIGHTS_BFLOATS) {
    free(*scales);
    *scales = NULL;
  }
  return packed;
}

/* Packs weights of bytes, with zero points; the tables are those of the arguments. */
static float *pack_bytes(forge_recurrent_arguments *a, float **scales) {
  const int64_t gates = 4, rows = gates * a->units;
  const int64_t tables = forge_blocks(a->units) * gates * 16;
  int8_t *weights = memory_of(rows * a->outputs, 0);
  int32_t *zeros = memory_of(4 * rows, 0);
  for (int64_t i = 0; i < rows * a->outputs; i++) weights[i] = (int8_t)random_from(-128, 127);
  for (int64_t i = 0; i < rows; i++)
    zeros[i] = random_below(2) ? 0 : (int32_t)random_from(-128, 127);
  int8_t *packed = memory_of(tables * forge_quotient_up(a->outputs, 4) * 4, 0x41);
  int32_t *totals = memory_of(4 * tables, 0x41), *packed_zeros = memory_of(4 * tables, 0x41);
  const forge_dynamic_recurrent_packing packing = {.weights = weights,
                                                   .zeros = zeros,
                                                   .gates = gates,
                                                   .units = a->units,
                                                   .outputs = a->outputs,
                                                   .blocks = {0, 2, 3, 1}};
  forge_pack_dynamic_recurrent(&packing, packed, totals, packed_zeros);
  *scales = memory_of(4 * tables, 0);
  /* Products stay below 2. */
  for (int64_t i = 0; i < tables; i++)
    (*scales)[i] = (1.5f + random_number()) / (300.0f * (float)a->outputs);
  a->totals = totals;
  a->weight_zeros = packed_zeros;
  free(weights);
  free(zeros);
  return (float *)packed;
}

/* dynamic: weights of bytes and hidden values that become bytes. */
static void check_cells(forge_weight_form form, bool dynamic) {
  static const int64_t unit_counts[] = {1, 3, 15, 16, 17, 32, 37, 50};
  const int32_t cell = dynamic ? FORGE_CELL_LSTM : (int32_t)random_below(4);
  const int64_t gates = cell == FORGE_CELL_SIMPLE ? 1 : cell == FORGE_CELL_LSTM ? 4 : 3;
  const int64_t units = RANDOM_OF(unit_counts), times = random_from(1, 4), rows = random_from(1, 3);
  const bool projected = !dynamic && cell == FORGE_CELL_LSTM && random_below(3) == 0;
  const int64_t outputs = projected ? RANDOM_OF(unit_counts) : units;
  const forge_activation tanh = {FORGE_TANH, 0, 0}, sigmoid = {FORGE_SIGMOID, 0, 0};
  forge_recurrent_arguments a = {.cell = cell,
                                 .is_reversed = (int32_t)random_below(2),
                                 .is_coupled = cell == FORGE_CELL_LSTM && random_below(4) == 0,
                                 .clip = random_below(4) == 0 ? 2 : INFINITY,
                                 .cell_clip = random_below(4) == 0 ? 0.5f : INFINITY,
                                 .gates = cell == FORGE_CELL_SIMPLE ? tanh : sigmoid,
                                 .candidate = tanh,
                                 .hidden = tanh,
                                 .times = times,
                                 .rows = rows,
                                 .units = units,
                                 .outputs = outputs,
                                 .in = {.base = IN},
                                 .in_time = rows * gates * units,
                                 .in_row = gates * units,
                                 .in_block = 16,
                                 .gate_offsets = {0, units, 2 * units, 3 * units},
                                 .out = {.base = OUT},
                                 .initial_hidden = {.base = OTHER},
                                 .initial_cells = {.base = OTHER, .offset = rows * outputs},
                                 .lengths = {.base = RANGE},
                                 .mask = {.base = MORE},
                                 .scratch = {.base = SCRATCH},
                                 .has_state = (int32_t)random_below(2),
                                 .has_lengths = (int32_t)random_below(2),
                                 .has_mask = (int32_t)random_below(2)};
  const bool hostile = random_below(3) == 0;
  PROBLEM(
    "cell %d, %lld times, %lld rows, %lld units, %lld outputs, state %d, lengths %d, mask %d, "
    "hostile %d",
    cell, (long long)times, (long long)rows, (long long)units, (long long)outputs, a.has_state,
    a.has_lengths, a.has_mask, hostile);
  /* Sums of weights stay below 2. */
  float *weights = memory_of(4 * gates * units * outputs, 0);
  fill_numbers(weights, gates * units * outputs, EVEN);
  for (int64_t i = 0; i < gates * units * outputs; i++) weights[i] *= 2 / (float)outputs;
  float *scales, *projection_scales = NULL, *projection = NULL;
  const int64_t first_gates = cell == FORGE_CELL_GRU_BEFORE ? 2 : gates;
  float *packed = dynamic
    ? pack_bytes(&a, &scales)
    : pack_weights(weights, gates, first_gates, units, outputs, form, &scales);
  if (projected) {
    float *p = memory_of(4 * outputs * units, 0);
    fill_numbers(p, outputs * units, EVEN);
    for (int64_t i = 0; i < outputs * units; i++) p[i] *= 2 / (float)units;
    projection = pack_weights(p, 1, 1, outputs, units, form, &projection_scales);
    free(p);
  }
  const int64_t padded = forge_blocks(units) * 16 * gates;
  float *biases = memory_of(4 * padded, 0), *peepholes = memory_of(12 * padded, 0);
  for (int64_t b = 0; b < forge_blocks(units); b++)
    for (int64_t u = 0; u < forge_smaller(16, units - b * 16); u++) {
      for (int64_t g = 0; g < gates; g++) biases[(b * gates + g) * 16 + u] = random_number();
      for (int64_t g = 0; g < 3; g++) peepholes[(b * 3 + g) * 16 + u] = random_number();
    }
  a.weights = packed;
  a.scales = scales;
  a.projection = projection;
  a.projection_scales = projection_scales;
  if (random_below(2)) a.biases = biases;
  if (cell == FORGE_CELL_LSTM && random_below(3) == 0) a.peepholes = peepholes;

  const int64_t count = times * rows * gates * units;
  const int64_t cells = cell == FORGE_CELL_LSTM ? rows * units : 0;
  const int64_t results = times * rows * outputs + rows * outputs + cells;
  trial t = {.arguments = &a,
             .bytes = 4 * results,
             .rounds = times * (projected || cell == FORGE_CELL_GRU_BEFORE ? 2 : 1)};
  t.tiles = forge_recurrent_tiles(&a);
  t.bases[IN] = memory_of(4 * count, 0);
  for (int64_t i = 0; i < count; i++) {
    t.bases[IN][i] = random_number() * (random_below(5) ? 2 : 40);
    if (hostile && random_below(60) == 0) t.bases[IN][i] = hostile_number();
  }
  t.bases[OTHER] = memory_of(4 * rows * (outputs + units), 0);
  fill_numbers(t.bases[OTHER], rows * (outputs + units), EVEN);
  t.bases[RANGE] = memory_of(4 * rows, 0);
  for (int64_t r = 0; r < rows; r++) t.bases[RANGE][r] = (float)random_from(0, times);
  t.bases[MORE] = memory_of(4 * times * rows, 0);
  for (int64_t i = 0; i < times * rows; i++) t.bases[MORE][i] = (float)random_below(3) - 1;
  t.bases[SCRATCH] = memory_of(4 * 2 * rows * (outputs + units), 0x41);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  double *bounds = memory_of(8 * results, 0);
  for (int64_t i = 0; i < results; i++) bounds[i] = 1e-5;
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(weights);
  free(packed);
  free(scales);
  free((void *)a.totals);
  free((void *)a.weight_zeros);
  free(projection);
  free(projection_scales);
  free(biases);
  free(peepholes);
  for (int i = 0; i < BASES; i++) free(t.bases[i]);
}

void check_recurrent(void) { check_cells(FORGE_WEIGHTS_FLOATS, false); }
void check_fixed_recurrent(void) { check_cells(FORGE_WEIGHTS_FIXED, false); }
void check_half_recurrent(void) { check_cells(FORGE_WEIGHTS_HALVES, false); }
void check_bfloat_recurrent(void) { check_cells(FORGE_WEIGHTS_BFLOATS, false); }
void check_byte_recurrent(void) { check_cells(FORGE_WEIGHTS_BYTES, false); }
void check_dynamic_recurrent(void) { check_cells(FORGE_WEIGHTS_BYTES, true); }
