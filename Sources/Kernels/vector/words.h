/* Conversion of images to words of bf16 pairs and int8 quads: see ../include/CForgePrecision.h. */

typedef struct {
  const float *in; /* column 0 of the row, or NULL in the border */
  int64_t left, width, right;
  v16i mask; /* the lanes that hold channels */
} words_source;

/* Prepares a row of words, where `tile` is block * (top + height + bottom) + row. Returns the place
 * of its first word. */
FORGE_INLINE float *words_of(const forge_words_arguments *a, const forge_frame *frame, int64_t tile,
                             const int64_t words, words_source *source) {
  const int64_t rows = (int64_t)a->top + a->in.height + a->bottom;
  const int64_t block = tile / rows, y = tile % rows - a->top;
  *source = (words_source){
    .in = y >= 0 && y < a->in.height ? forge_row(&a->in, frame, block, y) : NULL,
    .left = a->left,
    .width = a->in.width,
    .right = a->right,
    .mask = first_lanes(a->in.channels - block * FORGE_LANES),
  };
  return forge_row(&a->out, frame, block, y) - a->left * words;
}
