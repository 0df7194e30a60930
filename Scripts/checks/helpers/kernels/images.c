/* Kernels on blocked images: pooling, activation, affine, binary, softmax, normalizations. */
#include "check.h"

static const int64_t channel_counts[] = {1, 3, 15, 16, 17, 31, 33, 48, 67};
static fill_kind some_fill(void) { return (fill_kind)random_below(FILLS); }

typedef struct {
  int64_t height, width, channels;
} sizes;

static sizes some_sizes(void) {
  return (sizes){random_from(1, 5), random_from(1, 29), RANDOM_OF(channel_counts)};
}

/* ---- functions of elements ---- */

/* The most that a level's activation may be off: 6e-7 of the result, of 1 where the result is the
 * sum of terms of this size, and where the function's argument is rounded first, as much as a
 * rounding of the argument changes the result. */
static double activation_bound(float x, forge_activation activation) {
  const float result = forge_activate_scalar(x, activation);
  double bound = 6e-7 * fabs((double)result) + 1.2e-38;
  const float near[] = {nextafterf(x, INFINITY), nextafterf(x, -INFINITY)};
  for (int i = 0; i < 2 && isfinite(x); i++)
    if (isfinite(near[i]) && isfinite(result))
      bound += 4 * fabs((double)forge_activate_scalar(near[i], activation) - (double)result);
  return isfinite(bound) ? bound : (double)INFINITY;
}

static forge_activation any_activation(void) {
  const forge_activation all[] = {{FORGE_LINEAR, 0, 0},
                                  {FORGE_CLAMP, 0, INFINITY},
                                  {FORGE_CLAMP, -1, 6},
                                  {FORGE_LEAKY_RELU, 0.1f, 0},
                                  {FORGE_ELU, 1, 1},
                                  {FORGE_ELU, 1.7580993f, 1.05070098f},
                                  {FORGE_SIGMOID, 0, 0},
                                  {FORGE_TANH, 0, 0},
                                  {FORGE_HARD_SIGMOID, 0.2f, 0.5f},
                                  {FORGE_HARD_SWISH, 1 / 6.f, 0.5f},
                                  {FORGE_SWISH, 1, 0},
                                  {FORGE_SWISH, 1.7f, 0},
                                  {FORGE_MISH, 0, 0},
                                  {FORGE_GELU, 0, 0},
                                  {FORGE_GELU_TANH, 0, 0},
                                  {FORGE_SOFTPLUS, 0, 0}};
  return RANDOM_OF(all);
}

/* Numbers where functions bend, and others. */
static void fill_bends(float *p, int64_t count) {
  const fill_kind fill = some_fill();
  fill_numbers(p, count, fill);
  if (fill == EVEN || fill == HOSTILE)
    for (int64_t i = 0; i < count; i++) p[i] *= random_below(3) == 0 ? 100 : 8;
}

void check_activation(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, random_below(2));
  const image out = float_image(OUT, s.height, s.width, s.channels, 1, 0);
  forge_activation_arguments a = {in.view, out.view, any_activation()};
  PROBLEM("activation %d of %lldx%lldx%lld", a.activation.kind, (long long)s.height,
          (long long)s.width, (long long)s.channels);
  trial t = {.arguments = &a, .tiles = forge_activation_tiles(&a), .bytes = out.bytes};
  t.bases[IN] = filled_image(&in, some_fill());
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  double *bounds = memory_of(out.bytes * 2, 0);
  for (int64_t c = 0; c < s.channels; c++)
    for (int64_t i = 0; i < s.height * s.width; i++) {
      float *x = &t.bases[IN][place_of(&in.view, i / s.width, i % s.width, c)];
      if (random_below(2)) *x *= 10;
      bounds[place_of(&out.view, i / s.width, i % s.width, c)] = activation_bound(*x, a.activation);
    }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}

void check_activation_plain(void) {
  static const int64_t counts[] = {1, 15, 16, 17, 1023, 1024, 1025, 2049, 3001};
  forge_activation_plain_arguments a = {.in = {.base = IN},
                                        .out = {.base = OUT},
                                        .count = RANDOM_OF(counts),
                                        .activation = any_activation()};
  PROBLEM("activation %d of %lld", a.activation.kind, (long long)a.count);
  trial t = {.arguments = &a, .tiles = forge_activation_plain_tiles(&a), .bytes = 4 * a.count + 4};
  t.bases[IN] = memory_of(4 * a.count, 0);
  fill_bends(t.bases[IN], a.count);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  double *bounds = memory_of(8 * (a.count + 1), 0);
  for (int64_t i = 0; i < a.count; i++) bounds[i] = activation_bound(t.bases[IN][i], a.activation);
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}

void check_affine(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, 1);
  const image out = float_image(OUT, s.height, s.width, s.channels, 1, 0);
  const int64_t padded = forge_blocks(s.channels) * 16;
  float *scale = memory_of(4 * padded, 0), *bias = memory_of(4 * padded, 0);
  const fill_kind fill = some_fill();
  fill_numbers(scale, s.channels, fill == UNEVEN ? UNEVEN : EVEN);
  fill_numbers(bias, s.channels, EVEN);
  const forge_affine_arguments a = {in.view, out.view, scale, bias, gentle_activation()};
  PROBLEM("affine %lldx%lldx%lld, fill %d, activation %d", (long long)s.height, (long long)s.width,
          (long long)s.channels, fill, a.activation.kind);
  trial t = {.arguments = &a, .tiles = forge_affine_tiles(&a), .bytes = out.bytes};
  t.bases[IN] = filled_image(&in, fill);
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  double *bounds = memory_of(out.bytes * 2, 0);
  for (int64_t c = 0; c < s.channels; c++)
    for (int64_t i = 0; i < s.height * s.width; i++) {
      const double x = (double)t.bases[IN][place_of(&in.view, i / s.width, i % s.width, c)];
      const double size = fabs(x * (double)scale[c]) + fabs((double)bias[c]);
      bounds[place_of(&out.view, i / s.width, i % s.width, c)] = 4e-7 * size + 3e-45;
    }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(scale);
  free(bias);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}

/* ---- two images ---- */

static image operand(int32_t base, sizes s) {
  return float_image(base, random_below(4) == 0 ? 1 : s.height, random_below(4) == 0 ? 1 : s.width,
                     random_below(4) == 0 ? 1 : s.channels, 0, random_below(2));
}

void check_binary(void) {
  const sizes s = some_sizes();
  const image a = operand(IN, s), b = operand(OTHER, s);
  const image out = float_image(OUT, s.height, s.width, s.channels, 1, 0);
  const forge_binary_arguments p = {a.view, b.view, out.view, (int32_t)random_below(FORGE_POWER),
                                    gentle_activation()};
  PROBLEM("binary %d of %lldx%lldx%lld", p.operation, (long long)s.height, (long long)s.width,
          (long long)s.channels);
  trial t = {.arguments = &p, .tiles = forge_binary_tiles(&p), .bytes = out.bytes};
  const fill_kind fill = some_fill();
  t.bases[IN] = filled_image(&a, fill);
  t.bases[OTHER] = filled_image(&b, fill);
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  free(try_forms(&t)); /* each operation and gentle activation is rounded once: equal */
  free(t.bases[IN]);
  free(t.bases[OTHER]);
  free(t.bases[OUT]);
}

void check_pooling(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, random_below(2), random_below(2));
  const image out = float_image(OUT, random_from(1, 5), random_from(1, 17), s.channels, 0, 1);
  const bool global = random_below(4) == 0;
  const forge_pooling_arguments a = {
    .in = in.view,
    .out = out.view,
    .kind = (int32_t)random_below(3),
    .kernel_height = global ? (int32_t)s.height : (int32_t)random_from(1, 4),
    .kernel_width = global ? (int32_t)s.width : (int32_t)random_from(1, 4),
    .stride_y = (int32_t)random_from(1, 3),
    .stride_x = (int32_t)random_from(1, 3),
    .dilation_y = (int32_t)random_from(1, 2),
    .dilation_x = (int32_t)random_from(1, 2),
    .pad_top = (int32_t)random_below(3),
    .pad_left = (int32_t)random_below(3),
    .activation = gentle_activation()};
  PROBLEM("pooling %d, %dx%d of %dx%dx%d to %dx%d, stride %d %d, dilation %d %d, pad %d %d", a.kind,
          a.kernel_height, a.kernel_width, a.in.height, a.in.width, a.in.channels, a.out.height,
          a.out.width, a.stride_y, a.stride_x, a.dilation_y, a.dilation_x, a.pad_top, a.pad_left);
  trial t = {.arguments = &a, .tiles = forge_pooling_tiles(&a), .bytes = out.bytes};
  t.bases[IN] = filled_image(&in, some_fill());
  float *absolute = absolute_of(t.bases[IN], in.bytes / 4);
  poison_border(&in, t.bases[IN]);
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  double *bounds = NULL;
  if (a.kind != FORGE_POOL_MAXIMUM) {
    forge_pooling_arguments b = a;
    b.activation = (forge_activation){0};
    trial m = {.arguments = &b, .tiles = t.tiles, .bytes = out.bytes};
    m.bases[IN] = absolute;
    m.bases[OUT] = t.bases[OUT];
    float *magnitudes = run_form(&m, now.scalar);
    bounds = bounds_of_sums(magnitudes, out.bytes / 4, a.kernel_height * a.kernel_width + 1);
    free(magnitudes);
  }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(absolute);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}

/* ---- softmax ---- */

/* Subtracting the largest is exact to a float; the sum of n exponentials is off by root(n). */
static double softmax_bound(float wanted, bool logarithm, int64_t count) {
  if (!isfinite(wanted)) return NAN;
  const double root = sqrt((double)count);
  return logarithm ? 4e-7 * (fabs((double)wanted) + root)
                   : 4e-7 * root * (double)wanted + 1.2e-38 + 1e-6 * (double)wanted;
}

/* Exponents are differences: uneven numbers of up to 2^10. */
static float some_logit(fill_kind fill) {
  switch (fill) {
    case HOSTILE: return random_below(40) == 0 ? hostile_number() : random_number() * 4;
    case UNEVEN: return random_number() * random_scale(10);
    default: return random_number() * 8;
  }
}

void check_softmax(void) {
  const sizes s = some_sizes();
  const image in = float_image(IN, s.height, s.width, s.channels, 0, 1);
  const image out = float_image(OUT, s.height, s.width, s.channels, 1, 0);
  const forge_softmax_arguments a = {in.view, out.view, (int32_t)random_below(2)};
  const fill_kind fill = some_fill();
  PROBLEM("softmax of %lldx%lldx%lld, logarithm %d, fill %d", (long long)s.height,
          (long long)s.width, (long long)s.channels, a.logarithm, fill);
  trial t = {.arguments = &a, .tiles = forge_softmax_tiles(&a), .bytes = out.bytes};
  t.bases[IN] = memory_of(in.bytes, 0);
  for (int64_t c = 0; c < s.channels; c++)
    for (int64_t i = 0; i < s.height * s.width; i++)
      t.bases[IN][place_of(&in.view, i / s.width, i % s.width, c)] = some_logit(fill);
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  float *wanted = run_form(&t, now.scalar);
  double *bounds = memory_of(out.bytes * 2, 0);
  for (int64_t c = 0; c < s.channels; c++)
    for (int64_t i = 0; i < s.height * s.width; i++) {
      const int64_t place = place_of(&out.view, i / s.width, i % s.width, c);
      bounds[place] = softmax_bound(wanted[place], a.logarithm, s.channels);
    }
  t.bounds = bounds;
  free(try_forms(&t));
  free(wanted);
  free(bounds);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}

void check_softmax_plain(void) {
  static const int64_t columns[] = {1, 2, 15, 16, 17, 100, 257, 1001};
  const forge_softmax_plain_arguments a = {.in = {.base = IN},
                                           .out = {.base = OUT},
                                           .rows = random_from(1, 7),
                                           .columns = RANDOM_OF(columns),
                                           .logarithm = (int32_t)random_below(2)};
  const fill_kind fill = some_fill();
  PROBLEM("softmax of %lld rows of %lld, logarithm %d, fill %d", (long long)a.rows,
          (long long)a.columns, a.logarithm, fill);
  const int64_t count = a.rows * a.columns;
  trial t = {.arguments = &a, .tiles = forge_softmax_plain_tiles(&a), .bytes = 4 * count};
  t.bases[IN] = memory_of(4 * count, 0);
  for (int64_t i = 0; i < count; i++) t.bases[IN][i] = some_logit(fill);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  float *wanted = run_form(&t, now.scalar);
  double *bounds = memory_of(8 * count, 0);
  for (int64_t i = 0; i < count; i++) bounds[i] = softmax_bound(wanted[i], a.logarithm, a.columns);
  t.bounds = bounds;
  free(try_forms(&t));
  free(wanted);
  free(bounds);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}
