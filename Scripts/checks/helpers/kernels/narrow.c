/* Convolutions whose weights are not floats, and the words that they read.
 *
 * Bounds: words and ranges are equal; sums of floats as those of convolution, with the magnitudes
 * of the packed weights. Sums of bytes are exact, and their end has three roundings. */
#include "convolutions.h"

/* ---- words ---- */

/* The channels of a block of a pixel, which has so many words. */
static int64_t lanes_of(int64_t words) {
  return words == FORGE_WIDE_WORDS ? FORGE_TILE_CHANNELS : FORGE_LANES;
}

typedef struct {
  image in;
  forge_words_arguments a;
  int64_t words, out_words; /* of a pixel's block; in all */
  trial t;
} words_problem;

static words_problem some_words(int64_t words, bool may_be_flat) {
  static const int64_t channels[] = {1, 5, 15, 16, 17, 33, 67};
  words_problem p = {.words = words};
  const int64_t height = random_from(1, 4), width = random_from(1, 37), n = RANDOM_OF(channels);
  const bool flat = may_be_flat && random_below(2);
  p.in = float_image(IN, height, width, n, 0, flat ? 0 : random_below(2));
  forge_words_arguments *a = &p.a;
  *a = (forge_words_arguments){.in = p.in.view, .range = {.base = RANGE}, .flat = flat};
  if (!flat) {
    a->top = (int32_t)random_below(3);
    a->left = (int32_t)random_below(3);
    a->bottom = (int32_t)random_below(3);
    a->right = (int32_t)random_below(3);
  }
  const int64_t row = (a->left + width + a->right) * words;
  const int64_t block = (a->top + height + a->bottom) * row;
  a->out = (forge_view){.base = OUT,
                        .height = (int32_t)height,
                        .width = (int32_t)width,
                        .channels = (int32_t)n,
                        .offset = a->top * row + a->left * words,
                        .block_stride = block,
                        .row_stride = row};
  p.out_words = forge_quotient_up(n, lanes_of(words)) * block;
  const fill_kind fill = (fill_kind)random_below(FILLS);
  p.t = (trial){.arguments = &p.a, .bytes = 4 * p.out_words, .comparison = AS_WORDS};
  p.t.bases[IN] = filled_image(&p.in, fill);
  p.t.bases[OUT] = memory_of(p.t.bytes, 0x41);
  PROBLEM("%lldx%lldx%lld, border %d %d %d %d, flat %d, fill %d", (long long)height,
          (long long)width, (long long)n, a->top, a->left, a->bottom, a->right, flat, fill);
  return p;
}

static void free_words(words_problem *p) {
  for (int i = 0; i < BASES; i++) free(p->t.bases[i]);
}

static void check_bfloat_words(int64_t words, int64_t (*tiles)(const forge_words_arguments *)) {
  words_problem p = some_words(words, false);
  p.t.arguments = &p.a;
  p.t.tiles = tiles(&p.a);
  /* vcvtneps2bf16 takes denormals as 0, the scalar form rounds them. */
  for (int64_t i = 0; i < p.in.bytes / 4; i++)
    if (fabsf(p.t.bases[IN][i]) < 0x1p-126f) p.t.bases[IN][i] = 0;
  free(try_forms(&p.t));
  free_words(&p);
}

void check_bfloat_input(void) { check_bfloat_words(FORGE_PAIR_WORDS, forge_words_tiles); }
void check_bfloat_tile_input(void) { check_bfloat_words(FORGE_WIDE_WORDS, forge_wide_words_tiles); }

void check_bfloat_patch_input(void) {
  const fill_kind fill = (fill_kind)random_below(FILLS);
  const int64_t channels = random_from(1, 8), width = random_from(1, 37);
  const image in = plain_image(IN, random_from(1, 5), width, channels);
  forge_patch_words_arguments a = {.in = in.view,
                                   .kernel_width = (int32_t)random_from(1, 11),
                                   .stride_x = (int32_t)random_from(1, 4),
                                   .top = (int32_t)random_below(4),
                                   .bottom = (int32_t)random_below(4)};
  a.pad_left = (int32_t)random_below(a.kernel_width);
  const int64_t columns = random_from(1, 23), row = columns * FORGE_WIDE_WORDS;
  const int64_t rows = a.top + in.view.height + a.bottom;
  const int64_t blocks = forge_quotient_up(a.kernel_width * channels, FORGE_TILE_CHANNELS);
  a.out = (forge_view){.base = OUT,
                       .height = in.view.height,
                       .width = (int32_t)columns,
                       .channels = (int32_t)(a.kernel_width * channels),
                       .offset = a.top * row,
                       .block_stride = rows * row,
                       .row_stride = row};
  trial t = {.arguments = &a, .bytes = 4 * blocks * rows * row, .comparison = AS_WORDS};
  t.tiles = forge_patch_words_tiles(&a);
  t.bases[IN] = memory_of(in.bytes, 0);
  fill_numbers(t.bases[IN], in.bytes / 4, fill);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  /* As above. */
  for (int64_t i = 0; i < in.bytes / 4; i++)
    if (fabsf(t.bases[IN][i]) < 0x1p-126f) t.bases[IN][i] = 0;
  PROBLEM("%dx%dx%d, kernel %d, stride %d, pad %d, %lld columns, rows %d %d, fill %d",
          in.view.height, in.view.width, in.view.channels, a.kernel_width, a.stride_x, a.pad_left,
          (long long)columns, a.top, a.bottom, fill);
  free(try_forms(&t));
  for (int i = 0; i < BASES; i++) free(t.bases[i]);
}

void check_byte_range(void) {
  words_problem p = some_words(FORGE_QUAD_WORDS, true);
  p.a.range.base = OUT;
  p.t.arguments = &p.a;
  p.t.bytes = 4 * forge_byte_range_floats(&p.a);
  free(p.t.bases[OUT]);
  p.t.bases[OUT] = memory_of(p.t.bytes, 0x41);
  p.t.tiles = forge_byte_range_tiles(&p.a);
  p.t.comparison = AS_FLOATS; /* a scale may be NaN */
  free(try_forms(&p.t));
  free_words(&p);
}

void check_byte_input(void) {
  words_problem p = some_words(FORGE_QUAD_WORDS, true);
  p.t.bases[RANGE] = memory_of(4 * forge_byte_range_floats(&p.a), 0);
  const forge_frame frame = {.bases = p.t.bases};
  forge_precision_kernels(FORGE_SCALAR).byte_range(&p.a, &frame, 0, forge_byte_range_tiles(&p.a));
  p.t.arguments = &p.a;
  p.t.tiles = forge_words_tiles(&p.a);
  free(try_forms(&p.t));
  free_words(&p);
}

/* ---- convolutions ---- */

/* The packed weights of a form. */
typedef struct {
  void *packed; /* NULL if they cannot be packed as exactly as floats */
  float *scales;
  int32_t *totals;
} narrow_weights;

static narrow_weights pack_narrow(const convolution *c, const float *weights,
                                  forge_weight_form form, int64_t words) {
  const int64_t panel = c->a.panel_width, lanes = lanes_of(words);
  const int64_t count = c->padded * c->taps * forge_quotient_up(c->inputs, lanes) * lanes;
  narrow_weights w = {memory_of(count * forge_weight_bits(form) / 8, 0x41),
                      memory_of(4 * c->padded, 0), memory_of(4 * c->padded, 0)};
  if (form == FORGE_WEIGHTS_HALVES)
    forge_pack_half(weights, w.packed, w.scales, c->outputs, c->taps, c->inputs, panel);
  else if (words == FORGE_WIDE_WORDS)
    forge_pack_wide_bfloat(weights, w.packed, c->outputs, c->taps, c->inputs, panel, 1);
  else if (form == FORGE_WEIGHTS_BFLOATS)
    forge_pack_bfloat(weights, w.packed, c->outputs, c->taps, c->inputs, panel);
  else if (form == FORGE_WEIGHTS_BYTES)
    forge_pack_byte(weights, w.packed, w.scales, w.totals, c->outputs, c->taps, c->inputs, panel);
  else if (!forge_pack_fixed(weights, w.packed, w.scales, c->outputs, c->taps, c->inputs, 1e30, 0,
                             1))
    free(w.packed), w.packed = NULL;
  return w;
}

static void free_narrow(narrow_weights *w) {
  free(w->packed);
  free(w->scales);
  free(w->totals);
}

/* A convolution of one pixel, whose input is floats. */
static void check_one_pixel(forge_weight_form form) {
  const convolution_limits limits = {
    .most_inputs = 67, .most_outputs = 67, .no_dilation = true, .one_pixel = true};
  convolution c = convolution_of(&limits);
  /* Words of 2^31 times inputs: see CForgePrecision.h. */
  forge_convolution_arguments a = c.a;
  if (form == FORGE_WEIGHTS_FIXED) {
    c.a.panel_width = a.panel_width = FORGE_FIXED_PANEL_WIDTH;
    c.padded = forge_quotient_up(c.outputs, FORGE_FIXED_PANEL_WIDTH) * FORGE_FIXED_PANEL_WIDTH;
    float *bias = memory_of(4 * c.padded, 0);
    memcpy(bias, c.bias, (size_t)(4 * c.outputs));
    free(c.bias);
    c.bias = bias;
    a.bias = bias;
  }
  narrow_weights w = pack_narrow(&c, c.weights, form, 0);
  a.weights = w.packed;
  a.scales = w.scales;
  a.next = NULL;
  a.segments = 1;
  describe_convolution(&c, form == FORGE_WEIGHTS_FIXED ? ", 24 bits" : ", halves");
  float *absolute = absolute_of(c.weights, c.outputs * c.taps * c.inputs);
  narrow_weights sizes = pack_narrow(&c, absolute, form, 0);
  if (!w.packed || !sizes.packed) {
    free(absolute);
    free_narrow(&w);
    free_narrow(&sizes);
    free_convolution(&c);
    return;
  }
  forge_convolution_arguments m = a;
  float *bias = absolute_of(c.bias, c.padded);
  m.weights = sizes.packed;
  m.scales = sizes.scales;
  m.bias = bias;
  m.epilogue.activation = (forge_activation){0};
  trial t = {.arguments = &m, .tiles = forge_convolution_tiles(&a), .bytes = c.out.bytes};
  memcpy(t.bases, c.bases, sizeof t.bases);
  t.bases[IN] = absolute_of(c.bases[IN], c.in.bytes / 4);
  t.bases[RESIDUAL] = absolute_of(c.bases[RESIDUAL], c.residual.bytes / 4);
  float *magnitudes = run_form(&t, now.scalar);
  free(t.bases[IN]);
  free(t.bases[RESIDUAL]);
  double *bounds = bounds_of_sums(magnitudes, c.out.bytes / 4, (double)(c.taps * c.inputs + 3));
  for (int64_t i = 0; i < c.out.bytes / 4; i++) /* inputs below 2^-110 lose bits */
    if (form == FORGE_WEIGHTS_FIXED && !isnan(bounds[i])) bounds[i] += 1e-35;
  memcpy(t.bases, c.bases, sizeof t.bases);
  t.arguments = &a;
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(magnitudes);
  free(bias);
  free(absolute);
  free_narrow(&w);
  free_narrow(&sizes);
  free_convolution(&c);
}

void check_half_convolution(void) { check_one_pixel(FORGE_WEIGHTS_HALVES); }
void check_fixed_convolution(void) { check_one_pixel(FORGE_WEIGHTS_FIXED); }

/* Makes the words of an image, so many for a block of a pixel, by the scalar kernels. */
static void make_words(const forge_words_arguments *in, const forge_frame *frame, int64_t words) {
  const forge_precision_table scalar = forge_precision_kernels(FORGE_SCALAR);
  if (words == FORGE_WIDE_WORDS) {
    scalar.bfloat_tile_input(in, frame, 0, forge_wide_words_tiles(in));
  } else if (words == FORGE_PAIR_WORDS) {
    scalar.bfloat_input(in, frame, 0, forge_words_tiles(in));
  } else {
    scalar.byte_range(in, frame, 0, forge_byte_range_tiles(in));
    scalar.byte_input(in, frame, 0, forge_words_tiles(in));
  }
}

/* A convolution of words, so many for a block of a pixel, which a step makes from the image. */
static void check_of_words(forge_weight_form form, int64_t words) {
  const bool flat = random_below(2), bytes = form == FORGE_WEIGHTS_BYTES;
  convolution_limits limits = {
    .most_inputs = 67, .most_outputs = 67, .no_dilation = random_below(2)};
  if (flat) limits.kernel_height = limits.kernel_width = limits.stride = 1;
  convolution c = convolution_of(&limits);
  const int64_t border = flat ? 0 : c.in.border;
  const forge_view *v = &c.in.view;
  const int64_t row = (v->width + 2 * border) * words, block = (v->height + 2 * border) * row;
  forge_words_arguments in = {.in = c.in.view,
                              .out = {.base = OTHER,
                                      .height = v->height,
                                      .width = v->width,
                                      .channels = v->channels,
                                      .offset = border * row + border * words,
                                      .block_stride = block,
                                      .row_stride = row},
                              .top = (int32_t)border,
                              .left = (int32_t)border,
                              .bottom = (int32_t)border,
                              .right = (int32_t)border,
                              .range = {.base = RANGE},
                              .flat = flat};
  forge_convolution_arguments a = c.a;
  a.in = in.out;
  a.range = in.range;
  a.flat = flat;
  a.next = NULL;
  if (flat) a.pad_top = a.pad_left = 0;
  narrow_weights w = pack_narrow(&c, c.weights, form, words);
  a.weights = w.packed;
  a.scales = w.scales;
  a.totals = w.totals;
  describe_convolution(&c, flat ? ", words, flat" : ", words");
  trial t = {.arguments = &a, .bytes = c.out.bytes};
  t.tiles =
    flat ? forge_quotient_up(c.outputs, a.panel_width) * a.segments : forge_convolution_tiles(&a);
  memcpy(t.bases, c.bases, sizeof t.bases);
  t.bases[OTHER] = memory_of(4 * forge_quotient_up(c.inputs, lanes_of(words)) * block, 0x41);
  t.bases[RANGE] = memory_of(4 * forge_byte_range_floats(&in), 0);
  const forge_frame frame = {.bases = t.bases};
  make_words(&in, &frame, words);
  double *bounds;
  if (bytes) {
    /* (float)sum * factor + bias + residual: roundings of each. */
    forge_convolution_arguments m = a;
    m.epilogue = (forge_epilogue){0};
    trial n = t;
    n.arguments = &m;
    float *sums = run_form(&n, now.scalar);
    bounds = memory_of(2 * c.out.bytes, 0);
    for (int64_t o = 0; o < forge_blocks(c.outputs) * 16; o++)
      for (int64_t i = 0; i < (int64_t)a.out.height * a.out.width; i++) {
        const int64_t y = i / a.out.width, x = i % a.out.width;
        const int64_t place = place_of(&a.out, y, x, o);
        const double bias = o < c.outputs ? fabs((double)c.bias[o]) : 0;
        const double residual = a.epilogue.has_residual && o < c.outputs
          ? fabs((double)t.bases[RESIDUAL][place_of(&c.residual.view, y, x, o)])
          : 0;
        bounds[place] = 4e-7 * (fabs((double)sums[place]) + 2 * bias + residual) + 1e-44;
      }
    free(sums);
  } else {
    forge_convolution_arguments m = a;
    float *absolute = absolute_of(c.weights, c.outputs * c.taps * c.inputs);
    narrow_weights sizes = pack_narrow(&c, absolute, form, words);
    float *bias = absolute_of(c.bias, c.padded);
    m.weights = sizes.packed;
    m.bias = bias;
    m.epilogue.activation = (forge_activation){0};
    trial n = t;
    n.arguments = &m;
    n.bases[IN] = absolute_of(t.bases[IN], c.in.bytes / 4);
    n.bases[RESIDUAL] = absolute_of(t.bases[RESIDUAL], c.residual.bytes / 4);
    n.bases[OTHER] = memory_of(4 * forge_quotient_up(c.inputs, lanes_of(words)) * block, 0);
    const forge_frame absolute_frame = {.bases = n.bases};
    make_words(&in, &absolute_frame, words);
    float *magnitudes = run_form(&n, now.scalar);
    bounds = bounds_of_sums(magnitudes, c.out.bytes / 4, (double)(c.taps * c.inputs + 3));
    /* vdpbf16ps takes denormals as 0. */
    for (int64_t i = 0; i < c.out.bytes / 4; i++) bounds[i] += 1e-36;
    free(magnitudes);
    free(n.bases[IN]);
    free(n.bases[RESIDUAL]);
    free(n.bases[OTHER]);
    free(bias);
    free(absolute);
    free_narrow(&sizes);
  }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(t.bases[OTHER]);
  free(t.bases[RANGE]);
  free_narrow(&w);
  free_convolution(&c);
}

void check_bfloat_convolution(void) { check_of_words(FORGE_WEIGHTS_BFLOATS, FORGE_PAIR_WORDS); }
void check_bfloat_tile_convolution(void) {
  check_of_words(FORGE_WEIGHTS_BFLOATS, FORGE_WIDE_WORDS);
}
void check_byte_convolution(void) { check_of_words(FORGE_WEIGHTS_BYTES, FORGE_QUAD_WORDS); }
