/* Products of recurrent weights and values: up to four gates of 16 units, in each form of weights.
 * Reading the weights limits the speed. */
#include "recurrent_form.h"

/* The sums of a gate that are added at the end: so many that multiply-adds need not wait for each
 * other, and registers suffice. */
#if FORGE_TILE_VECTORS > 1
#define FORGE_CHAINS_OF(gates) ((gates) == 1 ? 8 : (gates) == 2 ? 4 : 2)
#else
#define FORGE_CHAINS_OF(gates) ((gates) == 1 ? 2 : 1)
#endif
enum { MOST_CHAINS = 8 };

typedef v16 gate_sums[MOST_CHAINS][FORGE_MOST_GATES];

FORGE_INLINE void clear_gates(gate_sums parts, const int gates, const int chains) {
#pragma clang loop unroll(full)
  for (int c = 0; c < chains; c++)
#pragma clang loop unroll(full)
    for (int g = 0; g < gates; g++) parts[c][g] = splat(0);
}

/* Adds the chains of each gate, times `factor`. scales: those of the units, or NULL. */
FORGE_INLINE void finish_gates(gate_sums parts, const float *scales, const float factor, v16 *sums,
                               const int gates, const int chains) {
#pragma clang loop unroll(full)
  for (int g = 0; g < gates; g++) {
    v16 sum = parts[0][g];
#pragma clang loop unroll(full)
    for (int c = 1; c < chains; c++) sum += parts[c][g];
    if (scales) sum *= load(scales + g * FORGE_LANES);
    sums[g] = sum * factor;
  }
}

/* sums[gate] = sum over k of weights[k][gate] * values[k] for `gates` gates of a block, a constant.
 * The order of the sums depends on the number of values alone. */
FORGE_INLINE void recurrent_product(const recurrent_operands *o, int64_t block, v16 *sums,
                                    const int gates, const forge_weight_form form) {
  const bool has_scales = form != FORGE_WEIGHTS_FLOATS && form != FORGE_WEIGHTS_BFLOATS;
  const char *weights = o->weights + block * o->block_bytes;
  const int chains = FORGE_CHAINS_OF(gates);
  gate_sums parts;
  clear_gates(parts, gates, chains);
  int64_t k = 0;
  for (; k + chains <= o->count; k += chains) {
#pragma clang loop unroll(full)
    for (int c = 0; c < chains; c++)
#pragma clang loop unroll(full)
      for (int g = 0; g < gates; g++)
        parts[c][g] = multiply_add(splat(o->values[k + c]),
                                   load_weights(weights, (k + c) * gates + g, form), parts[c][g]);
  }
  for (; k < o->count; k++)
#pragma clang loop unroll(full)
    for (int g = 0; g < gates; g++)
      parts[0][g] =
        multiply_add(splat(o->values[k]), load_weights(weights, k * gates + g, form), parts[0][g]);
  const float *scales = has_scales ? o->scales + block * o->block_scales : NULL;
  finish_gates(parts, scales, 1, sums, gates, chains);
}

#define FORGE_RECURRENT_PRODUCT(name, form, gates)                                      \
  static void name##_##gates(const recurrent_operands *o, int64_t blocks,               \
                             v16(*sums)[FORGE_MOST_GATES], scaled_inputs *scaled) {     \
    (void)scaled;                                                                       \
    for (int64_t i = 0; i < blocks; i++) recurrent_product(o, i, sums[i], gates, form); \
  }
#define FORGE_RECURRENT_FORM(name, form) \
  static const recurrent_form name = {form, {name##_1, name##_2, name##_3, name##_4}};
#define FORGE_RECURRENT_PRODUCTS(name, form) \
  FORGE_RECURRENT_PRODUCT(name, form, 1)     \
  FORGE_RECURRENT_PRODUCT(name, form, 2)     \
  FORGE_RECURRENT_PRODUCT(name, form, 3)     \
  FORGE_RECURRENT_PRODUCT(name, form, 4)     \
  FORGE_RECURRENT_FORM(name, form)
