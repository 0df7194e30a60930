/* The kernels over rows of pixels: one table for each level. */
#ifndef FORGE_PIXEL_ROWS_H
#define FORGE_PIXEL_ROWS_H

#include "include/CForgePixels.h"

#include <string.h>

/* Kernels may read and write FORGE_ROW_PAD bytes past the end of working rows, but no byte past the
 * end of a source or an output. `count` is in pixels. */
typedef struct {
  const char *name;

  /* ---- to working rows of 4 bytes ---- */
  /* y[i], u[i/2], v[i/2] */
  void (*from_planar)(const uint8_t *y, const uint8_t *u, const uint8_t *v, int64_t count,
                      const forge_color_matrix *matrix, uint8_t *out);
  /* y[i], u[2*(i/2)], v[2*(i/2)]; u and v are neighbors */
  void (*from_paired)(const uint8_t *y, const uint8_t *u, const uint8_t *v, int64_t count,
                      const forge_color_matrix *matrix, uint8_t *out);
  /* y[i], u[i], v[i] */
  void (*from_full)(const uint8_t *y, const uint8_t *u, const uint8_t *v, int64_t count,
                    const forge_color_matrix *matrix, uint8_t *out);
  void (*from_rgb)(const uint8_t *in, int64_t count, uint8_t *out);
  void (*from_bgr)(const uint8_t *in, int64_t count, uint8_t *out);
  void (*from_argb)(const uint8_t *in, int64_t count, uint8_t *out);
  void (*exchange)(const uint8_t *in, int64_t count, uint8_t *out);      /* red and blue */
  void (*blend)(uint8_t *row, int64_t count, const uint8_t *background); /* in place */
  void (*premultiply)(uint8_t *row, int64_t count);                      /* in place */

  /* ---- from working rows ---- */
  void (*luminance)(const uint8_t *in, int64_t count, uint8_t *out); /* 4 channels to 1 */
  void (*to_rgb)(const uint8_t *in, int64_t count, uint8_t *out);
  void (*to_bgr)(const uint8_t *in, int64_t count, uint8_t *out);
  void (*to_argb)(const uint8_t *in, int64_t count, uint8_t *out);
  void (*fill_alpha)(uint8_t *row, int64_t count);

  /* ---- resampling of bytes, by 22-bit weights ---- */
  void (*across4)(const uint8_t *in, const forge_axis *axis, uint8_t *out);
  void (*across1)(const uint8_t *in, const forge_axis *axis, uint8_t *out);
  void (*down)(const uint8_t *const *rows, const int32_t *weights, int64_t taps, int64_t bytes,
               uint8_t *out);

  /* ---- resampling of pairs, by weights of 11 bits ---- */
  /* in: two pixels for each output, one after the other; out: 16-bit, 4 fraction bits dropped */
  void (*pairs4)(const uint8_t *in, const forge_axis *axis, int16_t *out);
  void (*pairs1)(const uint8_t *in, const forge_axis *axis, int16_t *out);
  void (*between)(const int16_t *upper, const int16_t *lower, int32_t upper_weight,
                  int32_t lower_weight, int64_t count, uint8_t *out);

  /* ---- floats ---- */
  void (*widen)(const uint8_t *in, int64_t count, float *out);
  void (*across4_floats)(const float *in, const forge_axis *axis, float *out);
  void (*across1_floats)(const float *in, const forge_axis *axis, float *out);
  void (*down_floats)(const float *const *rows, const float *shares, int64_t taps, int64_t count,
                      float *out);
  void (*round)(const float *in, int64_t count, uint8_t *out); /* to nearest even, clamped */
} forge_pixel_rows;

/* The table of a level, or NULL if this machine lacks it. */
const forge_pixel_rows *forge_pixel_rows_at(forge_level level);

extern const forge_pixel_rows forge_pixel_rows_scalar, forge_pixel_rows_baseline,
  forge_pixel_rows_avx2, forge_pixel_rows_avx512;

static inline uint8_t forge_clamped(int32_t value) {
  return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* The nearest whole number to `product` / 255, for products of two bytes. */
static inline uint32_t forge_divided_by_255(uint32_t product) {
  const uint32_t rounded = product + 128;
  return (rounded + (rounded >> 8)) >> 8;
}

/* The color of y, u and v: four bytes. */
static inline void forge_color(int32_t y, int32_t u, int32_t v, const forge_color_matrix *m,
                               uint8_t *out) {
  const int32_t light = (y > m->black ? y - m->black : 0) * m->y_scale + (1 << 19);
  out[0] = forge_clamped((light + (v - 128) * m->v_red) >> 20);
  out[1] = forge_clamped((light + (v - 128) * m->v_green + (u - 128) * m->u_green) >> 20);
  out[2] = forge_clamped((light + (u - 128) * m->u_blue) >> 20);
  out[3] = 255;
}

/* Gray, as Pillow's L: 299, 587 and 114 thousandths. */
static inline uint8_t forge_luminance(uint32_t red, uint32_t green, uint32_t blue) {
  return (uint8_t)((19595 * red + 38470 * green + 7471 * blue + 0x8000) >> 16);
}

/* The byte of a sum of 22-bit weights, to which a half was added. */
static inline uint8_t forge_summed(int32_t sum) { return forge_clamped(sum >> FORGE_WEIGHT_BITS); }

#endif
