#include "CForgePNG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<png.h>)
#include <png.h>
#else
#error \
  "Forge decodes PNG pictures with libpng, whose header png.h is missing. Install it (Debian, Ubuntu: apt-get install libpng-dev), or build without the target ForgeImages."
#endif

/* What libpng and zlib take for themselves. */
#define LIBRARY_BYTES (1 << 17)

/* Deflate makes data at most this many times smaller. */
#define MOST_COMPRESSION 1032

/* One use of libpng. */
typedef struct {
  png_structp png;
  png_infop info;
  const uint8_t *bytes;
  size_t count, position;
  jmp_buf escape;
  forge_png_status status;
  int memory_refused;
  char *reason;
} reader;

/* ---- errors ---- */

_Noreturn static void leave(reader *self, forge_png_status status) {
  self->status = status;
  longjmp(self->escape, 1);
}

_Noreturn static void on_error(png_structp png, png_const_charp message) {
  reader *self = png_get_error_ptr(png);
  snprintf(self->reason, FORGE_PNG_REASON, "%s", message);
  leave(self, self->memory_refused ? FORGE_PNG_NO_MEMORY : FORGE_PNG_DAMAGED);
}

/* Warnings are about chunks that Forge does not use. */
static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

/* ---- memory, so that a lack of it can be told from damage; libpng frees it by itself ---- */

static png_voidp allocate(png_structp png, png_alloc_size_t size) {
  reader *self = png_get_mem_ptr(png);
  void *memory = malloc(size);
  if (memory == NULL) self->memory_refused = 1;
  return memory;
}

/* ---- the bytes ---- */

static void read_bytes(png_structp png, png_bytep target, size_t count) {
  reader *self = png_get_io_ptr(png);
  if (count > self->count - self->position) leave(self, FORGE_PNG_TRUNCATED);
  memcpy(target, self->bytes + self->position, count);
  self->position += count;
}

/* ---- reading ---- */

/* Creates the decoder and reads up to the picture's data. */
static void begin(reader *self, const uint8_t *bytes, size_t count) {
  self->bytes = bytes;
  self->count = count;
  self->png = png_create_read_struct_2(PNG_LIBPNG_VER_STRING, self, on_error, on_warning, self,
                                       allocate, NULL);
  if (self->png == NULL) leave(self, FORGE_PNG_NO_MEMORY);
  self->info = png_create_info_struct(self->png);
  if (self->info == NULL) leave(self, FORGE_PNG_NO_MEMORY);
  png_set_read_fn(self->png, self, read_bytes);
  /* Sizes are the caller's to judge. */
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  /* An altered byte is an error wherever it stands. */
  png_set_crc_action(self->png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
#ifdef PNG_HANDLE_AS_UNKNOWN_SUPPORTED
  /* All chunks but IHDR, PLTE, tRNS, IDAT and IEND are passed over unread. */
  png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
#endif
  png_read_info(self->png, self->info);
}

/* Asks for 8 bits per sample as gray, RGB or RGBA, and tells what will come. */
static void describe(reader *self, forge_png_header *header) {
  png_structp png = self->png;
  png_infop info = self->info;
  const int color = png_get_color_type(png, info);
  const int transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  header->width = png_get_image_width(png, info);
  header->height = png_get_image_height(png, info);
  /* Each row starts with a byte for its filter. */
  header->least = (png_get_rowbytes(png, info) + 1) * header->height / MOST_COMPRESSION;
  /* Two rows, in the widest form that a pixel takes on its way: RGBA of 16 bits. */
  header->working = 2 * 8 * ((uint64_t)header->width + 16) + LIBRARY_BYTES;

  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if (color == PNG_COLOR_TYPE_GRAY) png_set_expand_gray_1_2_4_to_8(png);
  if (transparent) png_set_tRNS_to_alpha(png);
  png_set_strip_16(png);
  if ((color & PNG_COLOR_MASK_ALPHA) != 0 || transparent) {
    png_set_gray_to_rgb(png);
    header->channels = 4;
  } else {
    header->channels = color == PNG_COLOR_TYPE_GRAY ? 1 : 3;
  }
}

static void decode(reader *self, const uint8_t *bytes, size_t count, forge_png_header *header,
                   uint8_t *pixels) {
  const forge_png_header expected = *header;
  if (setjmp(self->escape) != 0) return;
  begin(self, bytes, count);
  describe(self, header);
  if (pixels == NULL) return;
  const int passes = png_set_interlace_handling(self->png);
  png_read_update_info(self->png, self->info);
  /* The caller's buffer was made for what the header said. */
  const size_t stride = (size_t)expected.width * expected.channels;
  if (header->width != expected.width || header->height != expected.height ||
      png_get_rowbytes(self->png, self->info) != stride) {
    leave(self, FORGE_PNG_DAMAGED);
  }
  for (int pass = 0; pass < passes; pass++) {
    for (size_t y = 0; y < expected.height; y++) {
      png_read_row(self->png, pixels + y * stride, NULL);
    }
  }
  /* The check sums after the picture, up to the end chunk. */
  png_read_end(self->png, NULL);
}

forge_png_status forge_png_decode(const uint8_t *bytes, size_t count, forge_png_header *header,
                                  uint8_t *pixels, char *reason) {
  reader self;
  memset(&self, 0, sizeof self);
  self.reason = reason;
  reason[0] = 0;
  decode(&self, bytes, count, header, pixels);
  if (self.png != NULL) png_destroy_read_struct(&self.png, &self.info, NULL);
  return self.status;
}
