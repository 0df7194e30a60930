/* The plain form of every kernel: it is there to be read, and judges the others. */
#include "rows.h"

#include <math.h>

#pragma STDC FP_CONTRACT OFF

/* ---- colors ---- */

static void from_planar(const uint8_t *y, const uint8_t *u, const uint8_t *v, int64_t count,
                        const forge_color_matrix *matrix, uint8_t *out) {
  for (int64_t i = 0; i < count; i++) forge_color(y[i], u[i / 2], v[i / 2], matrix, out + 4 * i);
}

static void from_paired(const uint8_t *y, const uint8_t *u, const uint8_t *v, int64_t count,
                        const forge_color_matrix *matrix, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    forge_color(y[i], u[i / 2 * 2], v[i / 2 * 2], matrix, out + 4 * i);
}

static void from_full(const uint8_t *y, const uint8_t *u, const uint8_t *v, int64_t count,
                      const forge_color_matrix *matrix, uint8_t *out) {
  for (int64_t i = 0; i < count; i++) forge_color(y[i], u[i], v[i], matrix, out + 4 * i);
}

static void put(uint8_t *out, uint8_t red, uint8_t green, uint8_t blue, uint8_t alpha) {
  out[0] = red;
  out[1] = green;
  out[2] = blue;
  out[3] = alpha;
}

static void from_rgb(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    put(out + 4 * i, in[3 * i], in[3 * i + 1], in[3 * i + 2], 255);
}

static void from_bgr(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    put(out + 4 * i, in[3 * i + 2], in[3 * i + 1], in[3 * i], 255);
}

static void from_argb(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    put(out + 4 * i, in[4 * i + 1], in[4 * i + 2], in[4 * i + 3], in[4 * i]);
}

static void exchange(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    put(out + 4 * i, in[4 * i + 2], in[4 * i + 1], in[4 * i], in[4 * i + 3]);
}

static void blend(uint8_t *row, int64_t count, const uint8_t *background) {
  for (uint8_t *p = row; p < row + 4 * count; p += 4) {
    const uint32_t alpha = p[3];
    for (int c = 0; c < 3; c++)
      p[c] = (uint8_t)forge_divided_by_255(alpha * p[c] + (255 - alpha) * background[c]);
    p[3] = 255;
  }
}

static void premultiply(uint8_t *row, int64_t count) {
  for (uint8_t *p = row; p < row + 4 * count; p += 4)
    for (int c = 0; c < 3; c++) p[c] = (uint8_t)forge_divided_by_255((uint32_t)p[3] * p[c]);
}

static void luminance(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    out[i] = forge_luminance(in[4 * i], in[4 * i + 1], in[4 * i + 2]);
}

static void to_rgb(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) out[3 * i + c] = in[4 * i + c];
}

static void to_bgr(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) out[3 * i + c] = in[4 * i + 2 - c];
}

static void to_argb(const uint8_t *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++)
    put(out + 4 * i, in[4 * i + 3], in[4 * i], in[4 * i + 1], in[4 * i + 2]);
}

static void fill_alpha(uint8_t *row, int64_t count) {
  for (int64_t i = 0; i < count; i++) row[4 * i + 3] = 255;
}

/* ---- bytes ---- */

static void across(const uint8_t *in, const forge_axis *axis, int channels, uint8_t *out) {
  for (int64_t i = 0; i < axis->outputs; i++) {
    const uint8_t *pixel = in + channels * axis->first[i];
    const int32_t *weights = axis->weights + i * axis->stride;
    for (int c = 0; c < channels; c++) {
      int32_t sum = 1 << (FORGE_WEIGHT_BITS - 1);
      for (int32_t k = 0; k < axis->count[i]; k++) sum += weights[k] * pixel[channels * k + c];
      out[channels * i + c] = forge_summed(sum);
    }
  }
}

static void across4(const uint8_t *in, const forge_axis *axis, uint8_t *out) {
  across(in, axis, 4, out);
}

static void across1(const uint8_t *in, const forge_axis *axis, uint8_t *out) {
  across(in, axis, 1, out);
}

static void down(const uint8_t *const *rows, const int32_t *weights, int64_t taps, int64_t bytes,
                 uint8_t *out) {
  for (int64_t i = 0; i < bytes; i++) {
    int32_t sum = 1 << (FORGE_WEIGHT_BITS - 1);
    for (int64_t k = 0; k < taps; k++) sum += weights[k] * rows[k][i];
    out[i] = forge_summed(sum);
  }
}

/* ---- pairs ---- */

static void pairs(const uint8_t *in, const forge_axis *axis, int channels, int16_t *out) {
  for (int64_t i = 0; i < axis->outputs; i++) {
    const int32_t first = axis->weights[i] & 0xFFFF, second = axis->weights[i] >> 16;
    for (int c = 0; c < channels; c++) {
      const uint8_t *pixel = in + 2 * channels * i + c;
      const int32_t sum = first * pixel[0] + second * pixel[channels];
      out[channels * i + c] = (int16_t)(sum >> 4);
    }
  }
}

static void pairs4(const uint8_t *in, const forge_axis *axis, int16_t *out) {
  pairs(in, axis, 4, out);
}

static void pairs1(const uint8_t *in, const forge_axis *axis, int16_t *out) {
  pairs(in, axis, 1, out);
}

static void between(const int16_t *upper, const int16_t *lower, int32_t upper_weight,
                    int32_t lower_weight, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++) {
    const int32_t sum = ((upper_weight * upper[i]) >> 16) + ((lower_weight * lower[i]) >> 16);
    out[i] = forge_clamped((sum + 2) >> 2);
  }
}

/* ---- floats ---- */

static void widen(const uint8_t *in, int64_t count, float *out) {
  for (int64_t i = 0; i < count; i++) out[i] = in[i];
}

static void across_floats(const float *in, const forge_axis *axis, int channels, float *out) {
  for (int64_t i = 0; i < axis->outputs; i++) {
    const float *pixel = in + channels * axis->first[i];
    const float *shares = axis->shares + i * axis->stride;
    for (int c = 0; c < channels; c++) {
      float sum = 0;
      for (int32_t k = 0; k < axis->count[i]; k++) sum += shares[k] * pixel[channels * k + c];
      out[channels * i + c] = sum;
    }
  }
}

static void across4_floats(const float *in, const forge_axis *axis, float *out) {
  across_floats(in, axis, 4, out);
}

static void across1_floats(const float *in, const forge_axis *axis, float *out) {
  across_floats(in, axis, 1, out);
}

static void down_floats(const float *const *rows, const float *shares, int64_t taps, int64_t count,
                        float *out) {
  for (int64_t i = 0; i < count; i++) {
    float sum = 0;
    for (int64_t k = 0; k < taps; k++) sum += shares[k] * rows[k][i];
    out[i] = sum;
  }
}

static void round_bytes(const float *in, int64_t count, uint8_t *out) {
  for (int64_t i = 0; i < count; i++) {
    const float value = in[i] > 0 ? in[i] : 0;
    out[i] = (uint8_t)(value < 255 ? nearbyintf(value) : 255);
  }
}

const forge_pixel_rows forge_pixel_rows_scalar = {
  "scalar",   from_planar,    from_paired,    from_full,   from_rgb,    from_bgr, from_argb,
  exchange,   blend,          premultiply,    luminance,   to_rgb,      to_bgr,   to_argb,
  fill_alpha, across4,        across1,        down,        pairs4,      pairs1,   between,
  widen,      across4_floats, across1_floats, down_floats, round_bytes,
};
