/* Pictures to PNG files in memory. */
#include "CForgePNG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<png.h>)
#include <png.h>
#endif

/* One use of libpng. */
typedef struct {
  png_structp png;
  png_infop info;
  uint8_t *file;
  size_t count, capacity;
  jmp_buf escape;
  forge_png_status status;
  char *reason;
} writer;

_Noreturn static void leave(writer *self, forge_png_status status) {
  self->status = status;
  longjmp(self->escape, 1);
}

_Noreturn static void on_error(png_structp png, png_const_charp message) {
  writer *self = png_get_error_ptr(png);
  snprintf(self->reason, FORGE_PNG_REASON, "%s", message);
  leave(self, FORGE_PNG_NO_MEMORY);
}

static void on_warning(png_structp png, png_const_charp message) {
  (void)png;
  (void)message;
}

static void append(png_structp png, png_bytep bytes, size_t count) {
  writer *self = png_get_io_ptr(png);
  if (count > self->capacity - self->count) {
    size_t capacity = self->capacity;
    while (count > capacity - self->count) {
      if (capacity > SIZE_MAX / 2) leave(self, FORGE_PNG_NO_MEMORY);
      capacity = capacity ? 2 * capacity : 1 << 14;
    }
    uint8_t *file = realloc(self->file, capacity);
    if (file == NULL) leave(self, FORGE_PNG_NO_MEMORY);
    self->file = file;
    self->capacity = capacity;
  }
  memcpy(self->file + self->count, bytes, count);
  self->count += count;
}

static void flush(png_structp png) { (void)png; }

static void encode(writer *self, const forge_png_picture *picture) {
  if (setjmp(self->escape) != 0) return;
  self->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
  if (self->png == NULL) leave(self, FORGE_PNG_NO_MEMORY);
  self->info = png_create_info_struct(self->png);
  if (self->info == NULL) leave(self, FORGE_PNG_NO_MEMORY);
  png_set_write_fn(self->png, self, append, flush);
  png_set_user_limits(self->png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(self->png, picture->level);
  const int color = picture->channels == 1 ? PNG_COLOR_TYPE_GRAY
    : picture->channels == 3               ? PNG_COLOR_TYPE_RGB
                                           : PNG_COLOR_TYPE_RGB_ALPHA;
  png_set_IHDR(self->png, self->info, picture->width, picture->height, (int)picture->bits, color,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(self->png, self->info);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  if (picture->bits == 16) png_set_swap(self->png);
#endif
  for (uint32_t y = 0; y < picture->height; y++)
    png_write_row(self->png, picture->pixels + y * picture->row_bytes);
  png_write_end(self->png, NULL);
}

forge_png_status forge_png_encode(const forge_png_picture *picture, uint8_t **file, size_t *count,
                                  char *reason) {
  writer self;
  memset(&self, 0, sizeof self);
  self.reason = reason;
  reason[0] = 0;
  encode(&self, picture);
  if (self.png != NULL) png_destroy_write_struct(&self.png, &self.info);
  if (self.status != FORGE_PNG_DONE) {
    free(self.file);
    self.file = NULL;
    self.count = 0;
  }
  *file = self.file;
  *count = self.count;
  return self.status;
}

void forge_png_free(uint8_t *file) { free(file); }
