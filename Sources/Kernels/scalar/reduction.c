/* Rows of plain tensors reduced to one number, ranked or summed up. */
#include "scalar.h"

#pragma STDC FP_CONTRACT OFF

/* Sums in double, so that neither long rows nor large means cost accuracy. Eight at a time, because
 * one waits for the one before. */
#define FORGE_SUM(name, term)                            \
  static double name(const float *row, int64_t count) {  \
    double sums[8] = {0};                                \
    int64_t i = 0;                                       \
    for (; i + 8 <= count; i += 8) {                     \
      for (int64_t j = 0; j < 8; j++) {                  \
        const double x = (double)row[i + j];             \
        sums[j] += term;                                 \
      }                                                  \
    }                                                    \
    for (; i < count; i++) {                             \
      const double x = (double)row[i];                   \
      sums[0] += term;                                   \
    }                                                    \
    return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + \
      ((sums[4] + sums[5]) + (sums[6] + sums[7]));       \
  }
FORGE_SUM(sum_of, x)
FORGE_SUM(sum_of_squares, (x * x))
FORGE_SUM(sum_of_magnitudes, fabs(x))
#undef FORGE_SUM

/* NaN if one is NaN. */
static float extreme(const float *row, int64_t count, bool smallest) {
  float found = row[0];
  for (int64_t i = 1; i < count; i++) {
    if (isnan(found)) return found;
    if (isnan(row[i]) || (smallest ? row[i] < found : row[i] > found)) found = row[i];
  }
  return found;
}

static double product_of(const float *row, int64_t count) {
  double product = 1;
  for (int64_t i = 0; i < count; i++) product *= (double)row[i];
  return product;
}

/* Shifted by the largest, so that nothing overflows. */
static double log_sum_exp(const float *row, int64_t count) {
  const double largest = (double)extreme(row, count, false);
  if (!isfinite(largest)) return largest;
  double sum = 0;
  for (int64_t i = 0; i < count; i++) sum += exp((double)row[i] - largest);
  return largest + log(sum);
}

static float reduced(const float *row, int64_t count, int32_t kind) {
  switch ((forge_reduction)kind) {
    case FORGE_REDUCE_SUM: return (float)sum_of(row, count);
    case FORGE_REDUCE_MEAN: return (float)(sum_of(row, count) / (double)count);
    case FORGE_REDUCE_MAXIMUM: return extreme(row, count, false);
    case FORGE_REDUCE_MINIMUM: return extreme(row, count, true);
    case FORGE_REDUCE_PRODUCT: return (float)product_of(row, count);
    case FORGE_REDUCE_L1: return (float)sum_of_magnitudes(row, count);
    case FORGE_REDUCE_L2: return (float)sqrt(sum_of_squares(row, count));
    case FORGE_REDUCE_SUM_OF_SQUARES: return (float)sum_of_squares(row, count);
    case FORGE_REDUCE_LOG_SUM: return (float)log(sum_of(row, count));
    case FORGE_REDUCE_LOG_SUM_EXP: return (float)log_sum_exp(row, count);
  }
  return NAN;
}

FORGE_SCALAR(reduce_rows) {
  const forge_reduce_rows_arguments *a = arguments;
  for (int64_t row = first; row < last; row++)
    forge_start(&a->out, frame)[row] =
      reduced(forge_start(&a->in, frame) + row * a->columns, a->columns, a->kind);
}

/* Whether x comes before y; NaN comes before all for places, and after all for ranks. */
static bool is_before(float x, float y, bool smallest) { return smallest ? x < y : x > y; }

FORGE_SCALAR(argument_rows) {
  const forge_argument_rows_arguments *a = arguments;
  for (int64_t r = first; r < last; r++) {
    const float *row = forge_start(&a->in, frame) + r * a->columns;
    int64_t best = 0;
    for (int64_t i = 1; i < a->columns && !isnan(row[best]); i++)
      if (isnan(row[i]) || is_before(row[i], row[best], a->smallest) ||
          (a->selects_last && row[i] == row[best]))
        best = i;
    forge_start(&a->out, frame)[r] = (float)best;
  }
}

/* Whether element i of a row ranks before element j. */
static bool ranks_before(const float *row, int64_t i, int64_t j, bool smallest) {
  if (isnan(row[i]) || isnan(row[j]))
    return isnan(row[i]) == isnan(row[j]) ? i < j : !isnan(row[i]);
  if (row[i] == row[j]) return i < j;
  return is_before(row[i], row[j], smallest);
}

/* Moves the element at `root` down a heap whose root ranks last. */
static void sift_down(float *heap, int64_t count, int64_t root, const float *row, bool smallest) {
  for (int64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    if (child + 1 < count &&
        ranks_before(row, (int64_t)heap[child], (int64_t)heap[child + 1], smallest))
      child++;
    if (!ranks_before(row, (int64_t)heap[root], (int64_t)heap[child], smallest)) return;
    const float held = heap[root];
    heap[root] = heap[child];
    heap[child] = held;
    root = child;
  }
}

FORGE_SCALAR(top_rows) {
  const forge_top_rows_arguments *a = arguments;
  for (int64_t r = first; r < last; r++) {
    const float *row = forge_start(&a->in, frame) + r * a->columns;
    float *heap = forge_start(&a->scratch, frame) + r * a->columns;
    float *out = forge_start(&a->out, frame) + r * a->count;
    /* A heap of the best so far, the last of them on top. */
    for (int64_t i = 0; i < a->count; i++) heap[i] = (float)i;
    for (int64_t i = a->count / 2 - 1; i >= 0; i--) sift_down(heap, a->count, i, row, a->smallest);
    for (int64_t i = a->count; i < a->columns; i++) {
      if (!ranks_before(row, i, (int64_t)heap[0], a->smallest)) continue;
      heap[0] = (float)i;
      sift_down(heap, a->count, 0, row, a->smallest);
    }
    for (int64_t left = a->count; left > 0; left--) {
      const float place = heap[0];
      out[left - 1] = a->places ? place : row[(int64_t)place];
      heap[0] = heap[left - 1];
      sift_down(heap, left - 1, 0, row, a->smallest);
    }
  }
}

FORGE_SCALAR(cumulative_sum) {
  const forge_cumulative_sum_arguments *a = arguments;
  for (int64_t r = first; r < last; r++) {
    const float *row = forge_start(&a->in, frame) + r * a->columns;
    float *out = forge_start(&a->out, frame) + r * a->columns;
    double sum = 0;
    for (int64_t i = 0; i < a->columns; i++) {
      const int64_t at = a->reversed ? a->columns - 1 - i : i;
      const double next = sum + (double)row[at];
      out[at] = (float)(a->exclusive ? sum : next);
      sum = next;
    }
  }
}
