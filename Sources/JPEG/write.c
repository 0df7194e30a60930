/* Pictures to JPEG files in memory. */
#include "CForgeJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if __has_include(<jpeglib.h>) && __has_include(<jerror.h>)
#include <jpeglib.h>
#include <jerror.h>
#endif

/* One use of libjpeg. */
typedef struct {
  struct jpeg_compress_struct jpeg;
  struct jpeg_error_mgr errors;
  jmp_buf escape;
  forge_jpeg_status status;
  struct jpeg_destination_mgr target;
  uint8_t *file;
  size_t capacity;
  char *reason;
} writer;

_Noreturn static void error_exit(j_common_ptr jpeg) {
  writer *self = jpeg->client_data;
  (*jpeg->err->format_message)(jpeg, self->reason);
  self->status =
    jpeg->err->msg_code == JERR_IMAGE_TOO_BIG ? FORGE_JPEG_UNSUPPORTED : FORGE_JPEG_NO_MEMORY;
  longjmp(self->escape, 1);
}

static void emit_message(j_common_ptr jpeg, int level) {
  (void)jpeg;
  (void)level;
}

/* ---- the bytes: jpeg_mem_dest does not tell what to free after an error ---- */

static void give_room(writer *self) {
  const size_t used = self->capacity;
  const size_t capacity = used ? 2 * used : 1 << 15;
  uint8_t *file = capacity > used ? realloc(self->file, capacity) : NULL;
  if (file == NULL) {
    self->status = FORGE_JPEG_NO_MEMORY;
    longjmp(self->escape, 1);
  }
  self->file = file;
  self->capacity = capacity;
  self->target.next_output_byte = file + used;
  self->target.free_in_buffer = capacity - used;
}

static void init_destination(j_compress_ptr jpeg) { give_room(jpeg->client_data); }

static boolean empty_output_buffer(j_compress_ptr jpeg) {
  give_room(jpeg->client_data);
  return TRUE;
}

static void term_destination(j_compress_ptr jpeg) { (void)jpeg; }

static void encode(writer *self, const forge_jpeg_picture *picture) {
  if (setjmp(self->escape) != 0) return;
  struct jpeg_compress_struct *jpeg = &self->jpeg;
  jpeg->err = jpeg_std_error(&self->errors);
  self->errors.error_exit = error_exit;
  self->errors.emit_message = emit_message;
  jpeg->client_data = self;
  jpeg_create_compress(jpeg);
  self->target.init_destination = init_destination;
  self->target.empty_output_buffer = empty_output_buffer;
  self->target.term_destination = term_destination;
  jpeg->dest = &self->target;
  jpeg->image_width = picture->width;
  jpeg->image_height = picture->height;
  jpeg->input_components = (int)picture->channels;
  jpeg->in_color_space = picture->channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(jpeg);
  jpeg_set_quality(jpeg, picture->quality, TRUE);
  if (picture->full_color) {
    jpeg->comp_info[0].h_samp_factor = 1;
    jpeg->comp_info[0].v_samp_factor = 1;
  }
  jpeg_start_compress(jpeg, TRUE);
  while (jpeg->next_scanline < jpeg->image_height) {
    /* libjpeg does not write to the rows that it encodes. */
    JSAMPROW row = (JSAMPROW)(picture->pixels + jpeg->next_scanline * picture->row_bytes);
    jpeg_write_scanlines(jpeg, &row, 1);
  }
  jpeg_finish_compress(jpeg);
}

forge_jpeg_status forge_jpeg_encode(const forge_jpeg_picture *picture, uint8_t **file,
                                    size_t *count, char *reason) {
  writer self;
  memset(&self, 0, sizeof self);
  self.reason = reason;
  reason[0] = 0;
  encode(&self, picture);
  jpeg_destroy_compress(&self.jpeg);
  if (self.status != FORGE_JPEG_DONE) {
    free(self.file);
    self.file = NULL;
    self.capacity = self.target.free_in_buffer = 0;
  }
  *file = self.file;
  *count = self.capacity - self.target.free_in_buffer;
  return self.status;
}

void forge_jpeg_free(uint8_t *file) { free(file); }
