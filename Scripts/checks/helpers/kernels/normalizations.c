/* Normalizations of rows, pixels and groups.
 *
 * Bound: 1e-6 * ((|x - mean| + 2^-24 |mean|) / divisor * |gamma| + |beta|), and as the mean is a
 * sum of floats, 3e-7 * the mean of |x - mean| / divisor * |gamma|. The scale of a row does not
 * matter. */
#include "check.h"

static fill_kind some_fill(void) { return (fill_kind)random_below(FILLS); }

/* gamma and beta, or NULL. */
typedef struct {
  float *gamma, *beta;
} factors;

static factors some_factors(int64_t channels) {
  if (random_below(3) == 0) return (factors){NULL, NULL};
  const int64_t padded = forge_blocks(channels) * 16;
  const factors f = {memory_of(4 * padded, 0), memory_of(4 * padded, 0)};
  fill_numbers(f.gamma, channels, EVEN);
  fill_numbers(f.beta, channels, EVEN);
  return f;
}

/* The bounds of a row of numbers, the places of which are place(i). */
static void row_bounds(const float *in, const int64_t *places, const int64_t *out_places,
                       int64_t count, int32_t kind, float epsilon, factors f, double *bounds) {
  double mean = 0, squares = 0;
  for (int64_t i = 0; i < count; i++) mean += (double)in[places[i]] / (double)count;
  const double shift = kind == FORGE_NORMALIZE_STANDARD ? mean : 0;
  for (int64_t i = 0; i < count; i++) squares += pow((double)in[places[i]] - shift, 2);
  double divisor = kind == FORGE_NORMALIZE_UNIT ? fmax(sqrt(squares), (double)epsilon)
                                                : sqrt(squares / (double)count + (double)epsilon);
  if (divisor < 1e-38) divisor = 1e-38;
  double deviation = 0;
  for (int64_t i = 0; i < count; i++)
    deviation += fabs((double)in[places[i]] - shift) / (double)count;
  for (int64_t i = 0; i < count; i++) {
    const double size = fabs((double)in[places[i]] - shift) + fabs(shift) * 0x1p-24;
    const double gamma = f.gamma ? fabs((double)f.gamma[i]) : 1;
    const double beta = f.gamma ? fabs((double)f.beta[i]) : 0;
    bounds[out_places[i]] =
      1e-6 * (size / divisor * gamma + beta) + (3e-7 * deviation + 6e-45) / divisor * gamma + 1e-44;
  }
}

static float some_epsilon(void) {
  static const float some[] = {1e-5f, 1e-12f, 1e-3f, 0};
  return RANDOM_OF(some);
}

void check_normalize_rows(void) {
  static const int64_t columns[] = {1, 2, 15, 16, 17, 100, 1025, 2049};
  const int64_t n = RANDOM_OF(columns), rows = random_from(1, 5);
  const factors f = some_factors(n);
  const forge_normalize_rows_arguments a = {.in = {.base = IN},
                                            .out = {.base = OUT},
                                            .rows = rows,
                                            .columns = n,
                                            .gamma = f.gamma,
                                            .beta = f.beta,
                                            .kind = (int32_t)random_below(3),
                                            .epsilon = some_epsilon()};
  const fill_kind fill = some_fill();
  PROBLEM("%lld rows of %lld, kind %d, fill %d, epsilon %g", (long long)rows, (long long)n, a.kind,
          fill, (double)a.epsilon);
  trial t = {.arguments = &a, .tiles = forge_normalize_rows_tiles(&a), .bytes = 4 * rows * n};
  t.bases[IN] = memory_of(t.bytes, 0);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  fill_numbers(t.bases[IN], rows * n, fill);
  double *bounds = memory_of(8 * rows * n, 0);
  int64_t *places = memory_of(8 * n, 0);
  for (int64_t r = 0; r < rows; r++) {
    const float scale = random_below(2) ? 1 : random_scale(60), shift = random_number() * 100;
    for (int64_t i = 0; i < n; i++) {
      places[i] = r * n + i;
      t.bases[IN][r * n + i] = (t.bases[IN][r * n + i] + (fill == EVEN ? shift : 0)) * scale;
    }
    row_bounds(t.bases[IN], places, places, n, a.kind, a.epsilon, f, bounds);
  }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(places);
  free(f.gamma);
  free(f.beta);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}

static const int64_t channel_counts[] = {1, 3, 15, 16, 17, 48, 67};

void check_normalize_pixels(void) {
  const int64_t n = RANDOM_OF(channel_counts), height = random_from(1, 3),
                width = random_from(1, 19);
  const image in = float_image(IN, height, width, n, 0, 1);
  const image out = float_image(OUT, height, width, n, 1, 0);
  const factors f = some_factors(n);
  const forge_normalize_pixels_arguments a = {.in = in.view,
                                              .out = out.view,
                                              .gamma = f.gamma,
                                              .beta = f.beta,
                                              .kind = (int32_t)random_below(3),
                                              .epsilon = some_epsilon()};
  const fill_kind fill = some_fill();
  PROBLEM("%lldx%lldx%lld, kind %d, fill %d, epsilon %g", (long long)height, (long long)width,
          (long long)n, a.kind, fill, (double)a.epsilon);
  trial t = {.arguments = &a, .tiles = forge_normalize_pixels_tiles(&a), .bytes = out.bytes};
  t.bases[IN] = filled_image(&in, fill);
  t.bases[OUT] = memory_of(out.bytes, 0x41);
  double *bounds = memory_of(2 * out.bytes, 0);
  int64_t places[67], out_places[67];
  for (int64_t i = 0; i < height * width; i++) {
    const float scale = random_below(2) ? 1 : random_scale(60), shift = random_number() * 100;
    for (int64_t c = 0; c < n; c++) {
      places[c] = place_of(&in.view, i / width, i % width, c);
      out_places[c] = place_of(&out.view, i / width, i % width, c);
      float *x = &t.bases[IN][places[c]];
      *x = (*x + (fill == EVEN ? shift : 0)) * scale;
    }
    row_bounds(t.bases[IN], places, out_places, n, a.kind, a.epsilon, f, bounds);
  }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(f.gamma);
  free(f.beta);
  free(t.bases[IN]);
  free(t.bases[OUT]);
}

/* ---- groups ---- */

typedef struct {
  image in, out;
  forge_normalize_groups_arguments a;
  factors f;
  fill_kind fill;
  int64_t padded;
} groups_problem;

static groups_problem some_groups(void) {
  groups_problem p = {.fill = some_fill()};
  const int64_t groups = random_from(1, 5), n = groups * random_from(1, 13);
  const int64_t height = random_from(1, 4), width = random_from(1, 70);
  p.in = float_image(IN, height, width, n, 0, 1);
  p.out = float_image(OUT, height, width, n, 1, 0);
  p.f = some_factors(n);
  p.padded = forge_blocks(n) * 16;
  p.a = (forge_normalize_groups_arguments){.in = p.in.view,
                                           .out = p.out.view,
                                           .gamma = p.f.gamma,
                                           .beta = p.f.beta,
                                           .groups = (int32_t)groups,
                                           .epsilon = 1e-5f,
                                           .row_moments = {.base = MORE},
                                           .factors = {.base = RANGE}};
  PROBLEM("%lldx%lldx%lld in %lld groups, fill %d", (long long)height, (long long)width,
          (long long)n, (long long)groups, p.fill);
  return p;
}

static void free_groups(groups_problem *p) {
  free(p->f.gamma);
  free(p->f.beta);
}

void check_normalize_moments(void) {
  groups_problem p = some_groups();
  p.a.row_moments.base = OUT;
  const int64_t rows = forge_normalize_moments_tiles(&p.a);
  trial t = {.arguments = &p.a, .tiles = rows, .bytes = 4 * rows * 48};
  t.bases[IN] = filled_image(&p.in, p.fill);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  double *bounds = memory_of(8 * rows * 48, 0);
  for (int64_t row = 0; row < rows; row++)
    for (int64_t lane = 0; lane < 16; lane++) {
      double sum = 0, size = 0;
      const float *in = t.bases[IN] + p.in.view.offset +
        row / p.in.view.height * p.in.view.block_stride +
        row % p.in.view.height * p.in.view.row_stride + lane;
      const int64_t width = p.in.view.width;
      for (int64_t x = 0; x < width; x++) size = fmax(size, fabs((double)in[16 * x]));
      for (int64_t x = 0; x < width; x++) sum += fabs((double)in[16 * x]);
      /* The mean and its rest are off by a float of the mean magnitude; only their sum counts. */
      const double mean = 4e-7 * sum / sqrt((double)width) + 1e-44;
      bounds[row * 48 + lane] = mean;
      bounds[row * 48 + 16 + lane] = mean;
      bounds[row * 48 + 32 + lane] = 4e-6 * size * size * (double)width + 1e-44;
    }
  t.bounds = bounds;
  float *wanted = run_form(&t, now.scalar);
  /* Where the squares leave single precision, any form may say so. */
  for (int64_t i = 0; i < rows * 48; i++)
    if (i % 48 >= 32 && !(fabs((double)wanted[i]) < 1e37)) bounds[i] = INFINITY;
  free(wanted);
  free(try_forms(&t));
  free(bounds);
  free(t.bases[IN]);
  free(t.bases[OUT]);
  free_groups(&p);
}

void check_normalize_groups(void) {
  groups_problem p = some_groups();
  p.a.factors.base = OUT;
  trial t = {.arguments = &p.a, .tiles = 1, .bytes = 12 * p.padded};
  t.bases[IN] = filled_image(&p.in, p.fill == HOSTILE ? EVEN : p.fill);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  const int64_t rows = forge_normalize_moments_tiles(&p.a);
  t.bases[MORE] = memory_of(4 * rows * 48, 0);
  const forge_frame frame = {.bases = t.bases};
  forge_kernels(FORGE_SCALAR)->normalize_moments(&p.a, &frame, 0, rows);
  float *got = try_forms(&t);
  /* The definition. */
  const forge_view *v = &p.in.view;
  const int64_t members = v->channels / p.a.groups;
  for (int64_t g = 0; g < p.a.groups; g++) {
    double sum = 0, squares = 0;
    const double count = (double)members * v->height * v->width;
    for (int round = 0; round < 2; round++)
      for (int64_t c = g * members; c < (g + 1) * members; c++)
        for (int64_t i = 0; i < (int64_t)v->height * v->width; i++) {
          const double x = (double)t.bases[IN][place_of(v, i / v->width, i % v->width, c)];
          if (round == 0)
            sum += x / count;
          else
            squares += (x - sum) * (x - sum) / count;
        }
    for (int64_t c = g * members; c < (g + 1) * members; c++) {
      const double scale =
        (p.f.gamma ? (double)p.f.gamma[c] : 1) / sqrt(squares + (double)p.a.epsilon);
      now.compared++;
      if (!(fabs((double)got[p.padded + c] - scale) <= 1e-6 * fabs(scale) + 1e-38))
        report("the definition", "scale %g instead of %g", (double)got[p.padded + c], scale);
    }
  }
  free(got);
  free(t.bases[IN]);
  free(t.bases[OUT]);
  free(t.bases[MORE]);
  free_groups(&p);
}

void check_normalize_apply(void) {
  groups_problem p = some_groups();
  trial t = {.arguments = &p.a, .tiles = forge_normalize_apply_tiles(&p.a), .bytes = p.out.bytes};
  t.bases[IN] = filled_image(&p.in, p.fill);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  t.bases[RANGE] = memory_of(12 * p.padded, 0);
  float *f = t.bases[RANGE];
  const forge_view *v = &p.in.view;
  for (int64_t c = 0; c < v->channels; c++)
    for (int i = 0; i < 3; i++) f[i * p.padded + c] = random_number();
  double *bounds = memory_of(2 * p.out.bytes, 0);
  for (int64_t c = 0; c < v->channels; c++)
    for (int64_t i = 0; i < (int64_t)v->height * v->width; i++) {
      const double x = (double)t.bases[IN][place_of(v, i / v->width, i % v->width, c)];
      const double size = fabs((x - (double)f[c]) * (double)f[p.padded + c]);
      bounds[place_of(&p.out.view, i / v->width, i % v->width, c)] =
        4e-7 * (size + fabs((double)f[2 * p.padded + c])) + 1e-44;
    }
  t.bounds = bounds;
  free(try_forms(&t));
  free(bounds);
  free(t.bases[IN]);
  free(t.bases[OUT]);
  free(t.bases[RANGE]);
  free_groups(&p);
}
