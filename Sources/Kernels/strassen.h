/* Where the parts of the matrices of Strassen's algorithm lie: see vector/strassen.h. */
#ifndef FORGE_STRASSEN_H
#define FORGE_STRASSEN_H

#include "internal.h"

/* The rows of the upper half of `rows`. */
static inline int64_t forge_upper_half(int64_t rows) { return (rows + 1) / 2; }

/* A left side, float [blocks][rows][16]. */
typedef struct {
  const float *at;
  int64_t block; /* from one block to the next */
  int64_t blocks, rows;
  /* What its channels are multiplied by before they are added to others; NULL: nothing, or they
   * have been. */
  const float *scales;
  int64_t scales_block; /* from those of one block to the next */
} forge_strassen_side;

/* Row 0 of block `block` of a quarter: the lower half if `lower`, the odd blocks if `odd`. */
static inline const float *forge_strassen_quarter(const forge_strassen_side *side, bool lower,
                                                  bool odd, int64_t block) {
  return side->at + (2 * block + odd) * side->block +
    (lower ? forge_upper_half(side->rows) * FORGE_LANES : 0);
}

/* The scales of the channels of block `block` of a quarter; not to be called where there are none.
 */
static inline const float *forge_strassen_scales(const forge_strassen_side *side, bool odd,
                                                 int64_t block) {
  return side->scales + (2 * block + odd) * side->scales_block;
}

/* The rows of the left side of a product. Of the fifth and the seventh, S1 and A22, those of the
 * lower half: the rest of S1 is zero. */
static inline int64_t forge_strassen_rows(const forge_strassen_side *side, int64_t product) {
  const int64_t upper = forge_upper_half(side->rows);
  return product == 4 || product == 6 ? side->rows - upper : upper;
}

/* The pixels of a segment of the image, and the first of them. */
forge_strassen_side forge_strassen_image(const forge_strassen_arguments *arguments,
                                         const forge_frame *frame, int64_t segment);
int64_t forge_strassen_first(const forge_strassen_arguments *arguments, int64_t segment);

/* The panels of a segment. */
int64_t forge_strassen_panels(const forge_strassen_arguments *arguments);

/* Where the parts of a worker's scratch begin, in floats, for the largest segment. */
typedef struct {
  int64_t sums[2];     /* S of the image, and of a product: float [4][blocks / 2][rows / 2][16] */
  int64_t products[2]; /* R: float [2 or 4][vectors of a panel][vector]; of a product: [2][...] */
  int64_t floats;
} forge_strassen_scratch;

forge_strassen_scratch forge_strassen_scratch_of(const forge_strassen_arguments *arguments);

/* The floats from one vector of a product to the next, which has `rows` rows: twice those of the
 * upper half, and an odd number of cache lines, so that no two vectors are a multiple of 4 KB
 * apart. */
static inline int64_t forge_strassen_vector(int64_t rows) {
  return (2 * forge_upper_half(rows) | 1) * FORGE_LANES;
}

#endif
