/* Functions of arrays of numbers, a vector at a time. */

/* The natural logarithm, to a unit in the last place: x = m*2^e with m from sqrt(1/2) to sqrt(2),
 * and Cephes's polynomial of m - 1. Below 0: NaN; 0: minus infinity. */
static inline __attribute__((always_inline)) f32x16 FORGE_FORM(logarithm)(f32x16 x) {
  const i32x16 is_small = x < 1.17549435e-38f;
  const f32x16 scaled = FORGE_PICK(is_small, x * 8388608.0f, x);
  const i32x16 bits = (i32x16)scaled;
  i32x16 exponent = ((bits >> 23) & 255) - 126 - (is_small & 23);
  f32x16 m = (f32x16)((bits & 0x7fffff) | 0x3f000000);
  const i32x16 is_low = m < 0.707106781186547524f;
  exponent += is_low;
  m = FORGE_PICK(is_low, m + m, m) - 1.0f;
  const f32x16 e = FORGE_WIDE(f32x16, exponent);
  const f32x16 square = m * m;
  f32x16 y = m * 7.0376836292e-2f - 1.1514610310e-1f;
  y = y * m + 1.1676998740e-1f;
  y = y * m - 1.2420140846e-1f;
  y = y * m + 1.4249322787e-1f;
  y = y * m - 1.6668057665e-1f;
  y = y * m + 2.0000714765e-1f;
  y = y * m - 2.4999993993e-1f;
  y = y * m + 3.3333331174e-1f;
  y = y * m * square;
  y = y - e * 2.12194440e-4f - square * 0.5f;
  f32x16 result = m + y + e * 0.693359375f;
  const f32x16 infinity = (f32x16){0} + __builtin_inff(), none = (f32x16){0} + __builtin_nanf("");
  result = FORGE_PICK(x < infinity, result, x);
  result = FORGE_PICK(x == 0.0f, -infinity, result);
  return FORGE_PICK(x < 0.0f, none, result);
}

static inline __attribute__((always_inline)) f32x16 FORGE_FORM(magnitude)(f32x16 x) {
  return (f32x16)((i32x16)x & 0x7fffffff);
}

static inline __attribute__((always_inline)) f32x16 FORGE_FORM(mapped)(int32_t kind, f32x16 x,
                                                                       float a, float b, float c) {
  const f32x16 va = (f32x16){0} + a, vb = (f32x16){0} + b;
  /* Comparisons with NaN are false, so that it stays. */
  switch (kind) {
    case FORGE_MAP_ABSOLUTE: return FORGE_FORM(magnitude)(x);
    case FORGE_MAP_CLIP: x = FORGE_PICK(x < va, va, x); return FORGE_PICK(x > vb, vb, x);
    case FORGE_MAP_GATE: return FORGE_PICK(FORGE_FORM(magnitude)(x) < va, (f32x16){0}, x);
    case FORGE_MAP_AFFINE: return x * a + b;
    case FORGE_MAP_LOG: return FORGE_FORM(logarithm)(x + b) * a;
    case FORGE_MAP_LOG_FLOOR: return FORGE_FORM(logarithm)(FORGE_PICK(x < vb, vb, x)) * a + c;
    case FORGE_MAP_LOG_SOUND:
      x = FORGE_FORM(magnitude)(x);
      return FORGE_FORM(logarithm)(FORGE_PICK(x < vb, vb, x)) * a + c;
    default: return FORGE_PICK(x < va, va, x);
  }
}

#define FORGE_MAP_LOOP(kind)                                                               \
  case kind:                                                                               \
    for (; i + 16 <= count; i += 16)                                                       \
      FORGE_STORE(out + i, FORGE_FORM(mapped)(kind, FORGE_LOAD(f32x16, in + i), a, b, c)); \
    break;

static void FORGE_FORM(map)(int32_t kind, const float *in, int64_t count, float a, float b, float c,
                            float *out) {
  int64_t i = 0;
  switch (kind) {
    FORGE_MAP_LOOP(FORGE_MAP_ABSOLUTE)
    FORGE_MAP_LOOP(FORGE_MAP_CLIP)
    FORGE_MAP_LOOP(FORGE_MAP_GATE)
    FORGE_MAP_LOOP(FORGE_MAP_AFFINE)
    FORGE_MAP_LOOP(FORGE_MAP_LOG)
    FORGE_MAP_LOOP(FORGE_MAP_LOG_FLOOR)
    FORGE_MAP_LOOP(FORGE_MAP_LOG_SOUND)
    FORGE_MAP_LOOP(FORGE_MAP_LEAST)
    default: return;
  }
  if (i == count) return;
  float rest[16] = {0};
  memcpy(rest, in + i, (size_t)(count - i) * sizeof *in);
  FORGE_STORE(rest, FORGE_FORM(mapped)(kind, FORGE_LOAD(f32x16, rest), a, b, c));
  memcpy(out + i, rest, (size_t)(count - i) * sizeof *out);
}

static void FORGE_FORM(widen)(const int16_t *in, int64_t count, float scale, float *out) {
  int64_t i = 0;
  for (; i + 16 <= count; i += 16)
    FORGE_STORE(out + i, FORGE_WIDE(f32x16, FORGE_LOAD(i16x16, in + i)) * scale);
  for (; i < count; i++) out[i] = (float)in[i] * scale;
}

/* Double precision: the sum of an hour of samples is as exact as that of a second. */
static double FORGE_FORM(sum)(int32_t kind, const float *in, int64_t count) {
  f64x16 sums = {0};
  for (int64_t i = 0; i < count; i += 16) {
    float rest[16] = {0};
    if (i + 16 > count) memcpy(rest, in + i, (size_t)(count - i) * sizeof *in);
    const f32x16 x = FORGE_LOAD(f32x16, i + 16 > count ? rest : in + i);
    if (kind == FORGE_SUM_SQUARES) {
      const f64x16 wide = FORGE_WIDE(f64x16, x);
      sums += wide * wide;
    } else {
      sums += FORGE_WIDE(f64x16, kind == FORGE_SUM_ABSOLUTE ? FORGE_FORM(magnitude)(x) : x);
    }
  }
  double total = 0;
  for (int k = 0; k < 16; k++) total += sums[k];
  return total;
}

static float FORGE_FORM(peak)(bool plain, const float *in, int64_t count) {
  f32x16 most = (f32x16){0} + (plain ? -__builtin_inff() : 0.0f);
  for (int64_t i = 0; i < count; i += 16) {
    float rest[16];
    f32x16 x;
    if (i + 16 > count) {
      for (int64_t k = 0; k < 16; k++) rest[k] = in[i + k < count ? i + k : i];
      x = FORGE_LOAD(f32x16, rest);
    } else {
      x = FORGE_LOAD(f32x16, in + i);
    }
    if (!plain) x = FORGE_FORM(magnitude)(x);
    /* A NaN replaces what it is compared with, and stays. */
    most = FORGE_PICK((most != most) | (x <= most), most, x);
  }
  float result = most[0];
  for (int k = 1; k < 16; k++)
    if (result == result && !(most[k] <= result)) result = most[k];
  return result;
}

static void FORGE_FORM(rows_product)(const float *in, int64_t rows, int64_t inputs,
                                     const float *matrix, int64_t outputs, int64_t stride,
                                     float *out) {
  for (int64_t f = 0; f < rows; f++) {
    const float *row = in + f * inputs;
    for (int64_t o = 0; o < outputs; o += 16) {
      f32x16 sums = {0};
      for (int64_t i = 0; i < inputs; i++)
        sums += FORGE_LOAD(f32x16, matrix + i * stride + o) * row[i];
      float *to = out + f * outputs + o;
      if (o + 16 <= outputs)
        FORGE_STORE(to, sums);
      else
        memcpy(to, &sums, (size_t)(outputs - o) * sizeof *to);
    }
  }
}

static void FORGE_FORM(resample)(const forge_polyphase *p, const float *in, int64_t from,
                                 int64_t to, float *out) {
  int64_t j = from / p->phases, phase = from % p->phases;
  for (int64_t t = from; t < to; t++) {
    const float *samples = in + j * p->step + p->first[phase], *taps = p->taps + phase * p->stride;
    f32x16 sums = {0};
    for (int64_t k = 0; k < p->stride; k += 16)
      sums += FORGE_LOAD(f32x16, samples + k) * FORGE_LOAD(f32x16, taps + k);
    typedef float half __attribute__((vector_size(32)));
    typedef float quarter __attribute__((vector_size(16)));
    const half eight = __builtin_shufflevector(sums, sums, 0, 1, 2, 3, 4, 5, 6, 7) +
      __builtin_shufflevector(sums, sums, 8, 9, 10, 11, 12, 13, 14, 15);
    const quarter four = __builtin_shufflevector(eight, eight, 0, 1, 2, 3) +
      __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
    out[t - from] = (four[0] + four[2]) + (four[1] + four[3]);
    if (++phase == p->phases) phase = 0, j++;
  }
}
