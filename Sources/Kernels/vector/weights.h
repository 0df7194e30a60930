/* Weights as they are stored: floats, or shorter. See ../include/CForgePrecision.h. */

/* Returns a vector of weights, unscaled. All conversions are exact (vcvtph2ps and others). */
FORGE_INLINE v16 load_weights(const char *weights, int64_t vector, const forge_weight_form form) {
  typedef _Float16 halves __attribute__((vector_size(32), aligned(2), may_alias));
  typedef uint16_t bfloats __attribute__((vector_size(32), aligned(2), may_alias));
  typedef int8_t bytes __attribute__((vector_size(16), aligned(1), may_alias));
  typedef uint32_t bits __attribute__((vector_size(64)));
  const char *at = weights + vector * FORGE_LANES * forge_weight_bits(form) / 8;
  switch (form) {
    case FORGE_WEIGHTS_HALVES: return __builtin_convertvector(*(const halves *)at, v16);
    case FORGE_WEIGHTS_BFLOATS:
      return (v16)(__builtin_convertvector(*(const bfloats *)at, bits) << 16);
    case FORGE_WEIGHTS_BYTES:
      return __builtin_convertvector(__builtin_convertvector(*(const bytes *)at, v16i), v16);
    default: return load((const float *)at);
  }
}

enum { SCALED_AT_ONCE = 512 };

/* Inputs of 24-bit weights times FORGE_FIXED_INPUT_SCALE, some at a time. A load then copies one to
 * all lanes, and the vector units have only weights to convert. All panels read the same inputs. */
typedef struct scaled_inputs {
  const float *from; /* the first of the inputs that are scaled, or NULL */
  _Alignas(64) float values[SCALED_AT_ONCE];
} scaled_inputs;

/* Scales `count` inputs, with zeros up to whole blocks of 16. block: from one block to the next. */
FORGE_INLINE void scale_inputs(scaled_inputs *scaled, const float *from, int64_t block,
                               int64_t count) {
  if (scaled->from == from) return;
  scaled->from = from;
  for (int64_t k = 0; k < count; k += FORGE_LANES, from += block) {
    const int64_t lanes = count - k;
    const v16 x = lanes >= FORGE_LANES ? load(from) : load_first(from, lanes, 0);
    store(scaled->values + k, x * FORGE_FIXED_INPUT_SCALE);
  }
}
