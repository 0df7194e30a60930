/* Packs recurrent weights that are not floats: see include/CForgePrecision.h. */
#include "words.h"

#pragma STDC FP_CONTRACT OFF

typedef struct {
  const forge_recurrent_packing *from;
  char *packed;
  const float *scales;
} recurrent_packing;

/* Inputs are packed in fours: a group is four vectors for any number of gates. */
enum { VECTORS = 4 };

static int64_t gates_of_units(const forge_recurrent_packing *from) {
  return forge_blocks(from->units) * FORGE_LANES * from->gates;
}

int64_t forge_recurrent_scale_floats(const forge_recurrent_packing *from) {
  return gates_of_units(from);
}

int64_t forge_recurrent_packed_floats(const forge_recurrent_packing *from) {
  return gates_of_units(from) * forge_quotient_up(from->inputs, VECTORS) * VECTORS *
    forge_weight_bits((forge_weight_form)from->form) / 32;
}

/* Returns the weights of a unit's gate. */
static const float *row_of(const forge_recurrent_packing *from, int64_t gate, int64_t unit) {
  return from->weights + (from->blocks[gate] * from->units + unit) * from->inputs;
}

static int64_t scale_place(const forge_recurrent_packing *from, int64_t gate, int64_t unit) {
  return (unit / FORGE_LANES * from->gates + gate) * FORGE_LANES + unit % FORGE_LANES;
}

/* Sets the scales. Returns false if 24-bit weights cannot be exact enough. */
static bool set_scales(const forge_recurrent_packing *from, void *packed, float *scales) {
  const int64_t rows = from->gates * from->units;
  /* The packed form is written later. Until then it holds scales in the order of the weights. */
  float *fixed = packed;
  if (from->form == FORGE_WEIGHTS_FIXED) {
    forge_fixed_weights weights = {.weights = from->weights,
                                   .scales = fixed,
                                   .outputs = rows,
                                   .taps = 1,
                                   .inputs = from->inputs,
                                   .accuracy = from->accuracy,
                                   .refusals = (uint8_t *)(fixed + rows)};
    if (!forge_fixed_scales(&weights, from->threads)) return false;
  }
  memset(scales, 0, (size_t)gates_of_units(from) * sizeof *scales);
  for (int64_t gate = 0; gate < from->gates; gate++) {
    for (int64_t unit = 0; unit < from->units; unit++) {
      const float *row = row_of(from, gate, unit);
      float *scale = scales + scale_place(from, gate, unit);
      switch (from->form) {
        case FORGE_WEIGHTS_FIXED: *scale = fixed[from->blocks[gate] * from->units + unit]; break;
        case FORGE_WEIGHTS_HALVES: *scale = forge_half_scale(row, from->inputs); break;
        case FORGE_WEIGHTS_BYTES: *scale = forge_byte_weight_scale(row, from->inputs); break;
        default: *scale = 1; break;
      }
    }
  }
  return true;
}

/* Writes four vectors of weights, with 1 / scale of each lane. */
static void pack_vectors(const float vectors[VECTORS][FORGE_LANES],
                         const double *const inverse[VECTORS], forge_weight_form form, char *to) {
  int32_t words[FORGE_FIXED_GROUP_BYTES / 4];
  uint16_t shorts[VECTORS * FORGE_LANES];
  int8_t bytes[VECTORS * FORGE_LANES];
  const void *all = shorts;
  if (form == FORGE_WEIGHTS_FIXED) all = words;
  if (form == FORGE_WEIGHTS_BYTES) all = bytes;
  if (form == FORGE_WEIGHTS_FIXED) forge_pack_group(vectors, inverse, words);
  for (int i = 0; form != FORGE_WEIGHTS_FIXED && i < VECTORS * FORGE_LANES; i++) {
    const float weight = vectors[i / FORGE_LANES][i % FORGE_LANES];
    const double factor = inverse[i / FORGE_LANES][i % FORGE_LANES];
    switch (form) {
      case FORGE_WEIGHTS_HALVES: shorts[i] = forge_half_of(weight * (float)factor); break;
      /* Weights that are not finite have no factor. Denormal scales have few bits. */
      case FORGE_WEIGHTS_BYTES:
        bytes[i] = factor > 0 ? (int8_t)fmax(-127, fmin(nearbyint(weight * factor), 127)) : 0;
        break;
      default: shorts[i] = forge_bfloat_of(weight); break;
    }
  }
  memcpy(to, all, (size_t)(VECTORS * FORGE_LANES * forge_weight_bits(form) / 8));
}

/* A tile is a block of units. */
static void pack_block(const void *arguments, int64_t block) {
  const recurrent_packing *a = arguments;
  const forge_recurrent_packing *from = a->from;
  const forge_weight_form form = (forge_weight_form)from->form;
  const int64_t lanes = forge_lanes(from->units, block);
  const int64_t fours = forge_quotient_up(from->inputs, VECTORS);
  const int64_t bytes = VECTORS * FORGE_LANES * forge_weight_bits(form) / 8;
  char *to = a->packed + block * fours * from->gates * bytes;
  double inverse[FORGE_MOST_GATES][FORGE_LANES];
  for (int64_t gate = 0; gate < from->gates; gate++) {
    for (int64_t lane = 0; lane < FORGE_LANES; lane++) {
      const double scale = (double)a->scales[(block * from->gates + gate) * FORGE_LANES + lane];
      const double unit = form == FORGE_WEIGHTS_FIXED ? 256 * scale : scale;
      inverse[gate][lane] = unit > 0 ? 1 / unit : 0;
    }
  }
  for (int64_t first = 0; first < from->gates; first += from->first_gates) {
    const int64_t gates = first == 0 ? from->first_gates : from->gates - first;
    for (int64_t group = 0; group < fours * gates; group++, to += bytes) {
      float vectors[VECTORS][FORGE_LANES] = {{0}};
      const double *inverses[VECTORS];
      for (int64_t v = 0; v < VECTORS; v++) {
        const int64_t input = (group * VECTORS + v) / gates;
        const int64_t gate = first + (group * VECTORS + v) % gates;
        inverses[v] = inverse[gate];
        for (int64_t lane = 0; input < from->inputs && lane < lanes; lane++)
          vectors[v][lane] = row_of(from, gate, block * FORGE_LANES + lane)[input];
      }
      pack_vectors(vectors, inverses, form, to);
    }
  }
}

int32_t forge_pack_recurrent(const forge_recurrent_packing *from, void *packed, float *scales) {
  if (!set_scales(from, packed, scales)) return false;
  const recurrent_packing arguments = {from, packed, scales};
  forge_deal(pack_block, &arguments, forge_blocks(from->units),
             forge_recurrent_packed_floats(from) * (int64_t)sizeof(float), from->threads);
  return true;
}

void forge_pack_dynamic_recurrent(const forge_dynamic_recurrent_packing *from, int8_t *packed,
                                  int32_t *totals, int32_t *packed_zeros) {
  const int64_t blocks = forge_blocks(from->units), fours = forge_quotient_up(from->outputs, 4);
  const int64_t tables = blocks * from->gates * FORGE_LANES;
  memset(packed, 0, (size_t)(tables * fours * 4));
  memset(totals, 0, (size_t)tables * sizeof *totals);
  memset(packed_zeros, 0, (size_t)tables * sizeof *packed_zeros);
  for (int64_t gate = 0; gate < from->gates; gate++)
    for (int64_t unit = 0; unit < from->units; unit++) {
      const int64_t row = from->blocks[gate] * from->units + unit;
      const int64_t block = unit / FORGE_LANES, lane = unit % FORGE_LANES;
      const int64_t at = (block * from->gates + gate) * FORGE_LANES + lane;
      const int32_t zero = from->zeros ? from->zeros[row] : 0;
      int32_t total = 0;
      for (int64_t k = 0; k < from->outputs; k++) {
        const int8_t weight = from->weights[row * from->outputs + k];
        const int64_t four = (block * fours + k / 4) * from->gates + gate;
        packed[(four * FORGE_LANES + lane) * 4 + k % 4] = weight;
        total += weight - zero;
      }
      totals[at] = total;
      packed_zeros[at] = zero;
    }
}
