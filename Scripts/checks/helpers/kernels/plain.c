/* Kernels on plain tensors: functions of elements, walks, products, gathers. */
#include "check.h"

static fill_kind some_fill(void) { return (fill_kind)random_below(FILLS); }

static float *some_numbers(int64_t count, fill_kind fill) {
  float *p = memory_of(4 * count, 0);
  fill_numbers(p, count, fill);
  return p;
}

static void free_bases(trial *t) {
  for (int i = 0; i < BASES; i++) free(t->bases[i]);
}

/* Tries a trial and frees its memory. */
static void finish(trial *t) {
  if (!t->bases[OUT]) t->bases[OUT] = memory_of(t->bytes, 0x41);
  free(try_forms(t));
  free_bases(t);
}

/* ---- functions of elements ---- */

/* Whether a function has one rounding, so that all forms are equal. */
static bool is_exact(int32_t function) {
  switch (function) {
    case FORGE_UNARY_EXPONENTIAL:
    case FORGE_UNARY_ERROR_FUNCTION:
    case FORGE_UNARY_SCALED_ELU:
    case FORGE_UNARY_SWISH:
    case FORGE_UNARY_SCALED_TANH:
    case FORGE_UNARY_PARAMETRIC_SOFTPLUS: return false;
    default: return true;
  }
}

void check_unary_plain(void) {
  static const int64_t counts[] = {1, 15, 17, 1023, 1025, 2049};
  forge_unary_plain_arguments a = {.in = {.base = IN},
                                   .out = {.base = OUT},
                                   .count = RANDOM_OF(counts),
                                   .function =
                                     (int32_t)random_below(FORGE_UNARY_PARAMETRIC_SOFTPLUS + 1),
                                   .a = 1.25f,
                                   .b = 0.75f};
  const fill_kind fill = some_fill();
  PROBLEM("function %d of %lld, fill %d", a.function, (long long)a.count, fill);
  trial t = {.arguments = &a, .tiles = forge_unary_plain_tiles(&a), .bytes = 4 * a.count};
  t.bases[IN] = some_numbers(a.count, fill);
  for (int64_t i = 0; i < a.count; i++)
    if (random_below(2)) t.bases[IN][i] *= 16;
  double *bounds = NULL;
  if (!is_exact(a.function)) {
    t.bases[OUT] = memory_of(t.bytes, 0);
    float *wanted = run_form(&t, now.scalar);
    bounds = memory_of(8 * a.count, 0);
    /* A rounded argument a * x changes an exponential by 6e-8 a |x|. */
    for (int64_t i = 0; i < a.count; i++)
      bounds[i] =
        (6e-7 + 2e-7 * fmin(fabs((double)t.bases[IN][i]), 120)) * fabs((double)wanted[i]) + 1e-36;
    free(wanted);
  }
  t.bounds = bounds;
  finish(&t);
  free(bounds);
}

/* ---- walks over several tensors ---- */

typedef struct {
  int32_t rank;
  int64_t sizes[FORGE_MAX_RANK], count;
} tensor;

static tensor some_tensor(void) {
  tensor t = {.rank = (int32_t)random_from(0, 4), .count = 1};
  for (int32_t d = 0; d < t.rank; d++) {
    t.sizes[d] = d == t.rank - 1 ? random_from(1, 37) : random_from(1, 5);
    t.count *= t.sizes[d];
  }
  PROBLEM("rank %d: %lld %lld %lld %lld", t.rank, (long long)t.sizes[0], (long long)t.sizes[1],
          (long long)t.sizes[2], (long long)t.sizes[3]);
  return t;
}

/* The strides of a tensor, some of which repeat. Returns its numbers. */
static int64_t some_strides(const tensor *t, int64_t *strides) {
  int64_t count = 1;
  for (int32_t d = t->rank - 1; d >= 0; d--) {
    const bool repeats = random_below(3) == 0;
    strides[d] = repeats ? 0 : count;
    if (!repeats) count *= t->sizes[d];
  }
  if (t->rank >= 2 && random_below(4) == 0 && strides[0] && strides[1]) { /* transposed */
    const int64_t inner = strides[1];
    strides[0] = inner;
    strides[1] = inner * t->sizes[0];
  }
  return count;
}

static void check_two(int32_t operation, forge_activation activation) {
  const tensor s = some_tensor();
  forge_binary_plain_arguments a = {.a = {.base = IN},
                                    .b = {.base = OTHER},
                                    .out = {.base = OUT},
                                    .rank = s.rank,
                                    .operation = operation,
                                    .activation = activation};
  memcpy(a.sizes, s.sizes, sizeof a.sizes);
  const fill_kind fill = some_fill();
  trial t = {.arguments = &a, .bytes = 4 * s.count};
  t.bases[IN] = some_numbers(some_strides(&s, a.a_strides), fill);
  t.bases[OTHER] = some_numbers(some_strides(&s, a.b_strides), fill);
  t.tiles = forge_binary_plain_tiles(&a);
  finish(&t);
}

void check_binary_plain(void) {
  check_two((int32_t)random_below(FORGE_POWER), gentle_activation());
}

void check_combine_plain(void) {
  check_two((int32_t)random_from(FORGE_POWER, FORGE_REMAINDER_OF_DIVISOR), (forge_activation){0});
}

void check_select(void) {
  const tensor s = some_tensor();
  forge_select_arguments a = {.condition = {.base = IN},
                              .yes = {.base = OTHER},
                              .no = {.base = MORE},
                              .out = {.base = OUT},
                              .rank = s.rank};
  memcpy(a.sizes, s.sizes, sizeof a.sizes);
  trial t = {.arguments = &a, .bytes = 4 * s.count};
  const int64_t conditions = some_strides(&s, a.condition_strides);
  t.bases[IN] = some_numbers(conditions, EVEN);
  for (int64_t i = 0; i < conditions; i++)
    if (random_below(2)) t.bases[IN][i] = 0;
  t.bases[OTHER] = some_numbers(some_strides(&s, a.yes_strides), HOSTILE);
  t.bases[MORE] = some_numbers(some_strides(&s, a.no_strides), HOSTILE);
  t.tiles = forge_select_tiles(&a);
  finish(&t);
}

void check_copy_plain(void) {
  const tensor s = some_tensor();
  forge_copy_plain_arguments a = {.in = {.base = IN}, .out = {.base = OUT}, .rank = s.rank};
  memcpy(a.sizes, s.sizes, sizeof a.sizes);
  trial t = {.arguments = &a, .bytes = 4 * s.count};
  t.bases[IN] = some_numbers(some_strides(&s, a.in_strides), HOSTILE);
  int64_t stride = 1;
  for (int32_t d = s.rank - 1; d >= 0; stride *= s.sizes[d--]) a.out_strides[d] = stride;
  t.tiles = forge_copy_plain_tiles(&a);
  t.comparison = AS_WORDS;
  finish(&t);
}

/* ---- rows ---- */

static const int64_t column_counts[] = {1, 2, 7, 16, 17, 100, 257};

void check_reduce_rows(void) {
  const forge_reduce_rows_arguments a = {.in = {.base = IN},
                                         .out = {.base = OUT},
                                         .rows = random_from(1, 7),
                                         .columns = RANDOM_OF(column_counts),
                                         .kind =
                                           (int32_t)random_below(FORGE_REDUCE_LOG_SUM_EXP + 1)};
  PROBLEM("reduction %d of %lld rows of %lld", a.kind, (long long)a.rows, (long long)a.columns);
  trial t = {.arguments = &a, .tiles = a.rows, .bytes = 4 * a.rows};
  t.bases[IN] = some_numbers(a.rows * a.columns, some_fill());
  finish(&t);
}

void check_argument_rows(void) {
  const forge_argument_rows_arguments a = {{.base = IN},
                                           {.base = OUT},
                                           random_from(1, 7),
                                           RANDOM_OF(column_counts),
                                           (int32_t)random_below(2),
                                           (int32_t)random_below(2)};
  PROBLEM("%lld rows of %lld", (long long)a.rows, (long long)a.columns);
  trial t = {.arguments = &a, .tiles = a.rows, .bytes = 4 * a.rows};
  t.bases[IN] = some_numbers(a.rows * a.columns, some_fill());
  finish(&t);
}

void check_top_rows(void) {
  forge_top_rows_arguments a = {.in = {.base = IN},
                                .out = {.base = OUT},
                                .scratch = {.base = SCRATCH},
                                .rows = random_from(1, 7),
                                .columns = RANDOM_OF(column_counts),
                                .smallest = (int32_t)random_below(2),
                                .places = (int32_t)random_below(2)};
  a.count = random_from(1, a.columns);
  PROBLEM("%lld of %lld rows of %lld", (long long)a.count, (long long)a.rows, (long long)a.columns);
  trial t = {.arguments = &a, .tiles = a.rows, .bytes = 4 * a.rows * a.count};
  t.bases[IN] = some_numbers(a.rows * a.columns, some_fill());
  t.bases[SCRATCH] = memory_of(4 * a.rows * a.columns, 0x41);
  finish(&t);
}

void check_cumulative_sum(void) {
  const forge_cumulative_sum_arguments a = {{.base = IN},
                                            {.base = OUT},
                                            random_from(1, 7),
                                            RANDOM_OF(column_counts),
                                            (int32_t)random_below(2),
                                            (int32_t)random_below(2)};
  PROBLEM("%lld rows of %lld", (long long)a.rows, (long long)a.columns);
  trial t = {.arguments = &a, .tiles = a.rows, .bytes = 4 * a.rows * a.columns};
  t.bases[IN] = some_numbers(a.rows * a.columns, some_fill());
  finish(&t);
}

void check_local_response(void) {
  const forge_local_response_arguments a = {{.base = IN},
                                            {.base = OUT},
                                            random_from(1, 7),
                                            RANDOM_OF(column_counts),
                                            random_below(4),
                                            random_below(4),
                                            1e-2f,
                                            0.75f,
                                            1};
  PROBLEM("%lld rows of %lld", (long long)a.rows, (long long)a.columns);
  trial t = {.arguments = &a, .tiles = a.rows, .bytes = 4 * a.rows * a.columns};
  t.bases[IN] = some_numbers(a.rows * a.columns, some_fill());
  finish(&t);
}

/* ---- gathers ---- */

void check_gather_plain(void) {
  forge_gather_plain_arguments a = {.in = {.base = IN},
                                    .out = {.base = OUT},
                                    .outer = random_from(1, 5),
                                    .size = random_from(1, 9),
                                    .count = random_from(1, 11),
                                    .inner = random_from(1, 7),
                                    .value = -3};
  PROBLEM("gather %lld x %lld x %lld", (long long)a.outer, (long long)a.size, (long long)a.inner);
  int32_t indices[11];
  for (int i = 0; i < 11; i++) indices[i] = (int32_t)random_from(-1, a.size - 1);
  a.indices = indices;
  trial t = {.arguments = &a, .tiles = a.outer, .bytes = 4 * a.outer * a.count * a.inner};
  t.bases[IN] = some_numbers(a.outer * a.size * a.inner, HOSTILE);
  finish(&t);
}

/* Positions, some of which are outside. */
static float *some_positions(int64_t count, int64_t size) {
  float *p = memory_of(4 * count, 0);
  for (int64_t i = 0; i < count; i++)
    p[i] = random_below(20) == 0 ? hostile_number() : (float)random_from(-size, size);
  return p;
}

void check_gather_rows(void) {
  const forge_gather_rows_arguments a = {.in = {.base = IN},
                                         .positions = {.base = OTHER},
                                         .out = {.base = OUT},
                                         .outer = random_from(1, 5),
                                         .size = random_from(1, 9),
                                         .count = random_from(1, 11),
                                         .inner = random_from(1, 7),
                                         .fault_source = (int32_t)random_below(2),
                                         .from_end = (int32_t)random_below(2)};
  PROBLEM("gather %lld x %lld x %lld", (long long)a.outer, (long long)a.size, (long long)a.inner);
  trial t = {.arguments = &a, .tiles = a.outer, .bytes = 4 * a.outer * a.count * a.inner};
  t.bases[IN] = some_numbers(a.outer * a.size * a.inner, HOSTILE);
  t.bases[OTHER] = some_positions(a.count, a.size);
  finish(&t);
}

void check_gather_elements(void) {
  const tensor s = some_tensor();
  if (s.rank == 0) return;
  forge_gather_elements_arguments a = {.in = {.base = IN},
                                       .positions = {.base = OTHER},
                                       .out = {.base = OUT},
                                       .rank = s.rank,
                                       .axis = (int32_t)random_below(s.rank)};
  int64_t count = 1;
  for (int32_t d = 0; d < s.rank; d++) {
    a.in_sizes[d] = s.sizes[d];
    a.out_sizes[d] = d == a.axis ? random_from(1, 9) : random_from(1, s.sizes[d]);
    count *= a.out_sizes[d];
  }
  trial t = {.arguments = &a, .tiles = forge_gather_elements_tiles(&a), .bytes = 4 * count};
  t.bases[IN] = some_numbers(s.count, HOSTILE);
  t.bases[OTHER] = some_positions(count, s.sizes[a.axis]);
  finish(&t);
}

void check_scatter(void) {
  const tensor s = some_tensor();
  if (s.rank < 2) return;
  forge_scatter_arguments a = {.in = {.base = IN},
                               .positions = {.base = OTHER},
                               .updates = {.base = SCRATCH},
                               .out = {.base = OUT},
                               .rank = s.rank,
                               .axis = (int32_t)random_below(s.rank),
                               .combination = (int32_t)random_below(5),
                               .share = random_from(1, 5)};
  a.split = (a.axis + (int32_t)random_from(1, s.rank - 1)) % s.rank;
  int64_t count = 1, positions = 1;
  for (int32_t d = s.rank - 1; d >= 0; d--) {
    a.sizes[d] = s.sizes[d];
    a.counts[d] = d == a.axis ? random_from(1, 9) : random_from(1, s.sizes[d]);
    count *= a.counts[d];
    if (random_below(3)) {
      a.position_strides[d] = positions;
      positions *= a.counts[d];
    }
  }
  PROBLEM("scatter of rank %d along %d, split %d", s.rank, a.axis, a.split);
  trial t = {.arguments = &a, .tiles = forge_scatter_tiles(&a), .bytes = 4 * s.count};
  t.bases[IN] = some_numbers(s.count, HOSTILE);
  t.bases[OTHER] = some_positions(positions, s.sizes[a.axis]);
  t.bases[SCRATCH] = some_numbers(count, HOSTILE);
  finish(&t);
}

/* ---- products of matrices ---- */

void check_matrix_product(void) {
  static const int64_t rows[] = {1, 2, 7, 13, 83, 84, 85}, columns[] = {1, 15, 17, 67, 191, 193};
  static const int64_t inner[] = {1, 3, 16, 37, 127, 129};
  forge_matrix_product_arguments a = {.left = {.base = IN},
                                      .right = {.base = OTHER},
                                      .out = {.base = OUT},
                                      .batch_rank = (int32_t)random_below(3),
                                      .rows = RANDOM_OF(rows),
                                      .inner = RANDOM_OF(inner),
                                      .columns = RANDOM_OF(columns)};
  const fill_kind fill = some_fill();
  const int64_t left = a.rows * a.inner, right = a.inner * a.columns;
  int64_t batches = 1, lefts = left, rights = right;
  for (int32_t d = a.batch_rank - 1; d >= 0; d--) {
    a.batch_sizes[d] = random_from(1, 2);
    batches *= a.batch_sizes[d];
    if (random_below(2)) a.left_strides[d] = lefts, lefts *= a.batch_sizes[d];
    if (random_below(2)) a.right_strides[d] = rights, rights *= a.batch_sizes[d];
  }
  PROBLEM("%lld of %lld x %lld x %lld, fill %d", (long long)batches, (long long)a.rows,
          (long long)a.inner, (long long)a.columns, fill);
  const int64_t count = batches * a.rows * a.columns;
  trial t = {.arguments = &a, .tiles = forge_matrix_product_tiles(&a), .bytes = 4 * count};
  t.bases[IN] = some_numbers(lefts, fill);
  t.bases[OTHER] = some_numbers(rights, fill == UNEVEN ? UNEVEN : EVEN);
  t.bases[OUT] = memory_of(t.bytes, 0x41);
  trial m = t;
  m.bases[IN] = absolute_of(t.bases[IN], lefts);
  m.bases[OTHER] = absolute_of(t.bases[OTHER], rights);
  float *magnitudes = run_form(&m, now.scalar);
  free(m.bases[IN]);
  free(m.bases[OTHER]);
  double *bounds = bounds_of_sums(magnitudes, count, (double)a.inner);
  t.bounds = bounds;
  finish(&t);
  free(magnitudes);
  free(bounds);
}

/* ---- windows, samples, boxes, trees: machines must agree; Swift tests define them ---- */

void check_pooling_nd(void) {
  forge_pooling_nd_arguments a = {.in = {.base = IN},
                                  .out = {.base = OUT},
                                  .rank = (int32_t)random_from(1, 3),
                                  .kind = (int32_t)random_below(5),
                                  .p = (int32_t)random_from(1, 2),
                                  .channels = random_from(1, 19)};
  int64_t in = a.channels, out = a.channels;
  for (int32_t d = 0; d < a.rank; d++) {
    a.in_sizes[d] = random_from(1, 7);
    a.kernel[d] = random_from(1, 3);
    a.strides[d] = random_from(1, 2);
    a.dilations[d] = random_from(1, 2);
    a.before[d] = random_below(2);
    a.after[d] = 3;
    const int64_t room = a.in_sizes[d] + a.before[d] + 3 - (a.kernel[d] - 1) * a.dilations[d] - 1;
    a.out_sizes[d] = forge_larger(room, 0) / a.strides[d] + 1;
    in *= a.in_sizes[d];
    out *= a.out_sizes[d];
  }
  PROBLEM("pooling %d of rank %d", a.kind, a.rank);
  trial t = {.arguments = &a, .tiles = forge_pooling_nd_tiles(&a), .bytes = 4 * out};
  t.bases[IN] = some_numbers(in, some_fill());
  finish(&t);
}

void check_resample(void) {
  forge_resample_arguments a = {.in = {.base = IN},
                                .out = {.base = OUT},
                                .outer = random_from(1, 4),
                                .in_size = random_from(1, 9),
                                .out_size = random_from(1, 9),
                                .inner = random_from(1, 17)};
  int32_t firsts[9], counts[9];
  int64_t offsets[9];
  float weights[27];
  for (int i = 0; i < 27; i++) weights[i] = random_number();
  for (int i = 0; i < 9; i++) {
    firsts[i] = (int32_t)random_below(a.in_size);
    counts[i] = (int32_t)forge_smaller(random_from(0, 3), a.in_size - firsts[i]);
    offsets[i] = 3 * i;
  }
  a.firsts = firsts;
  a.counts = counts;
  a.offsets = offsets;
  a.weights = weights;
  PROBLEM("%lld x %lld x %lld to %lld", (long long)a.outer, (long long)a.in_size,
          (long long)a.inner, (long long)a.out_size);
  trial t = {.arguments = &a,
             .tiles = forge_resample_tiles(&a),
             .bytes = 4 * a.outer * a.out_size * a.inner};
  t.bases[IN] = some_numbers(a.outer * a.in_size * a.inner, some_fill());
  finish(&t);
}

void check_suppress(void) {
  const forge_suppress_arguments a = {.boxes = {.base = IN},
                                      .scores = {.base = OTHER},
                                      .out = {.base = OUT},
                                      .scratch = {.base = SCRATCH},
                                      .images = random_from(1, 2),
                                      .count = random_from(1, 23),
                                      .classes = random_from(1, 3),
                                      .most = random_from(1, 9),
                                      .iou_threshold = 0.3f,
                                      .score_threshold = -0.5f,
                                      .centered = (int32_t)random_below(2)};
  PROBLEM("%lld boxes", (long long)a.count);
  trial t = {.arguments = &a,
             .tiles = 1,
             .bytes = 12 * a.images * a.classes * forge_smaller(a.most, a.count)};
  t.bases[IN] = some_numbers(a.images * a.count * 4, some_fill());
  t.bases[OTHER] = some_numbers(a.images * a.classes * a.count, some_fill());
  t.bases[SCRATCH] = memory_of(4 * a.count, 0x41);
  finish(&t);
}

void check_tree_ensemble(void) {
  /* Full trees of depth 3, whose leaves have one vote each. */
  enum { TREES = 5, NODES = 15, COLUMNS = 6 };
  forge_tree_node nodes[TREES * NODES];
  int32_t roots[TREES];
  const bool less = random_below(2);
  for (int32_t tree = 0; tree < TREES; tree++) {
    const int32_t root = roots[tree] = tree * NODES;
    for (int32_t i = 0; i < NODES; i++) {
      const bool is_leaf = i >= NODES / 2;
      nodes[root + i] = (forge_tree_node){
        is_leaf ? 0 : (int32_t)random_below(COLUMNS),
        random_number(),
        {is_leaf ? root + i : root + 2 * i + 1, is_leaf ? root + i : root + 2 * i + 2}};
    }
  }
  const float base[1] = {0.25f};
  const forge_tree_ensemble_arguments a = {.in = {.base = IN},
                                           .out = {.base = OUT},
                                           .scratch = {.base = SCRATCH},
                                           .nodes = nodes,
                                           .roots = roots,
                                           .base = random_below(2) ? base : NULL,
                                           .rows = random_from(1, 150),
                                           .columns = COLUMNS,
                                           .trees = TREES,
                                           .targets = 1,
                                           .questions =
                                             less ? FORGE_TREES_LESS : FORGE_TREES_LESS_OR_EQUAL,
                                           .aggregate = (int32_t)random_below(4),
                                           .is_single = 1};
  PROBLEM("trees, %lld rows, aggregate %d", (long long)a.rows, a.aggregate);
  trial t = {.arguments = &a, .tiles = forge_tree_ensemble_tiles(&a), .bytes = 4 * a.rows};
  t.bases[IN] = some_numbers(a.rows * COLUMNS, some_fill());
  t.bases[SCRATCH] = memory_of(8 * a.rows, 0);
  finish(&t);
}
