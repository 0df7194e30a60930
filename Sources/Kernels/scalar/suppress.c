/* Non-maximum suppression: takes the box of the highest score, drops those that overlap it, and
 * repeats. Overlaps are computed in double precision. */
#include "../internal.h"

#pragma STDC FP_CONTRACT OFF

typedef struct {
  double top, left, bottom, right;
} box;

static box box_of(const float *at, bool centered) {
  const double a = (double)at[0], b = (double)at[1], c = (double)at[2], d = (double)at[3];
  if (centered) return (box){b - d / 2, a - c / 2, b + d / 2, a + c / 2};
  return (box){a < c ? a : c, b < d ? b : d, a < c ? c : a, b < d ? d : b};
}

/* Returns the intersection over the union, 0 for boxes without area. */
static double overlap(const box *a, const box *b) {
  const double height = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
  const double width = fmin(a->right, b->right) - fmax(a->left, b->left);
  const double first = (a->bottom - a->top) * (a->right - a->left);
  const double second = (b->bottom - b->top) * (b->right - b->left);
  if (!(height > 0 && width > 0 && first > 0 && second > 0)) return 0;
  return height * width / (first + second - height * width);
}

/* Selects boxes of one class of an image. left: the scores of the boxes that are left, NaN for
 * others. Returns the rows written to `out`. */
static int64_t select_boxes(const forge_suppress_arguments *a, const float *boxes, float *left,
                            int64_t image, int64_t class, float *out) {
  const int64_t most = forge_smaller(a->most, a->count);
  int64_t rows = 0;
  while (rows < most) {
    int64_t best = -1;
    for (int64_t i = 0; i < a->count; i++)
      if (!isnan(left[i]) && (best < 0 || left[i] > left[best])) best = i;
    if (best < 0) break;
    left[best] = NAN;
    out[rows * 3] = (float)image;
    out[rows * 3 + 1] = (float)class;
    out[rows * 3 + 2] = (float)best;
    rows++;
    const box taken = box_of(boxes + best * 4, a->centered);
    for (int64_t i = 0; i < a->count; i++) {
      if (isnan(left[i])) continue;
      const box other = box_of(boxes + i * 4, a->centered);
      if (overlap(&taken, &other) > (double)a->iou_threshold) left[i] = NAN;
    }
  }
  return rows;
}

FORGE_SCALAR(suppress) {
  const forge_suppress_arguments *a = arguments;
  if (first >= last) return;
  float *left = forge_start(&a->scratch, frame), *out = forge_start(&a->out, frame);
  int64_t rows = 0;
  for (int64_t image = 0; image < a->images; image++) {
    const float *boxes = forge_start(&a->boxes, frame) + image * a->count * 4;
    for (int64_t class = 0; class < a->classes; class ++) {
      const int64_t list = image * a->classes + class;
      const float *scores = forge_start(&a->scores, frame) + list * a->count;
      for (int64_t i = 0; i < a->count; i++)
        left[i] = scores[i] > a->score_threshold ? scores[i] : NAN;
      rows += select_boxes(a, boxes, left, image, class, out + rows * 3);
    }
  }
  const int64_t all = a->images * a->classes * forge_smaller(a->most, a->count);
  for (int64_t i = rows * 3; i < all * 3; i++) out[i] = -1;
}
