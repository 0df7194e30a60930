/* Kernels on plain tensors for general graphs. Included by CForgeKernels.h. */
#ifndef CFORGE_PLAIN_KERNELS_H
#define CFORGE_PLAIN_KERNELS_H

/* out[o][i][n] = in[o][indices[i]][n], or `value` where the index is -1. Tensors of
 * outer x size x inner and outer x count x inner floats. Tiles: outer. */
typedef struct {
  forge_place in, out;
  const int32_t *indices; /* count numbers, -1 ..< size */
  int64_t outer, size, count, inner;
  float value;
} forge_gather_plain_arguments;

/* The same with whole numbers of a tensor as indices, those below 0 from the end. An index outside
 * gives NaN, and with a fault_source above 0 the first is recorded in the frame's fault. Then an
 * index below 0 lies outside too, unless from_end says that it counts. Tiles: outer. */
typedef struct {
  forge_place in, positions, out;
  int64_t outer, size, count, inner;
  int32_t fault_source, from_end;
} forge_gather_rows_arguments;

/* out[o][i][n] = in[o'][positions[o][i][n]][n'], where o' and n' are the place of (o, n) in the
 * larger tensor. Positions below 0 count from the end; one outside gives NaN and is recorded, if
 * fault_source is above 0. Tiles: out_sizes[0]. */
typedef struct {
  forge_place in, positions, out;
  int32_t rank, axis, fault_source;
  int64_t in_sizes[FORGE_MAX_RANK], out_sizes[FORGE_MAX_RANK];
} forge_gather_elements_arguments;

typedef enum {
  FORGE_SCATTER_REPLACE,
  FORGE_SCATTER_ADD,
  FORGE_SCATTER_MULTIPLY,
  FORGE_SCATTER_MINIMUM,
  FORGE_SCATTER_MAXIMUM,
} forge_scatter_combination;

/* out = in, then for the updates in memory order
 *   out[o][p][n] = combine(out[o][p][n], updates[o][i][n]), p = positions[o][i][n],
 * where i and p are places along `axis`, and o and n are the others. `sizes` are those of `in`,
 * `counts` those of the updates, nowhere but along the axis larger; a position stride of 0 repeats.
 * Positions below 0 count from the end; one outside changes nothing and is recorded, if
 * fault_source is above 0. Tiles: `share` places each along `split`, which is not the axis. */
typedef struct {
  forge_place in, positions, updates, out;
  int32_t rank, axis, split;
  int32_t combination; /* forge_scatter_combination */
  int32_t fault_source;
  int64_t share;
  int64_t sizes[FORGE_MAX_RANK], counts[FORGE_MAX_RANK], position_strides[FORGE_MAX_RANK];
} forge_scatter_arguments;

/* out[i] = f(in[i]) for `count` floats; out may be in. Tiles: as activation_plain. */
typedef struct {
  forge_place in, out;
  int64_t count;
  int32_t function; /* forge_unary_function */
  float a, b;
} forge_unary_plain_arguments;

typedef enum {
  FORGE_UNARY_ABSOLUTE,
  FORGE_UNARY_NEGATE,
  FORGE_UNARY_SIGN,
  FORGE_UNARY_RECIPROCAL,
  FORGE_UNARY_SQUARE_ROOT,
  FORGE_UNARY_RECIPROCAL_SQUARE_ROOT,
  FORGE_UNARY_SQUARE,
  FORGE_UNARY_EXPONENTIAL,
  FORGE_UNARY_LOGARITHM,
  FORGE_UNARY_FLOOR,
  FORGE_UNARY_CEILING,
  FORGE_UNARY_ROUND,
  FORGE_UNARY_TRUNCATE,
  FORGE_UNARY_ERROR_FUNCTION,
  FORGE_UNARY_SINE,
  FORGE_UNARY_COSINE,
  FORGE_UNARY_TANGENT,
  FORGE_UNARY_ARCSINE,
  FORGE_UNARY_ARCCOSINE,
  FORGE_UNARY_ARCTANGENT,
  FORGE_UNARY_HYPERBOLIC_SINE,
  FORGE_UNARY_HYPERBOLIC_COSINE,
  FORGE_UNARY_HYPERBOLIC_ARCSINE,
  FORGE_UNARY_HYPERBOLIC_ARCCOSINE,
  FORGE_UNARY_HYPERBOLIC_ARCTANGENT,
  FORGE_UNARY_SOFTSIGN,
  FORGE_UNARY_LOGICAL_NOT,
  FORGE_UNARY_IS_NONZERO,
  FORGE_UNARY_IS_NAN,
  FORGE_UNARY_ROUND_TO_HALF,       /* to the nearest number of binary16 */
  FORGE_UNARY_ROUND_TO_BFLOAT16,   /* to the nearest number of bfloat16 */
  FORGE_UNARY_IS_INFINITE,         /* a: also +inf, b: also -inf, as 1 or 0 */
  FORGE_UNARY_THRESHOLDED_RELU,    /* a: threshold */
  FORGE_UNARY_SCALED_ELU,          /* a: alpha, b: gamma */
  FORGE_UNARY_CELU,                /* a: alpha */
  FORGE_UNARY_SWISH,               /* a: beta */
  FORGE_UNARY_SHRINK,              /* a: bias, b: lambda */
  FORGE_UNARY_SCALED_TANH,         /* a: alpha, b: beta */
  FORGE_UNARY_PARAMETRIC_SOFTPLUS, /* a: alpha, b: beta */
} forge_unary_function;

/* condition != 0 ? yes : no. A stride of 0 broadcasts. `out` is contiguous. Tiles: sizes[0]. */
typedef struct {
  forge_place condition, yes, no, out;
  int32_t rank;
  int64_t sizes[FORGE_MAX_RANK], condition_strides[FORGE_MAX_RANK], yes_strides[FORGE_MAX_RANK],
    no_strides[FORGE_MAX_RANK];
} forge_select_arguments;

/* Reduces each of `rows` rows of `columns` floats to one. Tiles: rows. */
typedef struct {
  forge_place in, out;
  int64_t rows, columns;
  int32_t kind; /* forge_reduction */
} forge_reduce_rows_arguments;

typedef enum {
  FORGE_REDUCE_SUM,
  FORGE_REDUCE_MEAN,
  FORGE_REDUCE_MAXIMUM,
  FORGE_REDUCE_MINIMUM,
  FORGE_REDUCE_PRODUCT,
  FORGE_REDUCE_L1,
  FORGE_REDUCE_L2,
  FORGE_REDUCE_SUM_OF_SQUARES,
  FORGE_REDUCE_LOG_SUM,
  FORGE_REDUCE_LOG_SUM_EXP,
} forge_reduction;

/* The place of the largest, or smallest, of each row as a float: the first, or the last, of equal
 * ones; of the first NaN if there is one. Tiles: rows. */
typedef struct {
  forge_place in, out;
  int64_t rows, columns;
  int32_t smallest, selects_last;
} forge_argument_rows_arguments;

/* The `count` largest, or smallest, of each row in order, or their places: of equal ones the first
 * comes first, NaN comes last. scratch: floats [rows][columns]. Tiles: rows. */
typedef struct {
  forge_place in, out, scratch;
  int64_t rows, columns, count;
  int32_t smallest, places;
} forge_top_rows_arguments;

/* The sums of the elements of each row up to each one. Tiles: rows. */
typedef struct {
  forge_place in, out;
  int64_t rows, columns;
  int32_t exclusive, reversed;
} forge_cumulative_sum_arguments;

/* A question of a decision tree, or a leaf, whose children are itself. */
typedef struct {
  int32_t feature;     /* bits 27 on: 1 if NaN is yes, then twice a forge_tree_question */
  float threshold;     /* of a leaf: its weight, or the bits of its number */
  int32_t children[2]; /* nodes: yes, no */
} forge_tree_node;

typedef enum {
  FORGE_TREE_LESS_OR_EQUAL,
  FORGE_TREE_LESS,
  FORGE_TREE_EQUAL,
} forge_tree_question;

/* The questions of all nodes: of one kind without flags, of one kind, or of any. */
typedef enum {
  FORGE_TREES_LESS_OR_EQUAL,
  FORGE_TREES_LESS,
  FORGE_TREES_LESS_OR_EQUAL_OR_NAN,
  FORGE_TREES_LESS_OR_NAN,
  FORGE_TREES_MIXED,
} forge_tree_questions;

typedef enum {
  FORGE_TREES_SUM,
  FORGE_TREES_AVERAGE,
  FORGE_TREES_MINIMUM,
  FORGE_TREES_MAXIMUM,
} forge_tree_aggregate;

enum {
  FORGE_TREE_FEATURE_BITS = 27,
  FORGE_TREE_ROWS = 64 /* of a tile */
};

/* out[row][target] = base[target] + the votes of the leaves that in[row] reaches, added in double
 * precision in the order of the trees. scratch: doubles [rows][targets]. Tiles: groups of
 * FORGE_TREE_ROWS rows. */
typedef struct {
  forge_place in, out, scratch;
  const forge_tree_node *nodes;
  const int32_t *roots; /* nodes, one for each of `trees` */
  /* The votes of leaf i: starts[i] ..< starts[i + 1]. Not read if is_single. */
  const int32_t *starts, *vote_targets;
  const float *weights;
  const float *base; /* one for each target; NULL for 0 */
  int64_t rows, columns, trees, targets;
  int32_t questions; /* forge_tree_questions */
  int32_t aggregate; /* forge_tree_aggregate */
  int32_t is_single; /* one target, and each leaf has one vote, its node's threshold */
} forge_tree_ensemble_arguments;

#endif
