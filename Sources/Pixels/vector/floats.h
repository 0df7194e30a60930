/* Resampling of floats, one tap after the other as in the scalar form. Past the end of a row stands
 * what later lanes may compute with and nobody reads. */

static void FORGE_FORM(widen)(const uint8_t *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i += 16)
    FORGE_STORE(out + i, FORGE_WIDE(f32x16, FORGE_LOAD(u8x16, in + i)));
}

static void FORGE_FORM(across4_floats)(const float *in, const forge_axis *axis, float *out) {
  for (int64_t i = 0; i < axis->outputs; i++) {
    const float *pixels = in + 4 * (int64_t)axis->first[i];
    const float *shares = axis->shares + i * axis->stride;
    f32x4 sum = {0};
    for (int32_t k = 0; k < axis->count[i]; k++)
      sum += FORGE_LOAD(f32x4, pixels + 4 * k) * shares[k];
    FORGE_STORE(out + 4 * i, sum);
  }
}

static void FORGE_FORM(across1_floats)(const float *in, const forge_axis *axis, float *out) {
  forge_pixel_rows_scalar.across1_floats(in, axis, out);
}

static void FORGE_FORM(down_floats)(const float *const *rows, const float *shares, int64_t taps,
                                    int64_t count, float *out) {
  for (int64_t i = 0; i < count; i += 16) {
    f32x16 sums = {0};
    for (int64_t k = 0; k < taps; k++) sums += FORGE_LOAD(f32x16, rows[k] + i) * shares[k];
    FORGE_STORE(out + i, sums);
  }
}

static void FORGE_FORM(round)(const float *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i += 16) {
    f32x16 value = FORGE_LOAD(f32x16, in + i);
    value = __builtin_elementwise_max(value, (f32x16){0});
    value = __builtin_elementwise_min(value, (f32x16){0} + 255);
    value = __builtin_elementwise_rint(value);
    FORGE_STORE(out + i, FORGE_WIDE(u8x16, FORGE_WIDE(i32x16, value)));
  }
}
