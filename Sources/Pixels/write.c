/* A working row as a row of the output. */
#include "stages.h"

#include <math.h>

#pragma STDC FP_CONTRACT OFF

/* ---- pixels ---- */

/* Colors that were multiplied by alpha before resampling, divided again. */
static void divide_by_alpha(uint8_t *row, int64_t count) {
  for (uint8_t *p = row; p < row + 4 * count; p += 4) {
    const uint32_t alpha = p[3];
    if (alpha == 0) continue;
    for (int c = 0; c < 3; c++) {
      const uint32_t color = 255u * p[c] / alpha;
      p[c] = (uint8_t)(color < 255 ? color : 255);
    }
  }
}

static void write_gray_bytes(const uint8_t *in, int64_t count, int32_t kind, uint8_t *out) {
  if (kind == FORGE_PIXELS_GRAY) {
    memcpy(out, in, (size_t)count);
    return;
  }
  const int32_t size = kind == FORGE_PIXELS_RGB || kind == FORGE_PIXELS_BGR ? 3 : 4;
  const int32_t alpha = size == 3 ? -1 : kind == FORGE_PIXELS_ARGB ? 0 : 3;
  for (int64_t i = 0; i < count; i++)
    for (int32_t c = 0; c < size; c++) out[size * i + c] = c == alpha ? 255 : in[i];
}

static void write_bytes(const forge_preparation *p, const forge_pixel_rows *rows, uint8_t *row,
                        uint8_t *out) {
  const int64_t count = p->output.width;
  if (p->working == 1) {
    write_gray_bytes(row, count, p->output.kind, out);
    return;
  }
  if (p->alpha == FORGE_ALPHA_PREMULTIPLIED) divide_by_alpha(row, count);
  switch (p->output.kind) {
    case FORGE_PIXELS_GRAY: rows->luminance(row, count, out); break;
    case FORGE_PIXELS_RGB: rows->to_rgb(row, count, out); break;
    case FORGE_PIXELS_BGR: rows->to_bgr(row, count, out); break;
    case FORGE_PIXELS_BGRA: rows->exchange(row, count, out); break;
    case FORGE_PIXELS_ARGB: rows->to_argb(row, count, out); break;
    default: memcpy(out, row, (size_t)(4 * count));
  }
}

/* The working channel of each sample of a kind. */
static const int32_t lanes_of[][4] = {
  [FORGE_PIXELS_GRAY] = {0},          [FORGE_PIXELS_RGB] = {0, 1, 2},
  [FORGE_PIXELS_BGR] = {2, 1, 0},     [FORGE_PIXELS_RGBA] = {0, 1, 2, 3},
  [FORGE_PIXELS_BGRA] = {2, 1, 0, 3}, [FORGE_PIXELS_ARGB] = {3, 0, 1, 2},
};

static int32_t samples_of(int32_t kind) {
  return kind == FORGE_PIXELS_GRAY                         ? 1
    : kind == FORGE_PIXELS_RGB || kind == FORGE_PIXELS_BGR ? 3
                                                           : 4;
}

/* Samples of 16 bits, or floats; including colors that were multiplied by alpha. */
static void write_samples(const forge_preparation *p, const float *row, uint8_t *out) {
  const forge_output *o = &p->output;
  const int32_t size = samples_of(o->kind);
  for (int64_t i = 0; i < o->width; i++) {
    float color[4];
    for (int32_t c = 0; c < 4; c++) color[c] = row[p->working == 1 ? i : 4 * i + c];
    const float most = (float)(o->high / o->scale[0]);
    if (p->working == 1) color[3] = most;
    if (p->alpha == FORGE_ALPHA_PREMULTIPLIED && color[3] > 0)
      for (int32_t c = 0; c < 3; c++) color[c] *= most / color[3];
    if (p->working == 4 && size == 1)
      color[0] = 0.299f * color[0] + 0.587f * color[1] + 0.114f * color[2];
    for (int32_t c = 0; c < size; c++) {
      float value = (float)(color[lanes_of[o->kind][c]] * o->scale[0]);
      if (o->sample == FORGE_SAMPLE_F32) {
        memcpy(out + 4 * (size * i + c), &value, 4);
        continue;
      }
      value = value > o->low ? value : o->low;
      const uint16_t whole = (uint16_t)nearbyintf(value < o->high ? value : o->high);
      memcpy(out + 2 * (size * i + c), &whole, 2);
    }
  }
}

/* ---- values ---- */

static void write_table_floats(const forge_preparation *p, const uint8_t *row, float *out) {
  const forge_output *o = &p->output;
  const int64_t count = o->width;
  if (o->channels == 3 && o->pixel_step == 3 && p->working == 4) {
    const float *t0 = o->tables, *t1 = t0 + 256, *t2 = t1 + 256;
    const uint8_t *a = row + o->lanes[0], *b = row + o->lanes[1], *c = row + o->lanes[2];
    for (int64_t i = 0; i < count; i++) {
      out[3 * i] = t0[a[4 * i]];
      out[3 * i + 1] = t1[b[4 * i]];
      out[3 * i + 2] = t2[c[4 * i]];
    }
    return;
  }
  for (int32_t c = 0; c < o->channels; c++) {
    const float *table = o->tables + 256 * c;
    const uint8_t *in = row + o->lanes[c];
    float *to = out + c * o->channel_step;
    if (p->working == 4)
      for (int64_t i = 0; i < count; i++) to[i * o->pixel_step] = table[in[4 * i]];
    else
      for (int64_t i = 0; i < count; i++) to[i * o->pixel_step] = table[in[i]];
  }
}

static void write_table_bytes(const forge_preparation *p, const uint8_t *row, uint8_t *out) {
  const forge_output *o = &p->output;
  for (int32_t c = 0; c < o->channels; c++) {
    const uint8_t *table = o->bytes + 256 * c;
    const uint8_t *in = row + o->lanes[c];
    uint8_t *to = out + c * o->channel_step;
    for (int64_t i = 0; i < o->width; i++) to[i * o->pixel_step] = table[in[p->working * i]];
  }
}

static void write_factors(const forge_preparation *p, const float *row, void *out) {
  const forge_output *o = &p->output;
  for (int32_t c = 0; c < o->channels; c++) {
    const float *in = row + o->lanes[c];
    const double scale = o->scale[c], bias = o->bias[c];
    for (int64_t i = 0; i < o->width; i++) {
      const double value = (double)in[p->working * i] * scale + bias;
      const int64_t index = c * o->channel_step + i * o->pixel_step;
      if (o->writing == FORGE_WRITE_FLOATS) {
        ((float *)out)[index] = (float)value;
        continue;
      }
      const double low = o->writing == FORGE_WRITE_I8 ? -128 : 0;
      const double raised = value > low ? value : low;
      const double kept = raised < low + 255 ? raised : low + 255;
      ((uint8_t *)out)[index] = (uint8_t)(int32_t)nearbyint(kept);
    }
  }
}

static void subtract_mean(const forge_output *o, int64_t first, float *out) {
  for (int32_t c = 0; c < o->channels; c++)
    for (int64_t i = 0; i < o->width; i++) {
      const int64_t index = c * o->channel_step + i * o->pixel_step;
      out[index] -= o->mean[first + index];
    }
}

void forge_write(const forge_preparation *p, const forge_pixel_rows *rows, int64_t y, void *row,
                 uint8_t *rounded) {
  const forge_output *o = &p->output;
  uint8_t *out = o->base + y * o->row_stride;
  int32_t floats = p->floats;
  if (floats && p->rounds) {
    float *values = row;
    const int64_t count = o->width * p->working;
    if (o->writing == FORGE_WRITE_PIXELS && o->scale[0] != 1)
      for (int64_t i = 0; i < count; i++) values[i] = (float)(values[i] * o->scale[0]);
    rows->round(values, count, rounded);
    row = rounded;
    floats = 0;
  }
  switch (o->writing) {
    case FORGE_WRITE_PIXELS:
      if (floats)
        write_samples(p, row, out);
      else
        write_bytes(p, rows, row, out);
      break;
    case FORGE_WRITE_FLOATS:
      if (floats)
        write_factors(p, row, out);
      else
        write_table_floats(p, row, (float *)out);
      if (o->mean) subtract_mean(o, y * o->row_stride / (int64_t)sizeof(float), (float *)out);
      break;
    default:
      if (floats)
        write_factors(p, row, out);
      else
        write_table_bytes(p, row, out);
  }
}
