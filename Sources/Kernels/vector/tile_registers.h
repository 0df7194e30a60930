/* The registers of AMX: eight tiles of up to 16 rows of 64 bytes.
 *
 * A product adds 16 pixels by 64 bytes of their channels, times these channels by 16 outputs, to
 * sums of 16 pixels by 16 outputs. Kernels compute pairs: 2 tiles of pixels by 2 of outputs. */

enum { FORGE_TILE_PIXELS = 16, FORGE_PIECE_PIXELS = 2 * FORGE_TILE_PIXELS, TILE_ROW_BYTES = 64 };

/* The registers are 4 of sums, 2 of pixels, 2 of weights. */
enum { TILE_REGISTERS = 8 };

/* What the processor reads as the shape of the tiles. */
typedef struct {
  uint8_t palette, start_row, reserved[14];
  uint16_t row_bytes[16];
  uint8_t rows[16];
} tile_shapes;

/* Prepares pairs of `first` and `second` pixels. */
static void shape_tiles(int64_t first, int64_t second) {
  const int64_t rows[TILE_REGISTERS] = {first, first, second, second, first, second, 16, 16};
  tile_shapes shapes __attribute__((aligned(64))) = {.palette = 1};
  for (int i = 0; i < TILE_REGISTERS; i++) {
    shapes.row_bytes[i] = TILE_ROW_BYTES;
    shapes.rows[i] = (uint8_t)rows[i];
  }
  _tile_loadconfig(&shapes);
}
