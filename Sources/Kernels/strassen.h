/* The parts of the matrices of Strassen's algorithm: see vector/strassen.h. */
#ifndef FORGE_STRASSEN_H
#define FORGE_STRASSEN_H

#include "internal.h"

/* The rows of an image without gaps: its pixels. */
static inline int64_t forge_rows_of(const forge_view *view) {
  return (int64_t)view->height * view->width;
}

/* Whether rows can be added to each other as they are: see forge_even_rows_arguments. */
static inline bool forge_rows_are_even(const forge_view *factors, const forge_frame *frame,
                                       int64_t rows) {
  const float *factor = forge_origin(factors, frame);
  float least = INFINITY, most = 0;
  for (int64_t row = 0; row < rows; row++) {
    least = factor[row] < least ? factor[row] : least;
    most = factor[row] > most ? factor[row] : most;
  }
  return least > 0 && most <= 2 * least;
}

/* Returns the rows of the upper half. */
static inline int64_t forge_upper_half(int64_t rows) { return (rows + 1) / 2; }

/* A left side, float [blocks][rows][16]. */
typedef struct {
  const float *at;
  int64_t block; /* from one block to the next */
  int64_t blocks, rows;
} forge_strassen_side;

/* Returns row 0 of a block of a quarter: the lower half if `lower`, the odd blocks if `odd`. */
static inline const float *forge_strassen_quarter(const forge_strassen_side *side, bool lower,
                                                  bool odd, int64_t block) {
  return side->at + (2 * block + odd) * side->block +
    (lower ? forge_upper_half(side->rows) * FORGE_LANES : 0);
}

/* Returns the rows of the left side of a product. The fifth and the seventh, S1 and A22, have those
 * of the lower half, because the rest of S1 is zero. */
static inline int64_t forge_strassen_rows(const forge_strassen_side *side, int64_t product) {
  const int64_t upper = forge_upper_half(side->rows);
  return product == 4 || product == 6 ? side->rows - upper : upper;
}

/* The pixels of a segment of the image, and the index of the first. is_even: of `uneven`, whose
 * rows are even. */
forge_strassen_side forge_strassen_image(const forge_strassen_arguments *arguments,
                                         const forge_frame *frame, int64_t segment, bool is_even);
int64_t forge_strassen_first(const forge_strassen_arguments *arguments, int64_t segment);

int64_t forge_strassen_panels(const forge_strassen_arguments *arguments);

/* The groups of 2 or 4 blocks of input channels whose sums are independent. */
int64_t forge_strassen_groups(const forge_strassen_arguments *arguments);

/* Returns the floats of S of a product of the first level, of an image of this many channels and
 * rows. */
static inline int64_t forge_strassen_further_floats(int64_t channels, int64_t rows) {
  return 4 * (channels / 4) * forge_upper_half(forge_upper_half(rows));
}

/* The parts of the sums of a segment and of a worker's scratch in floats, for the largest segment.
 * The sums are S of the image, float [4][blocks / 2][rows / 2][16], and of each product. */
typedef struct {
  int64_t further_sums, sums_floats; /* in the sums: where those of the products begin */
  /* In the scratch: R, float [2 or 4][vectors of a panel][vector], and of a product: [2][...]. */
  int64_t products, further_products, scratch_floats;
} forge_strassen_layout;

forge_strassen_layout forge_strassen_layout_of(const forge_strassen_arguments *arguments);

/* Returns the floats between two vectors of a product with `rows` rows: twice the upper half, and
 * an odd number of cache lines, so that no two vectors are a multiple of 4 KB apart. */
static inline int64_t forge_strassen_vector(int64_t rows) {
  return (2 * forge_upper_half(rows) | 1) * FORGE_LANES;
}

#endif
