/* Products of recurrent weights and values: up to four gates of 16 units, in each form of weights.
 * Reading the weights limits the speed. */

/* The sums of a gate that are added at the end: so many that multiply-adds need not wait for each
 * other, and registers suffice. */
#if FORGE_TILE_VECTORS > 1
#define FORGE_CHAINS_OF(gates) ((gates) == 1 ? 8 : (gates) == 2 ? 4 : 2)
#else
#define FORGE_CHAINS_OF(gates) ((gates) == 1 ? 2 : 1)
#endif
enum { MOST_CHAINS = 8 };

typedef v16 gate_sums[MOST_CHAINS][FORGE_MOST_GATES];

/* Adds four inputs, in groups of four vectors. */
FORGE_INLINE void add_recurrent_groups(gate_sums parts, const char *weights, const float *values,
                                       const int gates, const int chains) {
  v16 x[4], w[FORGE_MOST_GATES * 4];
#pragma clang loop unroll(full)
  for (int i = 0; i < 4; i++) x[i] = splat(values[i]);
#pragma clang loop unroll(full)
  for (int group = 0; group < gates; group++) {
    load_group(weights + group * FORGE_FIXED_GROUP_BYTES, w + group * 4);
#pragma clang loop unroll(full)
    for (int v = group * 4; v < group * 4 + 4; v++) {
      const int input = v / gates, gate = v % gates;
      parts[input % chains][gate] = multiply_add(x[input], w[v], parts[input % chains][gate]);
    }
  }
}

/* Adds the products with weights of 24 bits. */
FORGE_INLINE void add_recurrent_fixed(gate_sums parts, const char *weights, const float *values,
                                      int64_t count, const int gates, const int chains,
                                      scaled_inputs *scaled) {
  for (int64_t first = 0; first < count; first += SCALED_AT_ONCE) {
    const int64_t some = forge_smaller(SCALED_AT_ONCE, count - first);
    scale_inputs(scaled, values + first, FORGE_LANES, some);
    for (int64_t k = 0; k < some; k += 4, weights += gates * FORGE_FIXED_GROUP_BYTES)
      add_recurrent_groups(parts, weights, scaled->values + k, gates, chains);
  }
}

/* sums[gate] = sum over k of weights[k][gate] * values[k] for `gates` gates, a constant. The order
 * of the sums depends on `count` alone. */
FORGE_INLINE void recurrent_product(const char *weights, const float *scales, const float *values,
                                    int64_t count, v16 *sums, scaled_inputs *scaled,
                                    const int gates, const forge_weight_form form) {
  const bool is_fixed = form == FORGE_WEIGHTS_FIXED;
  const int chains = is_fixed && gates < 4 ? 4 : FORGE_CHAINS_OF(gates);
  gate_sums parts;
#pragma clang loop unroll(full)
  for (int c = 0; c < chains; c++)
#pragma clang loop unroll(full)
    for (int g = 0; g < gates; g++) parts[c][g] = splat(0);
  if (is_fixed) add_recurrent_fixed(parts, weights, values, count, gates, chains, scaled);
  int64_t k = 0;
  for (; !is_fixed && k + chains <= count; k += chains) {
#pragma clang loop unroll(full)
    for (int c = 0; c < chains; c++)
#pragma clang loop unroll(full)
      for (int g = 0; g < gates; g++)
        parts[c][g] = multiply_add(splat(values[k + c]),
                                   load_weights(weights, (k + c) * gates + g, form), parts[c][g]);
  }
  for (; !is_fixed && k < count; k++)
#pragma clang loop unroll(full)
    for (int g = 0; g < gates; g++)
      parts[0][g] =
        multiply_add(splat(values[k]), load_weights(weights, k * gates + g, form), parts[0][g]);
#pragma clang loop unroll(full)
  for (int g = 0; g < gates; g++) {
    v16 sum = parts[0][g];
#pragma clang loop unroll(full)
    for (int c = 1; c < chains; c++) sum += parts[c][g];
    if (form != FORGE_WEIGHTS_FLOATS && form != FORGE_WEIGHTS_BFLOATS)
      sum *= load(scales + g * FORGE_LANES);
    if (is_fixed) sum *= 1 / FORGE_FIXED_INPUT_SCALE;
    sums[g] = sum;
  }
}

/* The products of a form: one function per number of gates. */
typedef struct {
  int64_t bits;     /* of a weight */
  int64_t together; /* inputs are rounded up to it */
  void (*products[FORGE_MOST_GATES])(const char *weights, const float *scales, const float *values,
                                     int64_t count, v16 *sums, scaled_inputs *scaled);
} recurrent_form;

#define FORGE_RECURRENT_PRODUCT(name, gates, form)                                          \
  static void name##_##gates(const char *weights, const float *scales, const float *values, \
                             int64_t count, v16 *sums, scaled_inputs *scaled) {             \
    recurrent_product(weights, scales, values, count, sums, scaled, gates, form);           \
  }
#define FORGE_RECURRENT_FORM(name, form)                                      \
  FORGE_RECURRENT_PRODUCT(name, 1, form)                                      \
  FORGE_RECURRENT_PRODUCT(name, 2, form)                                      \
  FORGE_RECURRENT_PRODUCT(name, 3, form)                                      \
  FORGE_RECURRENT_PRODUCT(name, 4, form)                                      \
  static const recurrent_form name = {(form) == FORGE_WEIGHTS_FLOATS    ? 32  \
                                        : (form) == FORGE_WEIGHTS_FIXED ? 24  \
                                        : (form) == FORGE_WEIGHTS_BYTES ? 8   \
                                                                        : 16, \
                                      (form) == FORGE_WEIGHTS_FLOATS ? 1 : 4, \
                                      {name##_1, name##_2, name##_3, name##_4}};

/* The products of `gates` gates of a block with `values`: see forge_recurrent_arguments. */
FORGE_INLINE void recurrent_multiply(const recurrent_form *form, const float *weights,
                                     const float *scales, const float *values, int64_t count,
                                     int64_t block, int64_t gate, int64_t gates, int64_t all,
                                     v16 *sums, scaled_inputs *scaled) {
  const int64_t rows = forge_quotient_up(count, form->together) * form->together;
  const int64_t vectors = (block * all + gate) * rows;
  form->products[gates - 1]((const char *)weights + vectors * FORGE_LANES * form->bits / 8,
                            scales ? scales + (block * all + gate) * FORGE_LANES : NULL, values,
                            count, sums, scaled);
}
