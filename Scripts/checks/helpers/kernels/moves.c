/* Kernels that move numbers, which have no vector form: against their definitions. */
#include "check.h"

static const int64_t channel_counts[] = {1, 3, 15, 16, 17, 33, 48, 67};
static fill_kind some_fill(void) { return (fill_kind)random_below(FILLS); }

typedef struct {
  int64_t height, width, channels;
} sizes;

static sizes some_sizes(void) {
  const sizes s = {random_from(1, 5), random_from(1, 13), RANDOM_OF(channel_counts)};
  PROBLEM("%lldx%lldx%lld", (long long)s.height, (long long)s.width, (long long)s.channels);
  return s;
}

/* Runs the scalar form, in parts too, and compares it with `wanted`, which is freed. */
static void check_moved(trial *t, float *wanted) {
  t->comparison = AS_WORDS;
  float *got = try_forms(t);
  compare(t, "the definition", wanted, got);
  free(got);
  free(wanted);
  for (int i = 0; i < BASES; i++) free(t->bases[i]);
}

/* A trial whose result is of a blocked image, which holds 0x41 bytes before. */
static trial trial_of(const void *arguments, int64_t tiles, int64_t bytes) {
  trial t = {.arguments = arguments, .tiles = tiles, .bytes = bytes};
  t.bases[OUT] = memory_of(bytes, 0x41);
  return t;
}

/* The number of `p`, 0 in lanes past the last channel. */
static float padded_at(const forge_view *v, const float *p, int64_t y, int64_t x, int64_t c) {
  return c < v->channels ? p[place_of(v, y, x, c)] : 0;
}

/* for each pixel and lane, padded ones too */
#define EACH(v, y, x, c)                    \
  for (int64_t y = 0; y < (v).height; y++)  \
    for (int64_t x = 0; x < (v).width; x++) \
      for (int64_t c = 0; c < forge_blocks((v).channels) * 16; c++)

void check_block(void) {
  const sizes s = some_sizes();
  const image in = plain_image(IN, s.height, s.width, s.channels);
  const image out = float_image(OUT, s.height, s.width, s.channels, 1, 1);
  const forge_block_arguments a = {in.view, out.view};
  trial t = trial_of(&a, forge_block_tiles(&a), out.bytes);
  t.bases[IN] = memory_of(in.bytes, 0);
  fill_numbers(t.bases[IN], in.bytes / 4, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(out.view, y, x, c)
  wanted[place_of(&out.view, y, x, c)] =
    c < s.channels ? t.bases[IN][(y * s.width + x) * s.channels + c] : 0;
  check_moved(&t, wanted);
}

void check_unblock(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 1, 1);
  const image out = plain_image(OUT, s.height, s.width, s.channels);
  const forge_unblock_arguments a = {in.view, out.view};
  trial t = trial_of(&a, forge_unblock_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(in.view, y, x, c)
  if (c < s.channels)
    wanted[(y * s.width + x) * s.channels + c] = t.bases[IN][place_of(&in.view, y, x, c)];
  check_moved(&t, wanted);
}

void check_clear_halo(void) {
  const sizes s = some_sizes();
  const image out = float_image(OUT, s.height, s.width, s.channels, 3, 1);
  const forge_clear_halo_arguments a = {out.view, (int32_t)random_below(4),
                                        (int32_t)random_below(4), (int32_t)random_below(4),
                                        (int32_t)random_below(4)};
  trial t = trial_of(&a, forge_clear_halo_tiles(&a), out.bytes);
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  for (int64_t c = 0; c < forge_blocks(s.channels) * 16; c++)
    for (int64_t y = -a.top; y < s.height + a.bottom; y++)
      for (int64_t x = -a.left; x < s.width + a.right; x++)
        if (y < 0 || y >= s.height || x < 0 || x >= s.width)
          wanted[place_of(&out.view, y, x, c)] = 0;
  check_moved(&t, wanted);
}

void check_fill(void) {
  const sizes s = some_sizes();
  const image out = float_image(OUT, s.height, s.width, s.channels, 1, 1);
  const forge_fill_arguments a = {out.view};
  trial t = trial_of(&a, forge_fill_tiles(&a), out.bytes);
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(out.view, y, x, c) wanted[place_of(&out.view, y, x, c)] = 0;
  check_moved(&t, wanted);
}

void check_copy(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, 1);
  const image out = float_image(OUT, s.height, s.width, s.channels, 1, 1);
  const forge_copy_arguments a = {in.view, out.view};
  trial t = trial_of(&a, forge_copy_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(out.view, y, x, c)
  wanted[place_of(&out.view, y, x, c)] = padded_at(&in.view, t.bases[IN], y, x, c);
  check_moved(&t, wanted);
}

void check_copy_channels(void) {
  const sizes s = some_sizes();
  const int64_t first = random_below(40), more = random_below(20);
  const image in = float_image(IN, s.height, s.width, s.channels, 0, 1);
  const image out = float_image(OUT, s.height, s.width, first + s.channels + more, 1, 1);
  const forge_copy_channels_arguments a = {in.view, out.view, (int32_t)first};
  trial t = trial_of(&a, forge_copy_channels_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(in.view, y, x, c)
  if (c < s.channels)
    wanted[place_of(&out.view, y, x, first + c)] = t.bases[IN][place_of(&in.view, y, x, c)];
  check_moved(&t, wanted);
}

void check_gather_channels(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, 1);
  const image out = float_image(OUT, s.height, s.width, RANDOM_OF(channel_counts), 1, 1);
  int32_t indices[67];
  for (int i = 0; i < 67; i++) indices[i] = (int32_t)random_below(s.channels);
  const forge_gather_channels_arguments a = {in.view, out.view, indices};
  trial t = trial_of(&a, forge_gather_channels_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(out.view, y, x, c)
  wanted[place_of(&out.view, y, x, c)] =
    c < out.view.channels ? t.bases[IN][place_of(&in.view, y, x, indices[c])] : 0;
  check_moved(&t, wanted);
}

void check_place_pixels(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, 1);
  const image out = float_image(OUT, random_from(1, 9), random_from(1, 17), s.channels, 1, 1);
  const forge_place_pixels_arguments a = {in.view,
                                          out.view,
                                          (int32_t)random_from(1, 3),
                                          (int32_t)random_from(1, 3),
                                          (int32_t)random_below(4),
                                          (int32_t)random_below(4)};
  trial t = trial_of(&a, forge_place_pixels_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(in.view, y, x, c) {
    const int64_t row = y * a.step_y + a.row, column = x * a.step_x + a.column;
    if (row >= 0 && row < out.view.height && column >= 0 && column < out.view.width)
      wanted[place_of(&out.view, row, column, c)] = padded_at(&in.view, t.bases[IN], y, x, c);
  }
  check_moved(&t, wanted);
}

void check_depth_to_space(void) {
  const sizes s = some_sizes();
  const int32_t block_y = (int32_t)random_from(1, 3), block_x = (int32_t)random_from(1, 3);
  const int64_t n = random_from(1, 19);
  const image in = float_image(IN, s.height, s.width, n * block_y * block_x, 0, 1);
  const image out = float_image(OUT, s.height * block_y, s.width * block_x, n, 1, 1);
  const forge_depth_to_space_arguments a = {in.view, out.view, block_y, block_x,
                                            (int32_t)random_below(2)};
  trial t = trial_of(&a, forge_depth_to_space_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(out.view, y, x, c) {
    const int64_t u = y % block_y, v = x % block_x;
    const int64_t from =
      a.interleaved ? c * block_y * block_x + u * block_x + v : (u * block_x + v) * n + c;
    wanted[place_of(&out.view, y, x, c)] =
      c < n ? t.bases[IN][place_of(&in.view, y / block_y, x / block_x, from)] : 0;
  }
  check_moved(&t, wanted);
}

void check_space_to_depth(void) {
  const int32_t block_y = (int32_t)random_from(1, 3), block_x = (int32_t)random_from(1, 3);
  const int64_t n = random_from(1, 19), height = random_from(1, 3), width = random_from(1, 7);
  PROBLEM("%lldx%lldx%lld by %d %d", (long long)height, (long long)width, (long long)n, block_y,
          block_x);
  const image in = float_image(IN, height * block_y, width * block_x, n, 0, 1);
  const image out = float_image(OUT, height, width, n * block_y * block_x, 1, 1);
  const forge_space_to_depth_arguments a = {in.view, out.view, block_y, block_x};
  trial t = trial_of(&a, forge_space_to_depth_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(out.view, y, x, c) {
    const int64_t part = c / n;
    wanted[place_of(&out.view, y, x, c)] = c < out.view.channels
      ? t.bases[IN][place_of(&in.view, y * block_y + part / block_x, x * block_x + part % block_x,
                             c % n)]
      : 0;
  }
  check_moved(&t, wanted);
}

/* ---- tables of streams ---- */

void check_append_rows(void) {
  const sizes s = some_sizes();
  const int64_t position = random_below(6), rows = position + s.width + random_below(3);
  const image in = float_image(IN, 1, s.width, s.channels, 0, 1);
  const image out = plain_image(OUT, 1, rows, s.channels);
  const forge_append_rows_arguments a = {in.view, out.view, {.base = OTHER}};
  trial t = trial_of(&a, forge_append_rows_tiles(&a), out.bytes);
  t.bases[IN] = filled_image(&in, some_fill());
  t.bases[OTHER] = memory_of(4, 0);
  t.bases[OTHER][0] = (float)position;
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  for (int64_t x = 0; x < s.width; x++)
    for (int64_t c = 0; c < s.channels; c++)
      wanted[(position + x) * s.channels + c] = t.bases[IN][place_of(&in.view, 0, x, c)];
  check_moved(&t, wanted);
}

void check_rows_from(void) {
  const sizes s = some_sizes();
  const int64_t position = random_below(6), rows = position + s.width + random_below(3);
  const image in = plain_image(IN, 1, rows, s.channels);
  const image out = float_image(OUT, 1, s.width, s.channels, 0, 1);
  const forge_rows_from_arguments a = {in.view, out.view, {.base = OTHER}};
  trial t = trial_of(&a, forge_rows_from_tiles(&a), out.bytes);
  t.bases[IN] = memory_of(in.bytes, 0);
  fill_numbers(t.bases[IN], in.bytes / 4, some_fill());
  t.bases[OTHER] = memory_of(4, 0);
  t.bases[OTHER][0] = (float)position;
  float *wanted = copy_of(t.bases[OUT], t.bytes);
  EACH(out.view, y, x, c)
  wanted[place_of(&out.view, y, x, c)] =
    c < s.channels ? t.bases[IN][(position + x) * s.channels + c] : 0;
  check_moved(&t, wanted);
}

void check_advance(void) {
  const forge_advance_arguments a = {{.base = IN}, {.base = OUT}, random_below(1000)};
  PROBLEM("advance by %lld", (long long)a.count);
  trial t = trial_of(&a, 1, 4);
  t.bases[IN] = memory_of(4, 0);
  t.bases[IN][0] = (float)random_below(1 << 20);
  float *wanted = memory_of(4, 0);
  wanted[0] = t.bases[IN][0] + (float)a.count;
  check_moved(&t, wanted);
}

/* ---- resizing: the definition is long, and Swift tests have it. Machines must agree. ---- */

void check_resize(void) {
  const sizes s = some_sizes();
  const bool plain = random_below(2);
  const image in = plain ? plain_image(IN, s.height, s.width, s.channels)
                         : float_image(IN, s.height, s.width, s.channels, 0, 1);
  const image out = float_image(OUT, random_from(1, 9), random_from(1, 17), s.channels, 0, 1);
  const forge_resize_arguments a = {.in = in.view,
                                    .out = out.view,
                                    .in_is_plain = plain,
                                    .mode = (int32_t)random_below(3),
                                    .crop_slot = -1,
                                    .scratch = {.base = SCRATCH}};
  trial t = trial_of(&a, forge_resize_tiles(&a), out.bytes);
  t.bases[IN] = plain ? memory_of(in.bytes, 0) : filled_image(&in, some_fill());
  if (plain) fill_numbers(t.bases[IN], in.bytes / 4, EVEN);
  t.bases[SCRATCH] =
    memory_of(4 *
                forge_resize_scratch(in.view.height, in.view.width, (int32_t)s.channels,
                                     out.view.height, out.view.width),
              0x41);
  float *got = try_forms(&t);
  /* A resized image of one number has that number, up to the rounding of its weights. */
  for (int64_t i = 0; i < in.bytes / 4; i++) t.bases[IN][i] = plain ? 3 : t.bases[IN][i] * 0;
  if (plain) {
    float *constant = run_form(&t, now.scalar);
    EACH(out.view, y, x, c) {
      const float v = constant[place_of(&out.view, y, x, c)];
      now.compared++;
      if (!(fabsf(v - (c < s.channels ? 3.f : 0)) <= 1e-6f)) report("a constant", "%g", (double)v);
    }
    free(constant);
  }
  free(got);
  for (int i = 0; i < BASES; i++) free(t.bases[i]);
}
