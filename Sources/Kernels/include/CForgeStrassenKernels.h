/* Pointwise convolutions by Strassen's algorithm, and the rows that they add. Included by
 * CForgeKernels.h. */
#ifndef CFORGE_STRASSEN_KERNELS_H
#define CFORGE_STRASSEN_KERNELS_H

/* The rows of a tile of row_factors and even_rows. */
#define FORGE_EVEN_ROWS 32

/* The factor of a row that has a NaN or an infinity. */
#define FORGE_NOT_FINITE -1.0f

/* Multiplies the rows of an image, its pixels in order, by powers of two that make their norms
 * alike, in two steps. Neither image has gaps between its rows of pixels. input_scales: float
 * [channels], or NULL. Tiles: FORGE_EVEN_ROWS rows.
 *
 * row_factors: the factor of a row is the power of two nearest to the norm of in * input_scales,
 * from 2^-126 to 2^126, so that the norm over the factor is between 2^-1/2 and 2^1/2. A row of
 * zeros has the factor 0, one that is not finite FORGE_NOT_FINITE.
 *
 * even_rows: out = in * input_scales / factor; zero for rows whose factor is not positive. Without
 * input_scales it writes nothing if the rows are even already: if all factors are positive and none
 * is more than twice another. */
typedef struct {
  forge_view in, out;
  forge_view factors; /* float [rows]; base and offset only */
  const float *input_scales;
} forge_even_rows_arguments;

/* Pointwise convolution, stride 1, by one or two levels of Strassen's algorithm: see
 * ../vector/strassen.h. in.channels and out.channels are multiples of 16 << levels. `factors` and
 * `in` are the results of row_factors and even_rows for `uneven`; none has gaps between its rows.
 * `uneven` is read where its rows are even already, and for rows that are not finite, which are
 * computed directly. weights: float
 * [panel][7 or 49][in.channels >> levels][panel_width] from forge_pack_strassen, with the panels of
 * out.channels >> levels; bias: float [out.channels]. input_scales and output_scales: those of the
 * packing, float [in.channels] and [out.channels], or both NULL. The pixels are cut into `segments`
 * that are computed separately. Each worker has scratch of forge_strassen_scratch_floats,
 * scratch_worker floats apart.
 *
 * After these a convolution is one step, `strassen` (tiles: segment * panels + panel), in which
 * each worker computes the sums of its segments, or, with shares_sums, two steps: `strassen_sums`
 * (tiles: segment * groups of 2 or 4 input blocks + group) fills `sums`, forge_strassen_sums_floats
 * of them, and `strassen` reads them. Bits are the same. */
typedef struct {
  forge_view in, uneven, out;
  forge_view factors; /* float [rows]; base and offset only */
  const float *weights, *bias;
  const float *input_scales, *output_scales;
  int32_t panel_width, segments, levels;
  int32_t shares_sums;
  forge_view sums, scratch; /* base and offset only */
  int64_t scratch_worker;
  forge_epilogue epilogue;
  const float *next; /* as forge_convolution_arguments' */
  int64_t next_floats;
} forge_strassen_arguments;

/* The number of products: 7 instead of 8, or 49 instead of 64. */
int64_t forge_strassen_products(int32_t levels);
int64_t forge_strassen_scratch_floats(const forge_strassen_arguments *);
int64_t forge_strassen_sums_floats(const forge_strassen_arguments *);

#endif
