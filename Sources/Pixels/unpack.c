/* A row of a picture as a working row. */
#include "stages.h"

#pragma STDC FP_CONTRACT OFF

/* Where red, green, blue and alpha are in a pixel of this many samples; -1 for no alpha. */
typedef struct {
  int32_t samples, red, green, blue, alpha;
} arrangement;

static arrangement arrangement_of(int32_t kind) {
  switch (kind) {
    case FORGE_PIXELS_RGB: return (arrangement){3, 0, 1, 2, -1};
    case FORGE_PIXELS_BGR: return (arrangement){3, 2, 1, 0, -1};
    case FORGE_PIXELS_RGBA: return (arrangement){4, 0, 1, 2, 3};
    case FORGE_PIXELS_BGRA: return (arrangement){4, 2, 1, 0, 3};
    case FORGE_PIXELS_ARGB: return (arrangement){4, 1, 2, 3, 0};
    default: return (arrangement){1, 0, 0, 0, -1};
  }
}

static const uint8_t *row_of(const forge_picture *picture, int plane, int64_t y) {
  return picture->planes[plane] + y * picture->strides[plane];
}

/* ---- frames ---- */

/* The samples of a frame's row: y[x*y_step], u[x/2*step], v[x/2*step]. */
typedef struct {
  const uint8_t *y, *u, *v;
  int64_t y_step, step;
} samples;

static samples samples_of(const forge_picture *picture, int64_t y) {
  const uint8_t *first = row_of(picture, 0, y);
  switch (picture->kind) {
    case FORGE_PIXELS_I420:
      return (samples){first, row_of(picture, 1, y / 2), row_of(picture, 2, y / 2), 1, 1};
    case FORGE_PIXELS_NV12: {
      const uint8_t *pairs = row_of(picture, 1, y / 2);
      return (samples){first, pairs, pairs + 1, 1, 2};
    }
    case FORGE_PIXELS_NV21: {
      const uint8_t *pairs = row_of(picture, 1, y / 2);
      return (samples){first, pairs + 1, pairs, 1, 2};
    }
    default: return (samples){first, first + 1, first + 3, 2, 4};
  }
}

/* `raw` has room for three rows of `count` bytes and their pads. */
static void unpack_frame(const forge_preparation *p, const forge_pixel_rows *rows, int64_t row,
                         int64_t count, uint8_t *raw, uint8_t *out) {
  const samples s = samples_of(&p->source, row);
  const forge_color_matrix *matrix = &p->source.matrix;
  uint8_t *y = raw, *u = y + count + FORGE_ROW_PAD, *v = u + count + FORGE_ROW_PAD;
  if (p->picked) {
    for (int64_t i = 0; i < count; i++) {
      const int64_t x = p->picked[i];
      y[i] = s.y[x * s.y_step];
      u[i] = s.u[x / 2 * s.step];
      v[i] = s.v[x / 2 * s.step];
    }
    rows->from_full(y, u, v, count, matrix, out);
    return;
  }
  const int64_t half = p->from / 2; /* from is even */
  if (s.y_step == 2) {
    for (int64_t i = 0; i < count; i++) y[i] = s.y[(p->from + i) * 2];
    for (int64_t i = 0; i < (count + 1) / 2; i++) {
      u[i] = s.u[(half + i) * s.step];
      v[i] = s.v[(half + i) * s.step];
    }
    rows->from_planar(y, u, v, count, matrix, out);
  } else if (s.step == 2) {
    rows->from_paired(s.y + p->from, s.u + 2 * half, s.v + 2 * half, count, matrix, out);
  } else {
    rows->from_planar(s.y + p->from, s.u + half, s.v + half, count, matrix, out);
  }
}

/* ---- bytes ---- */

/* Copies the picked pixels of 1, 3 or 4 bytes one after the other; `are_neighbors` says that each
 * second one stands behind the one before it. */
static void pick(const uint8_t *in, const int32_t *picked, int64_t count, int32_t size,
                 bool are_neighbors, uint8_t *out) {
  if (size == 1) {
    for (int64_t i = 0; i < count; i++) out[i] = in[picked[i]];
  } else if (size == 4 && are_neighbors) {
    for (int64_t i = 0; i < count; i += 2) memcpy(out + 4 * i, in + 4 * (int64_t)picked[i], 8);
  } else if (size == 4) {
    for (int64_t i = 0; i < count; i++) memcpy(out + 4 * i, in + 4 * (int64_t)picked[i], 4);
  } else {
    for (int64_t i = 0; i < count; i++) memcpy(out + 3 * i, in + 3 * (int64_t)picked[i], 3);
  }
}

/* Colors of bytes as four bytes, alpha treated. */
static void unpack_colors(const forge_preparation *p, const forge_pixel_rows *rows, int64_t y,
                          int64_t count, uint8_t *raw, uint8_t *out) {
  const int32_t kind = p->source.kind;
  if (kind >= FORGE_PIXELS_I420) {
    unpack_frame(p, rows, y, count, raw, out);
    return;
  }
  const arrangement a = arrangement_of(kind);
  const uint8_t *in = row_of(&p->source, 0, y);
  if (p->picked) {
    pick(in, p->picked, count, a.samples,
         p->resampling == FORGE_RESAMPLE_PAIRS && p->source.width > 1, raw);
    in = raw;
  } else {
    in += p->from * a.samples;
  }
  switch (kind) {
    case FORGE_PIXELS_RGB: rows->from_rgb(in, count, out); return;
    case FORGE_PIXELS_BGR: rows->from_bgr(in, count, out); return;
    case FORGE_PIXELS_BGRA: rows->exchange(in, count, out); break;
    case FORGE_PIXELS_ARGB: rows->from_argb(in, count, out); break;
    default: memcpy(out, in, (size_t)(4 * count));
  }
  switch (p->alpha) {
    case FORGE_ALPHA_IGNORED:
      /* Values have no alpha. */
      if (p->output.writing == FORGE_WRITE_PIXELS) rows->fill_alpha(out, count);
      break;
    case FORGE_ALPHA_PREMULTIPLIED: rows->premultiply(out, count); break;
    case FORGE_ALPHA_BLENDED: {
      const uint8_t background[3] = {(uint8_t)p->background[0], (uint8_t)p->background[1],
                                     (uint8_t)p->background[2]};
      rows->blend(out, count, background);
      break;
    }
    default: break;
  }
}

static void unpack_bytes(const forge_preparation *p, const forge_pixel_rows *rows, int64_t y,
                         int64_t count, uint8_t *raw, uint8_t *out) {
  if (p->source.kind == FORGE_PIXELS_GRAY) {
    const uint8_t *in = row_of(&p->source, 0, y);
    if (p->picked)
      pick(in, p->picked, count, 1, false, out);
    else
      memcpy(out, in + p->from, (size_t)count);
  } else if (p->working == 4) {
    unpack_colors(p, rows, y, count, raw, out);
  } else {
    uint8_t *colors = raw + 4 * count + 3 * FORGE_ROW_PAD;
    unpack_colors(p, rows, y, count, raw, colors);
    rows->luminance(colors, count, out);
  }
}

/* ---- samples of 16 bits, and floats ---- */

static float sample_at(const uint8_t *in, int32_t sample, int64_t index, int32_t *bad) {
  if (sample == FORGE_SAMPLE_U16) {
    uint16_t value;
    memcpy(&value, in + 2 * index, 2);
    return value;
  }
  uint32_t bits;
  float value;
  memcpy(&bits, in + 4 * index, 4);
  memcpy(&value, in + 4 * index, 4);
  *bad |= (bits & 0x7F800000) == 0x7F800000; /* infinite or not a number */
  return value;
}

static void unpack_floats(const forge_preparation *p, int64_t y, int64_t count, float *out) {
  const arrangement a = arrangement_of(p->source.kind);
  const int32_t sample = p->source.sample;
  const uint8_t *in = row_of(&p->source, 0, y);
  const float most = sample == FORGE_SAMPLE_U16 ? 65535 : 1;
  int32_t bad = 0;
  for (int64_t i = 0; i < count; i++) {
    const int64_t first = (p->picked ? p->picked[i] : p->from + i) * a.samples;
    if (a.samples == 1) {
      const float gray = sample_at(in, sample, first, &bad);
      for (int32_t c = 0; c < p->working; c++) out[p->working * i + c] = c < 3 ? gray : most;
      continue;
    }
    float rgb[3] = {sample_at(in, sample, first + a.red, &bad),
                    sample_at(in, sample, first + a.green, &bad),
                    sample_at(in, sample, first + a.blue, &bad)};
    float alpha = a.alpha < 0 ? most : sample_at(in, sample, first + a.alpha, &bad);
    if (a.alpha >= 0 && p->alpha != FORGE_ALPHA_KEPT) {
      const float share = p->alpha == FORGE_ALPHA_IGNORED ? 1 : alpha / most;
      for (int c = 0; c < 3; c++) {
        rgb[c] *= share;
        if (p->alpha == FORGE_ALPHA_BLENDED) rgb[c] += (1 - share) * p->background[c];
      }
      if (p->alpha != FORGE_ALPHA_PREMULTIPLIED) alpha = most;
    }
    if (p->working == 1) {
      out[i] = 0.299f * rgb[0] + 0.587f * rgb[1] + 0.114f * rgb[2];
    } else {
      for (int c = 0; c < 3; c++) out[4 * i + c] = rgb[c];
      out[4 * i + 3] = alpha;
    }
  }
  if (bad && p->fault) __atomic_store_n(p->fault, 1, __ATOMIC_RELAXED);
}

void forge_unpack(const forge_preparation *p, const forge_pixel_rows *rows, int64_t y,
                  uint8_t *scratch, const forge_scratch_layout *layout, void *out) {
  const int64_t count = forge_unpacked(p);
  uint8_t *raw = scratch + layout->raw;
  if (!p->floats) {
    unpack_bytes(p, rows, y, count, raw, out);
  } else if (p->source.sample == FORGE_SAMPLE_U8) {
    uint8_t *bytes = scratch + layout->bytes;
    unpack_bytes(p, rows, y, count, raw, bytes);
    rows->widen(bytes, count * p->working, out);
  } else {
    unpack_floats(p, y, count, out);
  }
}
