/* Numbers, memory, and the comparison of forms: see check.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "check.h"

/* ---- numbers ---- */

float hostile_number(void) {
  static const float numbers[] = {
    NAN,      INFINITY, -INFINITY, 0,    -0.0f, 1e-45f, -3e-42f, 1.17549435e-38f, 1e30f,  -1e30f,
    16777215, 16777218, -33554436, 0.5f, 2.5f,  -1.5f,  127.5f,  2147483648.f,    1e-30f, 1};
  return RANDOM_OF(numbers);
}

static float number_of(fill_kind kind) {
  switch (kind) {
    case HOSTILE: return random_below(24) == 0 ? hostile_number() : random_number();
    case WHOLE: return (float)(int32_t)random_bits() * 4;
    case TINY: return random_number() * 0x1p-120f;
    default: return random_number();
  }
}

void fill_numbers(float *p, int64_t count, fill_kind kind) {
  for (int64_t i = 0; i < count; i++)
    p[i] = number_of(kind) * (kind == UNEVEN ? random_scale(30) : 1);
}

void fill_bytes(void *p, int64_t count) {
  const int64_t kind = random_below(4);
  for (int64_t i = 0; i < count; i++)
    ((uint8_t *)p)[i] = kind == 0 ? (random_bits() & 1 ? 255 : 0)
      : kind == 1                 ? (random_bits() & 1 ? 127 : 128)
                                  : (uint8_t)random_bits();
}

forge_activation gentle_activation(void) {
  static const forge_activation some[] = {
    {FORGE_LINEAR, 0, 0},    {FORGE_LINEAR, 0, 0},        {FORGE_CLAMP, 0, INFINITY},
    {FORGE_CLAMP, -1.5f, 6}, {FORGE_LEAKY_RELU, 0.1f, 0},
  };
  return RANDOM_OF(some);
}

/* ---- memory ---- */

void *memory_of(int64_t bytes, int fill) {
  void *p = NULL;
  if (posix_memalign(&p, 64, (size_t)(bytes > 0 ? bytes : 1))) abort();
  memset(p, fill, (size_t)bytes);
  return p;
}

void *copy_of(const void *p, int64_t bytes) {
  void *copy = memory_of(bytes, 0);
  memcpy(copy, p, (size_t)bytes);
  return copy;
}

float *absolute_of(const float *p, int64_t count) {
  float *result = copy_of(p, 4 * count);
  for (int64_t i = 0; i < count; i++) result[i] = isfinite(p[i]) ? fabsf(p[i]) : 0;
  return result;
}

static image image_of(int32_t base, int64_t height, int64_t width, int64_t channels, int64_t border,
                      int64_t gap, int64_t pixel, int64_t blocks, int64_t word) {
  const int64_t row = (width + 2 * border + gap) * pixel, rows = height + 2 * border;
  return (image){.view = {.base = base,
                          .height = (int32_t)height,
                          .width = (int32_t)width,
                          .channels = (int32_t)channels,
                          .offset = border * row + border * pixel,
                          .block_stride = rows * row,
                          .row_stride = row},
                 .bytes = blocks * rows * row * word,
                 .border = border};
}

image float_image(int32_t base, int64_t height, int64_t width, int64_t channels, int64_t border,
                  int64_t gap) {
  return image_of(base, height, width, channels, border, gap, FORGE_LANES, forge_blocks(channels),
                  4);
}

image byte_image(int32_t base, int64_t height, int64_t width, int64_t channels, int64_t border,
                 int64_t gap, int64_t pixel) {
  return image_of(base, height, width, channels, border, gap, pixel,
                  pixel == FORGE_BYTE_LANES ? forge_byte_blocks(channels) : 1, 1);
}

image plain_image(int32_t base, int64_t height, int64_t width, int64_t channels) {
  return image_of(base, height, width, channels, 0, 0, channels, 1, 4);
}

float *filled_image(const image *i, fill_kind kind) {
  float *p = memory_of(i->bytes, 0);
  const forge_view *v = &i->view;
  for (int64_t c = 0; c < v->channels; c++) {
    const float scale = kind == UNEVEN ? random_scale(30) : 1;
    for (int64_t y = 0; y < v->height; y++)
      for (int64_t x = 0; x < v->width; x++) p[place_of(v, y, x, c)] = number_of(kind) * scale;
  }
  return p;
}

void poison_border(const image *i, float *p) {
  const forge_view *v = &i->view;
  const int64_t rows = v->block_stride / v->row_stride;
  for (int64_t b = 0; b < forge_blocks(v->channels); b++)
    for (int64_t y = -i->border; y < rows - i->border; y++)
      for (int64_t x = -i->border; x < v->row_stride / 16 - i->border; x++)
        if (y < 0 || y >= v->height || x < 0 || x >= v->width)
          for (int64_t lane = 0; lane < 16; lane++) p[place_of(v, y, x, b * 16 + lane)] = NAN;
}

/* ---- trials ---- */

static void run_tiles(const trial *t, forge_kernel function, float *out, bool in_parts) {
  float *bases[BASES];
  memcpy(bases, t->bases, sizeof bases);
  bases[OUT] = out;
  const int64_t half = in_parts ? random_below(t->tiles + 1) : 0;
  for (int64_t round = 0; round < forge_larger(t->rounds, 1); round++) {
    const forge_frame frame = {.bases = bases, .round = round};
    function(t->arguments, &frame, half, t->tiles);
    if (half > 0) function(t->arguments, &frame, 0, half);
  }
}

float *run_form(const trial *t, forge_kernel function) {
  float *out = copy_of(t->bases[OUT], t->bytes);
  run_tiles(t, function, out, true);
  return out;
}

static bool is_equal(const trial *t, int64_t i, float wanted, float got) {
  if (isnan(wanted) || isnan(got) || isinf(wanted) || isinf(got)) {
    if (t->bounds && t->bounds[i] == (double)INFINITY) return true;
    return same(wanted, got);
  }
  if (!t->bounds || isnan(t->bounds[i])) return wanted == got;
  return fabs((double)wanted - (double)got) <= t->bounds[i];
}

void compare(const trial *t, const char *form, const float *wanted, const float *got) {
  int64_t wrong = 0, place = 0;
  const int64_t count = t->comparison == AS_BLOCKED_BYTES ? t->bytes : t->bytes / 4;
  for (int64_t i = 0; i < count; i++) {
    bool equal;
    if (t->comparison == AS_FLOATS) {
      equal = is_equal(t, i, wanted[i], got[i]);
    } else if (t->comparison == AS_WORDS) {
      equal = memcmp(wanted + i, got + i, 4) == 0;
    } else {
      const int64_t channel = i / t->view->block_stride * FORGE_BYTE_LANES + i % FORGE_BYTE_LANES;
      if (channel >= t->view->channels) continue;
      equal = ((const uint8_t *)wanted)[i] == ((const uint8_t *)got)[i];
    }
    if (!equal && wrong++ == 0) place = i;
  }
  now.compared += count;
  if (wrong == 0) return;
  if (t->comparison == AS_BLOCKED_BYTES)
    report(form, "%lld bytes differ, first %lld: %d instead of %d", (long long)wrong,
           (long long)place, ((const uint8_t *)got)[place], ((const uint8_t *)wanted)[place]);
  else
    report(form, "%lld numbers differ, first %lld: %.9g instead of %.9g, bound %g",
           (long long)wrong, (long long)place, (double)got[place], (double)wanted[place],
           t->bounds ? t->bounds[place] : 0);
}

void try_against(const trial *t, const float *wanted) {
  for (int f = 0; f < now.count; f++) {
    float *got = run_form(t, now.forms[f].function);
    compare(t, now.forms[f].name, wanted, got);
    now.forms[f].tried++;
    free(got);
  }
}

float *try_forms(const trial *t) {
  float *wanted = copy_of(t->bases[OUT], t->bytes);
  run_tiles(t, now.scalar, wanted, false);
  /* Tiles are independent. */
  float *again = run_form(t, now.scalar);
  trial exact = *t;
  exact.bounds = NULL;
  compare(&exact, "scalar in parts", wanted, again);
  free(again);
  digest(wanted, t->bytes);
  try_against(t, wanted);
  return wanted;
}

double *bounds_of_sums(const float *magnitudes, int64_t count, double terms) {
  double *bounds = memory_of(8 * count, 0);
  for (int64_t i = 0; i < count; i++)
    bounds[i] =
      isfinite(magnitudes[i]) ? 4e-7 * sqrt(terms) * (double)magnitudes[i] + terms * 1.5e-45 : NAN;
  return bounds;
}
