/* The driver: which rows are unpacked, resampled and written, and in which order. */
#include "CForgeThreadPool.h"
#include "stages.h"

#pragma STDC FP_CONTRACT OFF

/* ---- scratch ---- */

static int64_t element_bytes(const forge_preparation *p) { return p->floats ? 4 : 1; }

/* Takes `bytes` and a pad from the end of the layout. */
static int64_t part(forge_scratch_layout *layout, int64_t bytes) {
  const int64_t start = layout->total;
  layout->total += (bytes + FORGE_ROW_PAD + 63) / 64 * 64;
  return start;
}

forge_scratch_layout forge_layout_of(const forge_preparation *p) {
  forge_scratch_layout layout = {0};
  const int64_t unpacked = forge_unpacked(p), outputs = p->columns.outputs;
  const int64_t pixel = p->working * element_bytes(p);
  const int64_t wide = unpacked > outputs ? unpacked : outputs;
  const bool is_resampled = p->resampling > FORGE_RESAMPLE_NEAREST;
  const bool has_colors = p->working == 1 && p->source.kind != FORGE_PIXELS_GRAY;
  const bool is_frame = p->source.kind >= FORGE_PIXELS_I420;
  if (p->picked_count > 0 || has_colors || is_frame)
    layout.raw = part(&layout, 8 * unpacked + 5 * FORGE_ROW_PAD);
  if (p->floats) layout.bytes = part(&layout, unpacked * p->working);
  if (is_resampled) {
    layout.line = part(&layout, unpacked * pixel);
    layout.slots = p->resampling == FORGE_RESAMPLE_PAIRS ? 2
      : p->rows.stride < FORGE_MOST_ROWS                 ? p->rows.stride
                                                         : FORGE_MOST_ROWS;
    if (layout.slots < 1) layout.slots = 1;
    const int64_t row = p->resampling == FORGE_RESAMPLE_PAIRS ? outputs * p->working * 2
      : p->rows_first                                         ? unpacked * pixel
                                                              : outputs * pixel;
    layout.ring_row = (row + FORGE_ROW_PAD + 63) / 64 * 64;
    layout.ring = part(&layout, layout.ring_row * layout.slots);
    if (p->rows.stride > FORGE_MOST_ROWS) layout.sums = part(&layout, 4 * wide * p->working);
  }
  layout.result = part(&layout, p->output.width * pixel);
  if (p->floats && p->rounds) layout.rounded = part(&layout, p->output.width * p->working);
  return layout;
}

int64_t forge_preparation_scratch(const forge_preparation *p) { return forge_layout_of(p).total; }

/* ---- rows ---- */

/* One call of forge_prepare. */
typedef struct {
  const forge_preparation *p;
  const forge_pixel_rows *rows;
  forge_scratch_layout layout;
  uint8_t *scratch;
  /* The source rows in the ring's slots, or -1. */
  int64_t held[FORGE_MOST_ROWS];
} task;

static void *slot_at(const task *t, int64_t slot) {
  return t->scratch + t->layout.ring + slot * t->layout.ring_row;
}

static void across(const task *t, const void *in, void *out) {
  const forge_preparation *p = t->p;
  if (p->floats)
    (p->working == 4 ? t->rows->across4_floats : t->rows->across1_floats)(in, &p->columns, out);
  else
    (p->working == 4 ? t->rows->across4 : t->rows->across1)(in, &p->columns, out);
}

/* Makes what is resampled down next of source row y: the row itself, or the row resampled. */
static void make_row(const task *t, int64_t y, void *out) {
  const forge_preparation *p = t->p;
  if (p->rows_first || p->columns.stride == 0) {
    forge_unpack(p, t->rows, y, t->scratch, &t->layout, out);
    return;
  }
  void *line = t->scratch + t->layout.line;
  forge_unpack(p, t->rows, y, t->scratch, &t->layout, line);
  across(t, line, out);
}

static const void *held_row(task *t, int64_t y) {
  const int64_t slot = y % t->layout.slots;
  if (t->held[slot] != y) {
    make_row(t, y, slot_at(t, slot));
    t->held[slot] = y;
  }
  return slot_at(t, slot);
}

/* Sums more rows than the ring holds, a row at a time. */
static void down_in_pieces(task *t, int64_t output, int64_t elements, void *out) {
  const forge_preparation *p = t->p;
  const int64_t first = p->rows.first[output], count = p->rows.count[output];
  void *sums = t->scratch + t->layout.sums;
  if (p->floats) {
    float *sum = sums;
    const float *shares = p->rows.shares + output * p->rows.stride;
    for (int64_t i = 0; i < elements; i++) sum[i] = 0;
    for (int64_t k = 0; k < count; k++) {
      const float *row = held_row(t, first + k);
      for (int64_t i = 0; i < elements; i++) sum[i] += shares[k] * row[i];
    }
    memcpy(out, sum, (size_t)(4 * elements));
    return;
  }
  int32_t *sum = sums;
  const int32_t *weights = p->rows.weights + output * p->rows.stride;
  for (int64_t i = 0; i < elements; i++) sum[i] = 1 << (FORGE_WEIGHT_BITS - 1);
  for (int64_t k = 0; k < count; k++) {
    const uint8_t *row = held_row(t, first + k);
    for (int64_t i = 0; i < elements; i++) sum[i] += weights[k] * row[i];
  }
  uint8_t *bytes = out;
  for (int64_t i = 0; i < elements; i++) bytes[i] = forge_summed(sum[i]);
}

static void down(task *t, int64_t output, int64_t elements, void *out) {
  const forge_preparation *p = t->p;
  const int64_t first = p->rows.first[output], count = p->rows.count[output];
  if (count > t->layout.slots) {
    down_in_pieces(t, output, elements, out);
    return;
  }
  const void *rows[FORGE_MOST_ROWS];
  for (int64_t k = 0; k < count; k++) rows[k] = held_row(t, first + k);
  if (p->floats)
    t->rows->down_floats((const float *const *)rows, p->rows.shares + output * p->rows.stride,
                         count, elements, out);
  else
    t->rows->down((const uint8_t *const *)rows, p->rows.weights + output * p->rows.stride, count,
                  elements, out);
}

/* A row of pairs in one of the two slots, but not in that of row `other`. */
static const int16_t *pair_row(task *t, int64_t y, int64_t other) {
  const forge_preparation *p = t->p;
  for (int64_t slot = 0; slot < 2; slot++)
    if (t->held[slot] == y) return slot_at(t, slot);
  const int64_t slot = t->held[0] == other ? 1 : 0;
  void *line = t->scratch + t->layout.line;
  forge_unpack(p, t->rows, y, t->scratch, &t->layout, line);
  (p->working == 4 ? t->rows->pairs4 : t->rows->pairs1)(line, &p->columns, slot_at(t, slot));
  t->held[slot] = y;
  return slot_at(t, slot);
}

static void between(task *t, int64_t output, void *out) {
  const forge_preparation *p = t->p;
  const int64_t upper = p->rows.first[output], lower = p->second[output];
  const int32_t *weights = p->rows.weights + output * p->rows.stride;
  const int16_t *high = pair_row(t, upper, lower);
  /* Where the centers of rows meet, the lower one has no weight. */
  const int16_t *low = weights[1] == 0 ? high : pair_row(t, lower, upper);
  t->rows->between(high, low, weights[0], weights[1], p->columns.outputs * p->working, out);
}

/* Computes row `output` of the resampled picture. */
static void compute(task *t, int64_t output, void *out) {
  const forge_preparation *p = t->p;
  switch (p->resampling) {
    case FORGE_RESAMPLE_NONE:
      forge_unpack(p, t->rows, p->top + output, t->scratch, &t->layout, out);
      return;
    case FORGE_RESAMPLE_NEAREST:
      forge_unpack(p, t->rows, p->rows.first[output], t->scratch, &t->layout, out);
      return;
    case FORGE_RESAMPLE_PAIRS: between(t, output, out); return;
    default: break;
  }
  if (p->rows.stride == 0) {
    make_row(t, p->top + output, out);
  } else if (p->rows_first) {
    void *line = t->scratch + t->layout.line;
    down(t, output, forge_unpacked(p) * p->working, line);
    across(t, line, out);
  } else {
    down(t, output, p->columns.outputs * p->working, out);
  }
}

/* ---- the output ---- */

static void fill_border(const forge_preparation *p, void *row, int64_t from, int64_t to) {
  for (int64_t i = from; i < to; i++)
    for (int32_t c = 0; c < p->working; c++) {
      const int64_t index = i * p->working + c;
      if (p->floats)
        ((float *)row)[index] = p->output.border[c];
      else
        ((uint8_t *)row)[index] = (uint8_t)p->output.border[c];
    }
}

/* Whether rows of the source are unpacked right into the output. */
static bool is_direct(const forge_preparation *p) {
  const forge_output *o = &p->output;
  return !p->floats && p->working == 4 && p->resampling <= FORGE_RESAMPLE_NEAREST &&
    o->writing == FORGE_WRITE_PIXELS && o->kind == FORGE_PIXELS_RGBA &&
    p->alpha != FORGE_ALPHA_PREMULTIPLIED && o->width == p->columns.outputs &&
    o->height == p->rows.outputs;
}

void forge_prepare(const void *preparation, const forge_frame *frame, int64_t first, int64_t last) {
  const forge_preparation *p = preparation;
  const forge_output *o = &p->output;
  task t;
  t.p = p;
  t.rows = forge_pixel_rows_at(p->level);
  t.layout = forge_layout_of(p);
  t.scratch = p->scratch + frame->worker * p->scratch_bytes;
  for (int64_t i = 0; i < FORGE_MOST_ROWS; i++) t.held[i] = -1;
  uint8_t *result = t.scratch + t.layout.result;
  uint8_t *rounded = t.scratch + t.layout.rounded;
  const int64_t pixel = p->working * element_bytes(p);
  const int64_t right = o->left + p->columns.outputs;
  const bool direct = is_direct(p);
  for (int64_t y = first; y < last; y++) {
    const int64_t inner = y - o->top;
    if (direct) {
      compute(&t, inner, o->base + y * o->row_stride);
      continue;
    }
    if (inner < 0 || inner >= p->rows.outputs) {
      fill_border(p, result, 0, o->width);
    } else {
      /* Writing may change the row: colors are divided by alpha, floats scaled. Kernels write past
       * the end of the part inside. */
      fill_border(p, result, 0, o->left);
      compute(&t, inner, result + o->left * pixel);
      fill_border(p, result, right, o->width);
    }
    forge_write(p, t.rows, y, result, rounded);
  }
}

void forge_prepare_all(const forge_preparation *p, int32_t threads) {
  float *none[1] = {NULL};
  const forge_frame frame = {.bases = none};
  const forge_step step = {.kernel = forge_prepare,
                           .arguments = p,
                           .tiles = p->output.height,
                           .most_threads = threads,
                           .parts = 1,
                           /* Each piece of a resampling begins with rows that the one before it
                            * has made, too. */
                           .pieces = p->resampling > FORGE_RESAMPLE_NEAREST ? 2 : 4,
                           .rounds = 1};
  if (threads > 1)
    forge_run_parallel(&step, 1, &frame, threads, NULL, INT64_MAX);
  else
    forge_prepare(p, &frame, 0, p->output.height);
}
