#include "CForgeJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#if __has_include(<jpeglib.h>) && __has_include(<jerror.h>)
#include <jpeglib.h>
#include <jerror.h>
#else
#error "Forge decodes JPEG pictures with libjpeg, whose header jpeglib.h is missing. Install it (Debian: apt-get install libjpeg62-turbo-dev; Ubuntu: apt-get install libjpeg-dev), or build without the target ForgeImages."
#endif

/* A file may ask for any number of passes over the picture; no encoder makes nearly as many. */
#define MOST_SCANS 500

_Static_assert(FORGE_JPEG_REASON >= JMSG_LENGTH_MAX, "libjpeg's messages must fit");

/* One use of libjpeg. Its parts find it again by their addresses or through client_data. */
typedef struct {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct jpeg_source_mgr source;
  struct jpeg_progress_mgr progress;
  jmp_buf escape;
  forge_jpeg_status status;
  char *reason;
} reader;

/* ---- errors ---- */

_Noreturn static void leave(reader *self, forge_jpeg_status status) {
  self->status = status;
  longjmp(self->escape, 1);
}

/* Leaves with libjpeg's own words. */
_Noreturn static void leave_with_message(j_common_ptr jpeg, forge_jpeg_status status) {
  reader *self = jpeg->client_data;
  (*jpeg->err->format_message)(jpeg, self->reason);
  leave(self, status);
}

static void error_exit(j_common_ptr jpeg) {
  switch (jpeg->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
    case JERR_NO_BACKING_STORE:
      leave_with_message(jpeg, FORGE_JPEG_NO_MEMORY);
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED:
      leave_with_message(jpeg, FORGE_JPEG_UNSUPPORTED);
    default:
      leave_with_message(jpeg, FORGE_JPEG_DAMAGED);
  }
}

/* Warnings after which pixels are invented are errors; others, as those about bytes between the
 * segments, change no pixel and are passed over. */
static void emit_message(j_common_ptr jpeg, int level) {
  if (level >= 0) return;
  switch (jpeg->err->msg_code) {
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
    case JWRN_MUST_RESYNC:
      leave_with_message(jpeg, FORGE_JPEG_DAMAGED);
    default:
      jpeg->err->num_warnings++;
  }
}

static void output_message(j_common_ptr jpeg) { (void)jpeg; }

/* ---- the bytes ---- */

static void init_source(j_decompress_ptr jpeg) { (void)jpeg; }

static void term_source(j_decompress_ptr jpeg) { (void)jpeg; }

/* All bytes were given at the start: whoever asks for more has met the end of a file cut short. */
static boolean fill_input_buffer(j_decompress_ptr jpeg) {
  leave(jpeg->client_data, FORGE_JPEG_TRUNCATED);
}

static void skip_input_data(j_decompress_ptr jpeg, long count) {
  if (count <= 0) return;
  if ((size_t)count > jpeg->src->bytes_in_buffer) leave(jpeg->client_data, FORGE_JPEG_TRUNCATED);
  jpeg->src->next_input_byte += count;
  jpeg->src->bytes_in_buffer -= (size_t)count;
}

static void watch_scans(j_common_ptr jpeg) {
  reader *self = jpeg->client_data;
  if (self->jpeg.input_scan_number > MOST_SCANS) {
    snprintf(self->reason, FORGE_JPEG_REASON, "more than %d scans", MOST_SCANS);
    leave(self, FORGE_JPEG_DAMAGED);
  }
}

/* ---- reading ---- */

/* Creates the decoder and reads up to the first scan. */
static void begin(reader *self, const uint8_t *bytes, size_t count) {
  self->jpeg.err = jpeg_std_error(&self->errors);
  self->errors.error_exit = error_exit;
  self->errors.emit_message = emit_message;
  self->errors.output_message = output_message;
  self->jpeg.client_data = self;
  jpeg_create_decompress(&self->jpeg); /* keeps err and client_data */
  self->source.next_input_byte = bytes;
  self->source.bytes_in_buffer = count;
  self->source.init_source = init_source;
  self->source.fill_input_buffer = fill_input_buffer;
  self->source.skip_input_data = skip_input_data;
  self->source.resync_to_restart = jpeg_resync_to_restart;
  self->source.term_source = term_source;
  self->jpeg.src = &self->source;
  self->progress.progress_monitor = watch_scans;
  self->jpeg.progress = &self->progress;
  jpeg_read_header(&self->jpeg, TRUE);
}

/* Every block of a picture costs at least the one bit of its Huffman code; arithmetic codes can be
 * of any smallness. */
static uint64_t least_bytes(const struct jpeg_decompress_struct *jpeg) {
  uint64_t blocks = 0;
  if (jpeg->arith_code) return 0;
  for (int i = 0; i < jpeg->num_components; i++) {
    const jpeg_component_info *component = &jpeg->comp_info[i];
    blocks += (uint64_t)component->width_in_blocks * component->height_in_blocks;
  }
  return blocks / 8;
}

static void describe(reader *self, forge_jpeg_header *header) {
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  if (jpeg->data_precision != 8) {
    snprintf(self->reason, FORGE_JPEG_REASON, "%d bits per sample", jpeg->data_precision);
    leave(self, FORGE_JPEG_UNSUPPORTED);
  }
  switch (jpeg->num_components) {
    case 1: jpeg->out_color_space = JCS_GRAYSCALE; break;
    case 3: jpeg->out_color_space = JCS_RGB; break;
    case 4: jpeg->out_color_space = JCS_CMYK; break;
    default:
      snprintf(self->reason, FORGE_JPEG_REASON, "%d components", jpeg->num_components);
      leave(self, FORGE_JPEG_UNSUPPORTED);
  }
  header->width = jpeg->image_width;
  header->height = jpeg->image_height;
  header->components = (uint32_t)jpeg->num_components;
  header->least_bytes = least_bytes(jpeg);
}

static void read_header(
    reader *self, const uint8_t *bytes, size_t count, forge_jpeg_header *header) {
  if (setjmp(self->escape) != 0) return;
  begin(self, bytes, count);
  describe(self, header);
}

static void decode(
    reader *self, const uint8_t *bytes, size_t count, const forge_jpeg_header *expected,
    uint8_t *pixels) {
  if (setjmp(self->escape) != 0) return;
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  forge_jpeg_header header;
  begin(self, bytes, count);
  describe(self, &header);
  jpeg_start_decompress(jpeg);
  /* The caller's buffer was made for what the header said. */
  if (jpeg->output_width != expected->width || jpeg->output_height != expected->height
      || jpeg->output_components != (int)expected->components) {
    leave(self, FORGE_JPEG_DAMAGED);
  }
  const size_t stride = (size_t)expected->width * expected->components;
  while (jpeg->output_scanline < jpeg->output_height) {
    JSAMPROW row = pixels + jpeg->output_scanline * stride;
    if (jpeg_read_scanlines(jpeg, &row, 1) != 1) leave(self, FORGE_JPEG_TRUNCATED);
  }
  /* Reads up to the end marker. */
  jpeg_finish_decompress(jpeg);
}

forge_jpeg_status forge_jpeg_read_header(
    const uint8_t *bytes, size_t count, forge_jpeg_header *header, char *reason) {
  reader self;
  memset(&self, 0, sizeof self);
  memset(header, 0, sizeof *header);
  self.reason = reason;
  reason[0] = 0;
  read_header(&self, bytes, count, header);
  jpeg_destroy_decompress(&self.jpeg); /* without memory manager it does nothing */
  return self.status;
}

forge_jpeg_status forge_jpeg_decode(
    const uint8_t *bytes, size_t count, const forge_jpeg_header *header, uint8_t *pixels,
    char *reason) {
  reader self;
  memset(&self, 0, sizeof self);
  self.reason = reason;
  reason[0] = 0;
  decode(&self, bytes, count, header, pixels);
  jpeg_destroy_decompress(&self.jpeg);
  return self.status;
}
