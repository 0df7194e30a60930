#include "CForgeJPEG.h"

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#if __has_include(<jpeglib.h>) && __has_include(<jerror.h>)
#include <jpeglib.h>
#include <jerror.h>
#else
#error \
  "Forge decodes JPEG pictures with libjpeg, whose header jpeglib.h is missing. Install it (Debian: apt-get install libjpeg62-turbo-dev; Ubuntu: apt-get install libjpeg-dev), or build without the target ForgeImages."
#endif

/* A file may ask for any number of passes over the picture. Encoders make four to eight over each
 * component; more are paid for by the file's bytes, a block each. */
#define FREE_PASSES 12
/* The cost of beginning a scan does not show in its blocks. */
#define MOST_SCANS 1000

/* Rows that are converted or turned together. Turned pictures are written to in runs of as many
 * pixels. */
#define BAND 16

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
  uint64_t blocks_left; /* how many blocks scans may still go over */
  int scans;            /* that were begun */
  unsigned sent;        /* a bit for each component that a scan had */
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
    case JERR_NO_BACKING_STORE: leave_with_message(jpeg, FORGE_JPEG_NO_MEMORY);
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_ARITH_NOTIMPL:
    case JERR_NOT_COMPILED: leave_with_message(jpeg, FORGE_JPEG_UNSUPPORTED);
    default: leave_with_message(jpeg, FORGE_JPEG_DAMAGED);
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
    case JWRN_BOGUS_PROGRESSION: leave_with_message(jpeg, FORGE_JPEG_DAMAGED);
    default: jpeg->err->num_warnings++;
  }
}

/* ---- the bytes ---- */

static void do_nothing(j_decompress_ptr jpeg) { (void)jpeg; }

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

/* ---- the scans ---- */

static uint64_t blocks(const jpeg_component_info *component) {
  return (uint64_t)component->width_in_blocks * component->height_in_blocks;
}

/* Counts a scan before its data is read. */
static void begin_scan(reader *self) {
  const struct jpeg_decompress_struct *jpeg = &self->jpeg;
  uint64_t cost = 0;
  for (int i = 0; i < jpeg->comps_in_scan; i++) {
    cost += blocks(jpeg->cur_comp_info[i]);
    self->sent |= 1u << jpeg->cur_comp_info[i]->component_index;
  }
  if (++self->scans > MOST_SCANS || cost > self->blocks_left) {
    snprintf(self->reason, FORGE_JPEG_REASON, "scan %d, beyond %d passes and a block for each byte",
             self->scans, FREE_PASSES);
    leave(self, FORGE_JPEG_TOO_MUCH_WORK);
  }
  self->blocks_left -= cost;
}

/* libjpeg calls this before each of its steps. */
static void watch_scans(j_common_ptr jpeg) {
  reader *self = jpeg->client_data;
  if (self->jpeg.input_scan_number > self->scans) begin_scan(self);
}

/* Leaves unless the scans brought every bit of every coefficient of the picture. */
static void check_completeness(reader *self) {
  const struct jpeg_decompress_struct *jpeg = &self->jpeg;
  for (int i = 0; i < jpeg->num_components; i++) {
    if ((self->sent >> i & 1) == 0) {
      snprintf(self->reason, FORGE_JPEG_REASON, "no scan of component %d", i + 1);
      leave(self, FORGE_JPEG_INCOMPLETE);
    }
    if (!jpeg->progressive_mode) continue;
    for (int k = 0; k < DCTSIZE2; k++) {
      const int missing = jpeg->coef_bits[i][k];
      if (missing == 0) continue;
      if (missing < 0) {
        snprintf(self->reason, FORGE_JPEG_REASON, "no scan of coefficient %d of component %d", k,
                 i + 1);
      } else {
        snprintf(self->reason, FORGE_JPEG_REASON,
                 "no scan of the last %d bits of coefficient %d of component %d", missing, k,
                 i + 1);
      }
      leave(self, FORGE_JPEG_INCOMPLETE);
    }
  }
}

/* ---- reading ---- */

/* Creates the decoder and reads up to the first scan. */
static void begin(reader *self, const uint8_t *bytes, size_t count) {
  self->jpeg.err = jpeg_std_error(&self->errors);
  self->errors.error_exit = error_exit;
  self->errors.emit_message = emit_message;
  self->jpeg.client_data = self;
  jpeg_create_decompress(&self->jpeg); /* keeps err and client_data */
  self->source.next_input_byte = bytes;
  self->source.bytes_in_buffer = count;
  self->source.init_source = do_nothing;
  self->source.fill_input_buffer = fill_input_buffer;
  self->source.skip_input_data = skip_input_data;
  self->source.resync_to_restart = jpeg_resync_to_restart;
  self->source.term_source = do_nothing;
  self->jpeg.src = &self->source;
  self->progress.progress_monitor = watch_scans;
  self->jpeg.progress = &self->progress;
  jpeg_read_header(&self->jpeg, TRUE);
}

static uint64_t all_blocks(const struct jpeg_decompress_struct *jpeg) {
  uint64_t sum = 0;
  for (int i = 0; i < jpeg->num_components; i++) sum += blocks(&jpeg->comp_info[i]);
  return sum;
}

static uint64_t rounded_up(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/* What libjpeg takes to decode: the coefficients of pictures of several scans, and some rows. */
static uint64_t working_bytes(struct jpeg_decompress_struct *jpeg) {
  /* Each component has at most three groups of rows and what is made of them. */
  uint64_t sum = (uint64_t)(4 * DCTSIZE * jpeg->max_v_samp_factor + BAND) * jpeg->num_components *
    rounded_up(jpeg->image_width, (uint64_t)DCTSIZE * jpeg->max_h_samp_factor);
  if (!jpeg_has_multiple_scans(jpeg)) return sum;
  for (int i = 0; i < jpeg->num_components; i++) {
    const jpeg_component_info *component = &jpeg->comp_info[i];
    sum += rounded_up(component->width_in_blocks, component->h_samp_factor) *
      rounded_up(component->height_in_blocks, component->v_samp_factor) * sizeof(JBLOCK);
  }
  return sum;
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
  header->channels = jpeg->num_components == 1 ? 1 : 3;
  header->working = working_bytes(jpeg);
  /* Every block of a picture costs at least the one bit of its Huffman code; arithmetic codes can
   * be of any smallness. */
  header->least = jpeg->arith_code ? 0 : all_blocks(jpeg) / 8;
}

/* ---- rows ---- */

/* The nearest whole number to `product` / 255, for products of two bytes. */
static unsigned divided_by_255(unsigned product) {
  const unsigned rounded = product + 128;
  return (rounded + (rounded >> 8)) >> 8;
}

/* Makes RGB of CMYK with 0 for full ink, as Adobe's programs store it, in place; no color profile
 * is used. Each color is its light under the light that black leaves. */
static void convert_inverted_cmyk(uint8_t *row, size_t width) {
  for (size_t x = 0; x < width; x++) {
    const unsigned black = row[4 * x + 3];
    for (size_t channel = 0; channel < 3; channel++) {
      const unsigned ink = 255u - row[4 * x + channel];
      row[3 * x + channel] = (uint8_t)(black - divided_by_255(ink * black));
    }
  }
}

static void read_row(reader *self, JSAMPROW row) {
  if (jpeg_read_scanlines(&self->jpeg, &row, 1) != 1) leave(self, FORGE_JPEG_TRUNCATED);
}

/* Writes rows of the file, of `stride` bytes, to where they stand in the target. */
static void place(const uint8_t *band, size_t rows, size_t stride, size_t width, size_t channels,
                  uint8_t *target, const forge_jpeg_layout *layout) {
  for (size_t x = 0; x < width; x++) {
    for (size_t y = 0; y < rows; y++) {
      const uint8_t *from = band + y * stride + x * channels;
      uint8_t *to = target + (ptrdiff_t)x * layout->column_step + (ptrdiff_t)y * layout->row_step;
      for (size_t channel = 0; channel < channels; channel++) to[channel] = from[channel];
    }
  }
}

/* Reads all rows straight into the target where they stand there as libjpeg gives them, else
 * through a band of rows. */
static void read_rows(reader *self, size_t channels, uint8_t *pixels,
                      const forge_jpeg_layout *layout) {
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  const size_t width = jpeg->output_width, height = jpeg->output_height;
  const size_t stride = width * (size_t)jpeg->output_components;
  const int is_cmyk = jpeg->out_color_space == JCS_CMYK;
  uint8_t *first = pixels + layout->origin;
  if (!is_cmyk && layout->column_step == (ptrdiff_t)channels) {
    for (size_t y = 0; y < height; y++) read_row(self, first + (ptrdiff_t)y * layout->row_step);
    return;
  }
  uint8_t *band = (*jpeg->mem->alloc_large)((j_common_ptr)jpeg, JPOOL_IMAGE, (size_t)BAND * stride);
  for (size_t y = 0; y < height; y += BAND) {
    const size_t rows = height - y < BAND ? height - y : BAND;
    for (size_t row = 0; row < rows; row++) {
      read_row(self, band + row * stride);
      if (is_cmyk) convert_inverted_cmyk(band + row * stride, width);
    }
    place(band, rows, stride, width, channels, first + (ptrdiff_t)y * layout->row_step, layout);
  }
}

static void decode(reader *self, const uint8_t *bytes, size_t count, forge_jpeg_header *header,
                   const forge_jpeg_layout *layout, int accepts_missing_scans, uint8_t *pixels) {
  const forge_jpeg_header expected = *header;
  if (setjmp(self->escape) != 0) return;
  struct jpeg_decompress_struct *jpeg = &self->jpeg;
  begin(self, bytes, count);
  describe(self, header);
  if (pixels == NULL) return;
  self->blocks_left = FREE_PASSES * all_blocks(jpeg) + count;
  begin_scan(self);
  jpeg_start_decompress(jpeg); /* reads all scans where there are several */
  if (!accepts_missing_scans) check_completeness(self);
  /* The caller's buffer was made for what the header said. */
  if (jpeg->output_width != expected.width || jpeg->output_height != expected.height ||
      header->channels != expected.channels || jpeg->output_components != jpeg->num_components) {
    leave(self, FORGE_JPEG_DAMAGED);
  }
  read_rows(self, header->channels, pixels, layout);
  /* Reads up to the end marker. */
  jpeg_finish_decompress(jpeg);
}

forge_jpeg_status forge_jpeg_decode(const uint8_t *bytes, size_t count, forge_jpeg_header *header,
                                    const forge_jpeg_layout *layout, int accepts_missing_scans,
                                    uint8_t *pixels, char *reason) {
  reader self;
  memset(&self, 0, sizeof self);
  self.reason = reason;
  reason[0] = 0;
  decode(&self, bytes, count, header, layout, accepts_missing_scans, pixels);
  jpeg_destroy_decompress(&self.jpeg); /* without memory manager it does nothing */
  return self.status;
}
