/* The lanes of a level: a vector of FORGE_WIDTH floats, and how frames become lanes. */

typedef float FORGE_FORM(lane) __attribute__((vector_size(4 * FORGE_WIDTH), may_alias));
#define lane FORGE_FORM(lane)

/* The vectors of rows i and i + FORGE_WIDTH/2, with their numbers in turn: the lower and the upper
 * half of the result. As many rounds as FORGE_WIDTH has bits make rows of columns. */
#if FORGE_WIDTH == 16
#define FORGE_LOWER(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23)
#define FORGE_UPPER(a, b) \
  __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define FORGE_ROUNDS 4
#elif FORGE_WIDTH == 8
#define FORGE_LOWER(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define FORGE_UPPER(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define FORGE_ROUNDS 3
#elif FORGE_WIDTH == 4
#define FORGE_LOWER(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define FORGE_UPPER(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define FORGE_ROUNDS 2
#else
#define FORGE_ROUNDS 0
#endif

static inline __attribute__((always_inline)) void FORGE_FORM(transpose)(lane rows[FORGE_WIDTH]) {
#if FORGE_ROUNDS == 0
  (void)rows;
#else
  lane next[FORGE_WIDTH];
#pragma unroll
  for (int round = 0; round < FORGE_ROUNDS; round++) {
#pragma unroll
    for (int i = 0; i < FORGE_WIDTH / 2; i++) {
      next[2 * i] = FORGE_LOWER(rows[i], rows[i + FORGE_WIDTH / 2]);
      next[2 * i + 1] = FORGE_UPPER(rows[i], rows[i + FORGE_WIDTH / 2]);
    }
#pragma unroll
    for (int i = 0; i < FORGE_WIDTH; i++) rows[i] = next[i];
  }
#endif
}

/* out[i][lane] = rows[lane][i] for i < count. */
static void FORGE_FORM(gather)(const float *const *rows, int64_t count, lane *out) {
  int64_t i = 0;
  for (; i + FORGE_WIDTH <= count; i += FORGE_WIDTH) {
    lane block[FORGE_WIDTH];
#pragma unroll
    for (int k = 0; k < FORGE_WIDTH; k++) block[k] = FORGE_LOAD(lane, rows[k] + i);
    FORGE_FORM(transpose)(block);
#pragma unroll
    for (int k = 0; k < FORGE_WIDTH; k++) out[i + k] = block[k];
  }
  float *numbers = (float *)out;
  for (; i < count; i++)
    for (int k = 0; k < FORGE_WIDTH; k++) numbers[i * FORGE_WIDTH + k] = rows[k][i];
}

/* rows[k][i] = in[i][k] for i < count and k < frames. */
static void FORGE_FORM(scatter)(const lane *in, int64_t count, float *const *rows, int64_t frames) {
  int64_t i = 0;
  for (; i + FORGE_WIDTH <= count; i += FORGE_WIDTH) {
    lane block[FORGE_WIDTH];
#pragma unroll
    for (int k = 0; k < FORGE_WIDTH; k++) block[k] = in[i + k];
    FORGE_FORM(transpose)(block);
    for (int k = 0; k < frames; k++) FORGE_STORE(rows[k] + i, block[k]);
  }
  const float *numbers = (const float *)in;
  for (; i < count; i++)
    for (int k = 0; k < frames; k++) rows[k][i] = numbers[i * FORGE_WIDTH + k];
}
