/* Arguments of the kernels that move pixels, pool over any axes, normalize, resample and suppress.
 * Included by CForgeKernels.h after the tensors. */
#ifndef CFORGE_WINDOW_KERNELS_H
#define CFORGE_WINDOW_KERNELS_H

/* Pixel (y, x) of the blocked `in` becomes pixel (y*step_y + row, x*step_x + column) of the blocked
 * `out`, if that exists. Other pixels of `out` keep their values. Tiles: block * in.height + y. */
typedef struct {
  forge_view in, out;
  int32_t step_y, step_x, row, column;
} forge_place_pixels_arguments;

/* Blocked -> blocked. Of n = out.channels, channel c of output pixel (i*block_y + u, j*block_x + v)
 * is channel (u*block_x + v)*n + c of pixel (i, j), or with `interleaved` channel c*block_y*block_x
 * + u*block_x + v. Tiles: rows of `out`. */
typedef struct {
  forge_view in, out;
  int32_t block_y, block_x;
  int32_t interleaved;
} forge_depth_to_space_arguments;

/* Blocked -> blocked. Of n = in.channels, channel (u*block_x + v)*n + c of output pixel (i, j) is
 * channel c of pixel (i*block_y + u, j*block_x + v). Tiles: rows of `out`. */
typedef struct {
  forge_view in, out;
  int32_t block_y, block_x;
} forge_space_to_depth_arguments;

typedef enum {
  FORGE_POOL_ND_MAXIMUM = 0,
  FORGE_POOL_ND_AVERAGE_INSIDE, /* divided by the taps inside the tensor */
  FORGE_POOL_ND_AVERAGE_ALL,    /* divided by the taps inside the tensor and its padding */
  FORGE_POOL_ND_LP,             /* (sum of |x|^p)^(1/p) */
  FORGE_POOL_ND_MAXIMUM_PLACE   /* the place of the first of the largest, in row-major order */
} forge_pooling_nd_kind;

/* Pooling of plain tensors over the first `rank` axes; the last holds the channels. A window
 * without taps inside gives 0, a NaN in it NaN. Tiles: the product of out_sizes. */
typedef struct {
  forge_place in, out;
  int32_t rank;
  int32_t kind; /* forge_pooling_nd_kind */
  int32_t p;
  int64_t channels;
  int64_t in_sizes[FORGE_MAX_RANK], out_sizes[FORGE_MAX_RANK];
  int64_t kernel[FORGE_MAX_RANK], strides[FORGE_MAX_RANK], dilations[FORGE_MAX_RANK];
  int64_t before[FORGE_MAX_RANK], after[FORGE_MAX_RANK];
} forge_pooling_nd_arguments;

typedef enum {
  FORGE_NORMALIZE_STANDARD = 0,    /* (x - mean) / sqrt(variance + epsilon) * gamma + beta */
  FORGE_NORMALIZE_UNIT,            /* x / max(sqrt(sum of x*x), epsilon) */
  FORGE_NORMALIZE_ROOT_MEAN_SQUARE /* x / sqrt(mean of x*x + epsilon) * gamma + beta */
} forge_normalize_kind;

/* Normalizes `rows` plain rows of `columns`, each on its own. gamma, beta: float [columns, rounded
 * up to 16], or NULL for 1 and 0. out may be in. Tiles: rows. */
typedef struct {
  forge_place in, out;
  int64_t rows, columns;
  const float *gamma, *beta;
  int32_t kind; /* forge_normalize_kind */
  float epsilon;
} forge_normalize_rows_arguments;

/* The pixels of a tile of normalize_pixels. */
#define FORGE_NORMALIZE_PIXELS 8

/* Normalizes the channels of each pixel of a blocked image. gamma, beta: float [blocks * 16], zero
 * in the padded lanes, or NULL. out may be in. Tiles: y * runs + run, where a row has `runs` runs
 * of FORGE_NORMALIZE_PIXELS pixels, the last one of the rest. */
typedef struct {
  forge_view in, out;
  const float *gamma, *beta;
  int32_t kind; /* forge_normalize_kind */
  float epsilon;
} forge_normalize_pixels_arguments;

/* Normalizes groups of channels over all pixels of a blocked image, in three steps: `moments` gives
 * the mean of each row of each channel, as a float and what its rounding has lost, and the sum of
 * squared deviations from that float; `groups` combines them; `apply` computes
 * (x - mean[c]) * scale[c] + shift[c]. gamma, beta: float [blocks * 16] or NULL.
 * row_moments: float [blocks][height][3][16]; factors: float [3][blocks * 16]: mean, scale, shift,
 * zero in the padded lanes. out may be in.
 * Tiles: block * height + y; `groups`: 1. */
typedef struct {
  forge_view in, out;
  const float *gamma, *beta;
  int32_t groups;
  float epsilon;
  forge_view row_moments, factors; /* base and offset only */
} forge_normalize_groups_arguments;

/* x[c] / (bias + factor * sum of x[k]^2)^beta over plain rows, k from c - before to c + after,
 * inside the row. Tiles: rows. */
typedef struct {
  forge_place in, out;
  int64_t rows, columns;
  int64_t before, after;
  float factor, beta, bias;
} forge_local_response_arguments;

/* Resamples one axis of a plain tensor [outer][in_size][inner] -> [outer][out_size][inner]: element
 * i is the sum of the `counts[i]` elements from `firsts[i]` on, times the weights from `offsets[i]`
 * on. Tiles: outer * out_size. */
typedef struct {
  forge_place in, out;
  int64_t outer, in_size, out_size, inner;
  const int32_t *firsts, *counts;
  const int64_t *offsets;
  const float *weights;
} forge_resample_arguments;

/* Non-maximum suppression. boxes: float [images][count][4], scores: float [images][classes][count],
 * out: float [images * classes * min(most, count)][3]: rows (image, class, box), then rows of -1.
 * scratch: float [count]. Tiles: 1. */
typedef struct {
  forge_place boxes, scores, out, scratch;
  int64_t images, count, classes, most;
  float iou_threshold, score_threshold;
  int32_t centered; /* boxes are x, y of the center, width, height */
} forge_suppress_arguments;

#endif
