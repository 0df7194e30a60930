/* Pictures as rows of pixels: colors, resampling, and the values that a network takes.
 *
 * A picture goes through forge_prepare row by row: unpacked to a working row, resampled across,
 * resampled down, written. Nothing here allocates, locks or keeps state between calls. Callers have
 * checked sizes, strides and tables.
 *
 * A working row has 1 channel (gray) or 4 (red, green, blue, alpha or nothing), as bytes or floats.
 * Every form of a kernel gives the same bits: bytes are computed in whole numbers, floats one tap
 * after the other. */
#ifndef CFORGE_PIXELS_H
#define CFORGE_PIXELS_H

#include "CForgeKernels.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that may be read and written past the end of a working row. */
#define FORGE_ROW_PAD 256

/* The most rows that are kept resampled for the next ones. Outputs of more taps than this sum in
 * pieces. */
#define FORGE_MOST_ROWS 128

/* The fraction bits of the weights of the antialiased filters, as in Pillow. */
#define FORGE_WEIGHT_BITS 22

/* The arrangement of a picture's samples. */
typedef enum {
  FORGE_PIXELS_GRAY = 0,
  FORGE_PIXELS_RGB,
  FORGE_PIXELS_BGR,
  FORGE_PIXELS_RGBA,
  FORGE_PIXELS_BGRA,
  FORGE_PIXELS_ARGB,
  FORGE_PIXELS_I420, /* planes: y; u and v of half the width and height, rounded up */
  FORGE_PIXELS_NV12, /* planes: y; u and v in turn */
  FORGE_PIXELS_NV21, /* planes: y; v and u in turn */
  FORGE_PIXELS_YUYV  /* y, u, y, v; width rounded up to even */
} forge_pixel_kind;

/* The type of a sample; frames have bytes. */
typedef enum { FORGE_SAMPLE_U8 = 0, FORGE_SAMPLE_U16, FORGE_SAMPLE_F32 } forge_sample;

/* The numbers that make colors of a frame, with 20 fraction bits:
 * red = (max(y - black, 0)*y_scale + (v - 128)*v_red + half) >> 20, clamped, and so on. */
typedef struct {
  int32_t black, y_scale, v_red, v_green, u_green, u_blue;
} forge_color_matrix;

/* A picture in memory. Row y of plane p starts at planes[p] + y*strides[p]. */
typedef struct {
  const uint8_t *planes[3];
  int64_t strides[3]; /* bytes; may be negative */
  int64_t width, height;
  int32_t kind;   /* forge_pixel_kind */
  int32_t sample; /* forge_sample */
  forge_color_matrix matrix;
} forge_picture;

/* How an axis is resampled. Output i sums inputs first[i] ..< first[i] + count[i], counted from the
 * beginning of the working row or picture, with weights[i*stride], weights[i*stride + 1] … */
typedef struct {
  int64_t outputs;
  int64_t stride; /* weights of an output: at least every count; a multiple of 4, filled with 0 */
  const int32_t *first, *count;
  const int32_t *weights; /* FORGE_WEIGHT_BITS or 11 fraction bits; NULL for floats */
  const float *shares;    /* for floats; else NULL */
} forge_axis;

/* What happens to the alpha of a source. */
typedef enum {
  FORGE_ALPHA_IGNORED = 0, /* the colors as they are; alpha becomes 255 */
  FORGE_ALPHA_KEPT,
  FORGE_ALPHA_BLENDED,      /* over the background; alpha becomes 255 */
  FORGE_ALPHA_PREMULTIPLIED /* colors times alpha, divided again after resampling */
} forge_alpha;

/* How rows and columns are resampled. */
typedef enum {
  FORGE_RESAMPLE_NONE = 0, /* the pixels of the box as they are */
  FORGE_RESAMPLE_NEAREST,  /* first[i] is the pixel */
  FORGE_RESAMPLE_BYTES,    /* weights of 22 bits, a byte between the axes */
  FORGE_RESAMPLE_PAIRS,    /* two taps of 11 bits: the picked columns 2*i and 2*i + 1, whose weights
                            * are the lower and the upper half of weights[i]; the rows first[i] and
                            * second[i] */
  FORGE_RESAMPLE_FLOATS    /* shares */
} forge_resampling;

/* What is written. */
typedef enum {
  FORGE_WRITE_PIXELS = 0, /* `kind` and `sample` */
  FORGE_WRITE_FLOATS,     /* tables or factors, NHWC or NCHW by the steps */
  FORGE_WRITE_U8,
  FORGE_WRITE_I8
} forge_writing;

typedef struct {
  uint8_t *base;
  int64_t row_stride;       /* bytes */
  int64_t pixel_step;       /* elements from pixel to pixel */
  int64_t channel_step;     /* elements from channel to channel */
  int64_t width, height;    /* with the border */
  int64_t left, top;        /* of the resampled picture inside */
  int32_t writing;          /* forge_writing */
  int32_t kind, sample;     /* for FORGE_WRITE_PIXELS */
  int32_t channels;         /* values of a pixel, at most 4 */
  int32_t lanes[4];         /* the working channel of each */
  const float *tables;      /* [channels][256], of the bytes of a working row */
  const uint8_t *bytes;     /* [channels][256], for FORGE_WRITE_U8 and I8 */
  double scale[4], bias[4]; /* value = sample*scale + bias, of the floats of a working row */
  float low, high;          /* to which bytes of float rows are clamped */
  const float *mean;        /* subtracted; laid out as the output; NULL for none */
  float border[4];          /* the working row's value outside of the picture, as bytes or floats */
} forge_output;

/* One preparation, resampling or conversion. */
typedef struct {
  forge_level level;
  forge_picture source;
  int32_t working; /* channels of a working row: 1 or 4 */
  int32_t floats;  /* whether samples are unpacked as floats */
  int32_t rounds;  /* whether float results are rounded to bytes before they are written */
  int32_t alpha;   /* forge_alpha */
  float background[4];
  int32_t resampling;    /* forge_resampling */
  int32_t rows_first;    /* whether rows are resampled along the columns before columns */
  int64_t from, to;      /* the columns of the source that are unpacked, if not picked */
  int64_t top;           /* the first row of the source, for FORGE_RESAMPLE_NONE */
  const int32_t *picked; /* the columns that are unpacked one by one; NULL for from ..< to */
  int64_t picked_count;
  forge_axis columns, rows;
  const int32_t *second; /* the lower row of each pair */
  forge_output output;
  uint8_t *scratch; /* scratch_bytes for each worker */
  int64_t scratch_bytes;
  int32_t *fault; /* set to 1 where a float sample is not finite; NULL where none can be */
} forge_preparation;

/* The scratch that one worker needs for `preparation`, whose other fields are set. */
int64_t forge_preparation_scratch(const forge_preparation *preparation);

/* Writes the output rows first ..< last: a forge_kernel whose tiles are the rows of the output. */
void forge_prepare(const void *preparation, const forge_frame *frame, int64_t first, int64_t last);

/* Runs forge_prepare over all rows on at most `threads` threads of the pool. */
void forge_prepare_all(const forge_preparation *preparation, int32_t threads);

/* The name of the forms that a level uses: "scalar", "baseline", "avx2", "avx512"; NULL if this
 * machine lacks it. */
const char *forge_pixel_forms(forge_level level);

#endif
