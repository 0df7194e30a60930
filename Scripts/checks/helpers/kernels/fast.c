/* Fast convolutions, which have no scalar form: Winograd's and Strassen's, against direct sums.
 *
 * Bounds: Winograd's algorithm is relative to the largest output that the inputs of a tile allow:
 * the direct sum of magnitudes, with each input replaced by the largest around it and each weight
 * by the largest of its window; 1e-5 of that. Strassen's is relative to the norms of a row and of
 * the weights, each divided by its scale: 2e-5 of their product, times the output's scale. What is
 * not finite may reach the tiles that read it in the first, and no other row in the second. */
#include "convolutions.h"

/* The table that a form of the present kernel belongs to. */
#define TABLE_OF(kernel, function_) table_of(offsetof(forge_kernel_table, kernel), function_)
static const forge_kernel_table *table_of(size_t field, forge_kernel function) {
  for (int level = FORGE_BASELINE; level <= FORGE_AVX512; level++) {
    const forge_kernel_table *table = forge_kernels((forge_level)level);
    if (!table) continue;
    forge_kernel kernel;
    memcpy(&kernel, (const char *)table + field, sizeof kernel);
    if (kernel == function) return table;
  }
  abort();
}

/* ---- Winograd ---- */

typedef struct {
  convolution c;
  forge_winograd_arguments a;
  image out;
  float *weights;
  float *wanted;
  double *bounds;
  trial t;
} winograd_problem;

typedef struct {
  int32_t tile_height, kernel_height, tile_width, kernel_width, stride;
} winograd_form;

static winograd_form some_form(bool pooled) {
  for (;;) {
    static const int32_t tiles[] = {1, 2, 3, 4, 5, 6}, kernels[] = {1, 3, 5, 7};
    const winograd_form f = {RANDOM_OF(tiles), RANDOM_OF(kernels), RANDOM_OF(tiles),
                             RANDOM_OF(kernels), random_below(3) == 0 ? 2 : 1};
    if (forge_has_winograd(f.tile_height, f.kernel_height, f.tile_width, f.kernel_width, f.stride,
                           pooled))
      return f;
  }
}

/* The largest magnitude around each pixel, as far as a tile reaches. */
static float *widened_of(const image *i, const float *p, int64_t rows, int64_t columns) {
  float *result = memory_of(i->bytes, 0);
  const forge_view *v = &i->view;
  for (int64_t c = 0; c < v->channels; c++)
    for (int64_t y = -i->border; y < v->height + i->border; y++)
      for (int64_t x = -i->border; x < v->width + i->border; x++) {
        float most = 0;
        for (int64_t r = y - rows; r <= y + rows; r++)
          for (int64_t s = x - columns; s <= x + columns; s++) {
            if (r < 0 || r >= v->height || s < 0 || s >= v->width) continue;
            const float size = fabsf(p[place_of(v, r, s, c)]);
            if (!isfinite(size)) most = INFINITY;
            if (size > most) most = size;
          }
        result[place_of(v, y, x, c)] = most;
      }
  return result;
}

static float extreme(float a, float b) { return a > b || isnan(a) ? a : b; }

static winograd_problem some_winograd(void) {
  const bool pooled = random_below(4) == 0;
  const winograd_form f = some_form(pooled);
  const convolution_limits limits = {.most_inputs = 48,
                                     .most_outputs = 50,
                                     .kernel_height = f.kernel_height,
                                     .kernel_width = f.kernel_width,
                                     .stride = f.stride,
                                     .no_dilation = true};
  winograd_problem p = {.c = convolution_of(&limits)};
  convolution *c = &p.c;
  if (pooled) c->a.epilogue.has_residual = 0;
  const forge_convolution_arguments *d = &c->a;
  const int64_t height = d->out.height, width = d->out.width;
  p.out = pooled ? float_image(OUT, (height + 1) / 2, (width + 1) / 2, c->outputs, 1, 0) : c->out;
  p.a = (forge_winograd_arguments){.in = d->in,
                                   .out = p.out.view,
                                   .bias = d->bias,
                                   .kernel_height = f.kernel_height,
                                   .kernel_width = f.kernel_width,
                                   .tile_height = f.tile_height,
                                   .tile_width = f.tile_width,
                                   .pad_top = d->pad_top,
                                   .pad_left = d->pad_left,
                                   .stride = f.stride,
                                   .height = (int32_t)height,
                                   .width = (int32_t)width,
                                   .panel_width = d->panel_width,
                                   .chunk = (int32_t)random_from(1, 9),
                                   .summed = (int32_t)(16 * random_from(1, 3)),
                                   .pooled = pooled,
                                   .transformed = {.base = SCRATCH},
                                   .products = {.base = MORE},
                                   .epilogue = d->epilogue,
                                   .next = d->next,
                                   .next_floats = d->next_floats};
  const int64_t panels = forge_quotient_up(c->outputs, d->panel_width);
  const int64_t floats = panels *
    forge_winograd_units(f.tile_height, f.kernel_height, f.tile_width, f.kernel_width, f.stride) *
    forge_blocks(c->inputs) * 16 * d->panel_width;
  p.weights = memory_of(4 * floats, 0x41);
  forge_pack_winograd(c->weights, p.weights, c->outputs, c->inputs, f.tile_height, f.kernel_height,
                      f.tile_width, f.kernel_width, f.stride, d->panel_width, 1);
  p.a.weights = p.weights;
  const forge_winograd_layout layout = forge_winograd_layout_of(&p.a);
  char text[96];
  snprintf(text, sizeof text, ", F(%dx%d) stride %d, chunk %d, summed %d, pooled %d", f.tile_height,
           f.tile_width, f.stride, p.a.chunk, p.a.summed, pooled);
  describe_convolution(c, text);

  /* Direct sums, and those of the largest magnitudes. */
  const forge_kernel direct = forge_kernels(FORGE_SCALAR)->convolution;
  trial t = {.arguments = d, .tiles = forge_convolution_tiles(d), .bytes = c->out.bytes};
  memcpy(t.bases, c->bases, sizeof t.bases);
  if (pooled) c->a.epilogue.activation = (forge_activation){0};
  float *sums = run_form(&t, direct);
  forge_convolution_arguments most = *d;
  float *bias = absolute_of(c->bias, c->padded), *largest = memory_of(4 * c->packed_floats, 0);
  float *weights = memory_of(4 * c->outputs * c->taps * c->inputs, 0);
  for (int64_t o = 0; o < c->outputs; o++)
    for (int64_t i = 0; i < c->inputs; i++) {
      float size = 0;
      for (int64_t tap = 0; tap < c->taps; tap++)
        size = fmaxf(size, fabsf(c->weights[(o * c->taps + tap) * c->inputs + i]));
      for (int64_t tap = 0; tap < c->taps; tap++)
        weights[(o * c->taps + tap) * c->inputs + i] = size;
    }
  forge_pack_convolution(weights, largest, c->outputs, c->taps, c->inputs, d->panel_width, 1);
  most.weights = largest;
  most.bias = bias;
  most.epilogue.activation = (forge_activation){0};
  t.arguments = &most;
  t.bases[IN] = widened_of(&c->in, c->bases[IN], f.stride * (f.tile_height + f.kernel_height),
                           f.stride * (f.tile_width + f.kernel_width));
  t.bases[RESIDUAL] = absolute_of(c->bases[RESIDUAL], c->residual.bytes / 4);
  float *sizes = run_form(&t, direct);
  free(t.bases[IN]);
  free(t.bases[RESIDUAL]);
  free(bias);
  free(weights);
  free(largest);

  p.wanted = memory_of(p.out.bytes, 0x41);
  p.bounds = memory_of(2 * p.out.bytes, 0);
  if (!pooled) memcpy(p.wanted, c->bases[OUT], (size_t)p.out.bytes);
  const int64_t step = pooled ? 2 : 1;
  for (int64_t o = 0; o < forge_blocks(c->outputs) * 16; o++)
    for (int64_t y = 0; y < p.out.view.height; y++)
      for (int64_t x = 0; x < p.out.view.width; x++) {
        float best = -INFINITY, size = 0;
        for (int64_t r = y * step; r < forge_smaller(y * step + step, height); r++)
          for (int64_t s = x * step; s < forge_smaller(x * step + step, width); s++) {
            best = extreme(sums[place_of(&c->out.view, r, s, o)], best);
            size = extreme(sizes[place_of(&c->out.view, r, s, o)], size);
          }
        if (pooled && o < c->outputs) best = forge_activate_scalar(best, p.a.epilogue.activation);
        const int64_t place = place_of(&p.out.view, y, x, o);
        p.wanted[place] = best;
        /* NaN: equal, in padded lanes. */
        p.bounds[place] = o >= c->outputs ? NAN
          : isfinite(size)                ? 1e-5 * (double)size + 1e-35
                                          : (double)INFINITY;
      }
  free(sums);
  free(sizes);
  p.t = (trial){.arguments = &p.a, .bytes = p.out.bytes, .bounds = p.bounds};
  memcpy(p.t.bases, c->bases, sizeof p.t.bases);
  poison_border(&c->in, p.t.bases[IN]);
  p.t.bases[OUT] = memory_of(p.out.bytes, 0x41);
  p.t.bases[SCRATCH] = memory_of(4 * layout.transformed_floats * layout.chunks, 0x41);
  p.t.bases[MORE] = memory_of(4 * layout.products_floats, 0x41);
  return p;
}

static void free_winograd(winograd_problem *p) {
  free(p->weights);
  free(p->wanted);
  free(p->bounds);
  free(p->t.bases[OUT]);
  free(p->t.bases[SCRATCH]);
  free(p->t.bases[MORE]);
  free_convolution(&p->c);
}

void check_winograd(void) {
  winograd_problem p = some_winograd();
  p.t.arguments = &p.a;
  p.t.tiles = forge_winograd_tiles(&p.a);
  try_against(&p.t, p.wanted);
  free_winograd(&p);
}

/* The convolution in two steps is bit-identical to that in one. */
static void check_steps(size_t field) {
  winograd_problem p = some_winograd();
  for (int f = 0; f < now.count; f++) {
    const forge_kernel_table *table = table_of(field, now.forms[f].function);
    trial t = p.t;
    t.arguments = &p.a;
    t.tiles = forge_winograd_tiles(&p.a);
    float *whole = run_form(&t, table->winograd);
    t.tiles = forge_winograd_input_tiles(&p.a);
    memset(t.bases[SCRATCH], 0x41, 64);
    free(run_form(&t, table->winograd_input));
    t.tiles = forge_winograd_output_tiles(&p.a);
    float *parts = run_form(&t, table->winograd_output);
    compare(&t, now.forms[f].name, p.wanted, parts);
    t.bounds = NULL;
    compare(&t, now.forms[f].name, whole, parts);
    now.forms[f].tried++;
    free(whole);
    free(parts);
  }
  free_winograd(&p);
}

void check_winograd_input(void) { check_steps(offsetof(forge_kernel_table, winograd_input)); }
void check_winograd_output(void) { check_steps(offsetof(forge_kernel_table, winograd_output)); }

/* ---- rows of like norms ---- */

typedef struct {
  image in, out;
  float *scales;
  forge_even_rows_arguments a;
  float *bases[BASES];
  int64_t rows;
} rows_problem;

static rows_problem some_rows(void) {
  rows_problem p = {0};
  const fill_kind fill = (fill_kind)random_below(FILLS);
  const int64_t height = random_from(1, 3), width = random_from(1, 40);
  const int64_t channels = 16 * random_from(1, 5);
  p.rows = height * width;
  p.in = float_image(IN, height, width, channels, 0, 0);
  p.out = float_image(OUT, height, width, channels, 0, 0);
  p.bases[IN] = filled_image(&p.in, fill);
  p.scales = memory_of(4 * channels, 0);
  for (int64_t c = 0; c < channels; c++) p.scales[c] = random_below(9) ? random_scale(8) : 0;
  const bool evens = random_below(4) == 0;
  for (int64_t row = 0; row < p.rows; row++) {
    const float scale = evens ? 1 : random_below(9) == 0 ? 0 : random_scale(40);
    for (int64_t c = 0; c < channels; c++)
      p.bases[IN][c / 16 * p.in.view.block_stride + row * 16 + c % 16] *= scale;
  }
  p.a = (forge_even_rows_arguments){
    p.in.view, p.out.view, {.base = RANGE}, random_below(2) ? p.scales : NULL};
  p.bases[OUT] = memory_of(p.out.bytes, 0x41);
  p.bases[RANGE] = memory_of(4 * p.rows, 0x41);
  PROBLEM("%lld rows of %lld, scaled %d, fill %d", (long long)p.rows, (long long)channels,
          p.a.input_scales != NULL, fill);
  return p;
}

static void free_rows(rows_problem *p) {
  free(p->scales);
  for (int i = 0; i < BASES; i++) free(p->bases[i]);
}

/* A factor is a power of two, and the norm over it between 2^-1/2 and 2^1/2. */
static bool is_factor(const rows_problem *p, int64_t row, float factor) {
  double sum = 0;
  for (int64_t c = 0; c < p->in.view.channels; c++) {
    const double x = (double)p->bases[IN][c / 16 * p->in.view.block_stride + row * 16 + c % 16] *
      (p->a.input_scales ? (double)p->scales[c] : 1);
    sum += x * x;
  }
  if (!isfinite(sum)) return factor == FORGE_NOT_FINITE;
  if (sum == 0) return factor == 0;
  int exponent;
  if (!(factor > 0) || frexpf(factor, &exponent) != 0.5f) return false;
  const double norm = sqrt(sum) / (double)factor;
  if (factor == 0x1p-126f || factor == 0x1p126f) return true;
  return norm > 0.7071 * 0.9999 && norm < 1.4143;
}

void check_row_factors(void) {
  rows_problem p = some_rows();
  p.a.factors.base = OUT;
  trial t = {.arguments = &p.a, .tiles = forge_row_factors_tiles(&p.a), .bytes = 4 * p.rows};
  memcpy(t.bases, p.bases, sizeof t.bases);
  for (int f = 0; f < now.count; f++) {
    float *factors = run_form(&t, now.forms[f].function);
    for (int64_t row = 0; row < p.rows; row++)
      if (!is_factor(&p, row, factors[row]))
        report(now.forms[f].name, "row %lld has the factor %g", (long long)row,
               (double)factors[row]);
    now.compared += p.rows;
    now.forms[f].tried++;
    free(factors);
  }
  free_rows(&p);
}

void check_even_rows(void) {
  rows_problem p = some_rows();
  for (int f = 0; f < now.count; f++) {
    const forge_kernel_table *table =
      table_of(offsetof(forge_kernel_table, even_rows), now.forms[f].function);
    forge_even_rows_arguments first = p.a;
    first.factors.base = OUT;
    trial t = {.arguments = &first, .tiles = forge_row_factors_tiles(&p.a), .bytes = 4 * p.rows};
    memcpy(t.bases, p.bases, sizeof t.bases);
    free(t.bases[RANGE]);
    p.bases[RANGE] = t.bases[RANGE] = run_form(&t, table->row_factors);
    const float *factors = t.bases[RANGE];
    t.arguments = &p.a;
    t.bytes = p.out.bytes;
    const forge_frame frame = {.bases = p.bases};
    const bool even = forge_rows_are_even(&p.a.factors, &frame, p.rows);
    float *wanted = copy_of(p.bases[OUT], p.out.bytes);
    for (int64_t c = 0; c < p.in.view.channels && !(even && !p.a.input_scales); c++)
      for (int64_t row = 0; row < p.rows; row++) {
        const int64_t place = c / 16 * p.in.view.block_stride + row * 16 + c % 16;
        const float scale = p.a.input_scales ? p.scales[c] : 1;
        wanted[place] = factors[row] > 0
          ? (float)((double)p.bases[IN][place] * (double)scale / (double)factors[row])
          : 0;
      }
    double *bounds = memory_of(2 * p.out.bytes, 0);
    for (int64_t c = 0; c < p.in.view.channels; c++) /* rounded twice, first without the scale */
      for (int64_t row = 0; row < p.rows; row++)
        bounds[c / 16 * p.in.view.block_stride + row * 16 + c % 16] =
          0x1p-148 * fmax(1, p.a.input_scales ? (double)p.scales[c] : 1);
    t.bounds = bounds;
    float *got = run_form(&t, now.forms[f].function);
    compare(&t, now.forms[f].name, wanted, got);
    now.forms[f].tried++;
    free(got);
    free(bounds);
    free(wanted);
  }
  free_rows(&p);
}

/* ---- Strassen ---- */

static void check_product(size_t field, bool shares) {
  const int32_t levels = (int32_t)random_from(1, 2);
  const convolution_limits limits = {.most_inputs = 192,
                                     .most_outputs = 192,
                                     .channel_multiple = 16 << levels,
                                     .kernel_height = 1,
                                     .kernel_width = 1,
                                     .stride = 1,
                                     .no_dilation = true};
  convolution c = convolution_of(&limits);
  const int64_t inputs = c.inputs, outputs = c.outputs;
  const int64_t rows = (int64_t)c.a.out.height * c.a.out.width;
  /* No gaps between rows. */
  const image in = float_image(IN, c.a.out.height, c.a.out.width, inputs, 0, 0);
  const image even = float_image(OTHER, c.a.out.height, c.a.out.width, inputs, 0, 0);
  image out = float_image(OUT, c.a.out.height, c.a.out.width, outputs, 0, 0);
  const image residual = float_image(RESIDUAL, c.a.out.height, c.a.out.width, outputs, 0, 0);
  float *scales = memory_of(4 * (inputs + outputs), 0);
  for (int64_t i = 0; i < inputs + outputs; i++) scales[i] = 1;
  const bool scaled = c.fill == UNEVEN || random_below(2);
  if (scaled) forge_balance(c.weights, outputs, inputs, scales, scales + inputs, 1);
  forge_strassen_arguments a = {.in = even.view,
                                .uneven = in.view,
                                .out = out.view,
                                .factors = {.base = RANGE},
                                .bias = c.bias,
                                .input_scales = scaled ? scales : NULL,
                                .output_scales = scaled ? scales + inputs : NULL,
                                .panel_width = c.a.panel_width,
                                .segments = c.a.segments,
                                .levels = levels,
                                .shares_sums = shares,
                                .sums = {.base = MORE},
                                .scratch = {.base = SCRATCH},
                                .epilogue = c.a.epilogue,
                                .next = c.a.next,
                                .next_floats = c.a.next_floats};
  a.epilogue.residual = residual.view;
  const int64_t panels = forge_strassen_panels(&a);
  float *weights = memory_of(
    4 * panels * forge_strassen_products(levels) * (inputs >> levels) * a.panel_width, 0x41);
  forge_pack_strassen(c.weights, weights, outputs, inputs, inputs, a.panel_width, levels,
                      a.input_scales, a.output_scales, 1);
  a.weights = weights;
  a.scratch_worker = forge_strassen_scratch_floats(&a);
  char text[64];
  snprintf(text, sizeof text, ", Strassen %d, scaled %d, shared %d", levels, scaled, shares);
  describe_convolution(&c, text);

  float *bases[BASES] = {0};
  bases[IN] = filled_image(&in, c.fill);
  for (int64_t row = 0; row < rows; row++) {
    const float scale = random_below(2) ? 1 : random_scale(40);
    for (int64_t i = 0; i < inputs; i++)
      bases[IN][i / 16 * in.view.block_stride + row * 16 + i % 16] *= scale;
  }
  bases[OTHER] = memory_of(even.bytes, 0x41);
  bases[RESIDUAL] = filled_image(&residual, EVEN);
  bases[OUT] = memory_of(out.bytes, 0x41);
  bases[RANGE] = memory_of(4 * rows, 0x41);
  bases[MORE] = memory_of(4 * forge_strassen_sums_floats(&a), 0x41);
  bases[SCRATCH] = memory_of(4 * a.scratch_worker, 0x41);

  /* Direct sums. */
  forge_convolution_arguments d = c.a;
  d.in = in.view;
  d.out = out.view;
  d.epilogue = a.epilogue;
  d.pad_top = d.pad_left = 0;
  trial t = {.arguments = &d, .tiles = forge_convolution_tiles(&d), .bytes = out.bytes};
  memcpy(t.bases, bases, sizeof t.bases);
  float *wanted = run_form(&t, forge_kernels(FORGE_SCALAR)->convolution);
  double most = 0; /* the norm of an output's scaled weights */
  for (int64_t o = 0; o < outputs; o++) {
    double sum = 0;
    for (int64_t i = 0; i < inputs; i++) {
      const double scale = (double)scales[i] * (double)scales[inputs + o];
      if (scale > 0) sum += pow((double)c.weights[o * inputs + i] / scale, 2);
    }
    most = fmax(most, sqrt(sum));
  }
  double *bounds = memory_of(2 * out.bytes, 0);
  for (int64_t row = 0; row < rows; row++) {
    double sum = 0;
    for (int64_t i = 0; i < inputs; i++)
      sum += pow((double)bases[IN][i / 16 * in.view.block_stride + row * 16 + i % 16] *
                   (double)scales[i],
                 2);
    for (int64_t o = 0; o < outputs; o++) {
      const int64_t place = o / 16 * out.view.block_stride + row * 16 + o % 16;
      const double more = fabs((double)c.bias[o]) +
        (a.epilogue.has_residual ? fabs((double)bases[RESIDUAL][place]) : 0);
      bounds[place] = sqrt(sum) * most > 1e34 && isfinite(sum) ? (double)INFINITY /* overflow */
        : isfinite(sum) ? 2e-5 * sqrt(sum) * most * (double)scales[inputs + o] + 1e-6 * more + 1e-36
                        : NAN;
    }
  }
  for (int f = 0; f < now.count; f++) {
    const forge_kernel_table *table = table_of(field, now.forms[f].function);
    const forge_even_rows_arguments e = {in.view, even.view, {.base = RANGE}, a.input_scales};
    const forge_frame frame = {.bases = bases};
    table->row_factors(&e, &frame, 0, forge_row_factors_tiles(&e));
    table->even_rows(&e, &frame, 0, forge_even_rows_tiles(&e));
    t.arguments = &a;
    t.bounds = bounds;
    if (shares) table->strassen_sums(&a, &frame, 0, forge_strassen_sums_tiles(&a));
    t.tiles = forge_strassen_tiles(&a);
    float *got = run_form(&t, table->strassen);
    /* Rows that are not finite are computed directly, with weights that are made from packed ones:
     * a weight of 0 may be tiny, and its product with an infinity another one instead of NaN. */
    for (int64_t i = 0; i < out.bytes / 4; i++)
      if (isnan(bounds[i]))
        bounds[i] = isfinite(wanted[i]) ? 1e-4 * fabs((double)wanted[i]) : (double)INFINITY;
    compare(&t, now.forms[f].name, wanted, got);
    now.forms[f].tried++;
    free(got);
  }
  free(wanted);
  free(bounds);
  free(weights);
  free(scales);
  for (int i = 0; i < BASES; i++) free(bases[i]);
  free_convolution(&c);
}

void check_strassen(void) { check_product(offsetof(forge_kernel_table, strassen), false); }
void check_strassen_sums(void) { check_product(offsetof(forge_kernel_table, strassen_sums), true); }
