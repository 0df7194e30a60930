/* AMX's instructions as functions, to try the kernels of Sources/Kernels/vector_avx512amx.c on
 * processors without them. Wrong shapes end the program. */
#include <stdio.h>
#include <stdlib.h>

static _Thread_local struct {
  uint8_t rows[8][16][64];
  uint8_t shape[64];
} emulated;

static int emulated_rows(int tile) { return emulated.shape[48 + tile]; }
static int emulated_bytes(int tile) {
  return emulated.shape[16 + 2 * tile] | emulated.shape[17 + 2 * tile] << 8;
}

static void emulated_need(int holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "emulated tiles: %s\n", what);
  abort();
}

#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbusd
#undef _tile_dpbf16ps
#define _tile_loadconfig emulated_load_shapes
#define _tile_release() memset(&emulated, 0, sizeof emulated)
#define _tile_zero emulated_zero
#define _tile_loadd emulated_load
#define _tile_stored emulated_store
#define _tile_dpbusd emulated_products
#define _tile_dpbf16ps emulated_bfloat_products

static void emulated_load_shapes(const void *shapes) {
  memset(&emulated, 0, sizeof emulated);
  memcpy(emulated.shape, shapes, sizeof emulated.shape);
  emulated_need(emulated.shape[0] == 1, "palette");
  for (int i = 1; i < 16; i++) emulated_need(emulated.shape[i] == 0, "reserved bytes");
  for (int i = 8; i < 16; i++)
    emulated_need(emulated_rows(i) == 0 && emulated_bytes(i) == 0, "a ninth tile");
  for (int i = 0; i < 8; i++)
    emulated_need(emulated_rows(i) <= 16 && emulated_bytes(i) <= 64 && emulated_rows(i) > 0,
                  "the shape of a tile");
}

static void emulated_zero(int tile) { memset(emulated.rows[tile], 0, sizeof emulated.rows[tile]); }

static void emulated_load(int tile, const void *from, size_t stride) {
  emulated_zero(tile);
  for (int r = 0; r < emulated_rows(tile); r++)
    memcpy(emulated.rows[tile][r], (const char *)from + (size_t)r * stride,
           (size_t)emulated_bytes(tile));
}

static void emulated_store(int tile, void *to, size_t stride) {
  for (int r = 0; r < emulated_rows(tile); r++)
    memcpy((char *)to + (size_t)r * stride, emulated.rows[tile][r], (size_t)emulated_bytes(tile));
}

__attribute__((unused)) static void emulated_products(int sums, int left, int right) {
  emulated_need(emulated_rows(sums) == emulated_rows(left), "rows of sums");
  emulated_need(emulated_bytes(sums) == emulated_bytes(right), "columns of sums");
  emulated_need(emulated_bytes(left) == 4 * emulated_rows(right), "inner size");
  for (int r = 0; r < emulated_rows(sums); r++)
    for (int c = 0; c < emulated_bytes(sums) / 4; c++) {
      uint32_t sum;
      memcpy(&sum, &emulated.rows[sums][r][4 * c], sizeof sum);
      for (int k = 0; k < emulated_bytes(left); k++)
        sum += (uint32_t)((int32_t)emulated.rows[left][r][k] *
                          (int8_t)emulated.rows[right][k / 4][4 * c + k % 4]);
      memcpy(&emulated.rows[sums][r][4 * c], &sum, sizeof sum);
    }
}

/* A bf16 of a tile, where a denormal is 0. */
static float emulated_bfloat(const uint8_t *at) {
  uint32_t bits = (uint32_t)at[0] << 16 | (uint32_t)at[1] << 24;
  if ((bits & 0x7f800000) == 0) bits &= 0x80000000;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

__attribute__((unused)) static void emulated_bfloat_products(int sums, int left, int right) {
  emulated_need(emulated_rows(sums) == emulated_rows(left), "rows of sums");
  emulated_need(emulated_bytes(sums) == emulated_bytes(right), "columns of sums");
  emulated_need(emulated_bytes(left) == 4 * emulated_rows(right), "inner size");
  for (int r = 0; r < emulated_rows(sums); r++)
    for (int c = 0; c < emulated_bytes(sums) / 4; c++) {
      float sum;
      memcpy(&sum, &emulated.rows[sums][r][4 * c], sizeof sum);
      for (int k = 0; k < emulated_bytes(left) / 2; k++)
        sum += emulated_bfloat(&emulated.rows[left][r][2 * k]) *
          emulated_bfloat(&emulated.rows[right][k / 2][4 * c + k % 2 * 2]);
      memcpy(&emulated.rows[sums][r][4 * c], &sum, sizeof sum);
    }
}
