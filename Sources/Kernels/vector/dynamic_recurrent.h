/* Recurrent cells whose products are those of bytes: see CForgeRecurrentKernels.h. */

#if !defined(FORGE_RECURRENT_BLOCKS)
#define FORGE_RECURRENT_BLOCKS recurrent_blocks
#endif

/* Writes the bytes of hidden values, and zeros up to a four; returns the sum of the bytes. */
static int32_t hidden_bytes(const recurrent_operands *o, uint8_t *bytes) {
  const byte_rule rule = {o->range.zero, 0, 255};
  const v16 scale = splat(o->range.scale);
  v16i sums = splat_word(0);
  for (int64_t k = 0; k < o->count; k += FORGE_LANES) {
    const int64_t lanes = forge_smaller(FORGE_LANES, o->count - k);
    const v16 x = lanes == FORGE_LANES ? load(o->values + k) : load_first(o->values + k, lanes, 0);
    store_sixteen(bytes + k, bytes_of(x / scale, rule));
    for (int64_t i = lanes; i < FORGE_LANES; i++) bytes[k + i] = 0;
    sums += words_of(bytes + k);
  }
  int32_t sum = 0;
  for (int i = 0; i < FORGE_LANES; i++) sum += sums[i];
  return sum;
}

/* Sums of fours: so many that products need not wait for each other. */
enum { DYNAMIC_CHAINS = FORGE_BYTES == 512 ? 2 : 1 };

static void dynamic_products(const recurrent_operands *o, int64_t blocks,
                             v16 (*sums)[FORGE_MOST_GATES], scaled_inputs *scaled) {
  (void)scaled;
  _Alignas(64) uint8_t bytes[FORGE_MOST_HIDDEN + FORGE_LANES];
  const int32_t total = hidden_bytes(o, bytes);
  const int64_t fours = forge_quotient_up(o->count, FORGE_QUAD);
  for (int64_t i = 0; i < blocks; i++) {
    const char *weights = o->weights + i * o->block_bytes;
    v16i parts[DYNAMIC_CHAINS][FORGE_MOST_GATES];
#pragma clang loop unroll(full)
    for (int c = 0; c < DYNAMIC_CHAINS; c++)
#pragma clang loop unroll(full)
      for (int g = 0; g < FORGE_MOST_GATES; g++) parts[c][g] = splat_word(0);
    for (int64_t k = 0; k < fours; k += DYNAMIC_CHAINS)
#pragma clang loop unroll(full)
      for (int c = 0; c < DYNAMIC_CHAINS; c++) {
        if (k + c >= fours) break;
        const quad_inputs x = inputs_of(splat_quad(bytes + (k + c) * FORGE_QUAD));
#pragma clang loop unroll(full)
        for (int g = 0; g < FORGE_MOST_GATES; g++)
          parts[c][g] =
            add_quads(parts[c][g], x,
                      weights_of(load_integers(weights + ((k + c) * FORGE_MOST_GATES + g) * 64)));
      }
    const int64_t table = i * o->block_scales;
#pragma clang loop unroll(full)
    for (int g = 0; g < FORGE_MOST_GATES; g++) {
      v16u sum = (v16u)parts[0][g];
#pragma clang loop unroll(full)
      for (int c = 1; c < DYNAMIC_CHAINS; c++) sum += (v16u)parts[c][g];
      const int64_t at = table + g * FORGE_LANES;
      const v16u totals = (v16u)load_integers(o->totals + at);
      const v16u zeros = (v16u)load_integers(o->weight_zeros + at);
#if FORGE_SIGNED_QUADS
      /* Each input was 128 too small. */
      sum += (totals + zeros * (uint32_t)o->count) * 128;
#endif
      sum -= totals * (uint32_t)o->range.zero + zeros * (uint32_t)total;
      sums[i][g] = floats_of((v16i)sum) * (o->range.scale * load(o->scales + at));
    }
  }
}

static const recurrent_form dynamic_recurrence = {FORGE_WEIGHTS_BYTES,
                                                  {NULL, NULL, NULL, dynamic_products}};

FORGE_KERNEL(dynamic_recurrent) {
  FORGE_RECURRENT_BLOCKS(arguments, frame, first, last, &dynamic_recurrence);
}
