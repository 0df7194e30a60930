/* Pictures from JPEG files in memory, through libjpeg (libjpeg-turbo or another of its interface).
 *
 * libjpeg reports errors by longjmp, which must never cross a Swift frame: it stays inside the
 * function here. It keeps nothing between calls, prints nothing, releases what it took, and may be
 * called by any number of threads at once.
 */
#ifndef CFORGE_JPEG_H
#define CFORGE_JPEG_H

#include <stddef.h>
#include <stdint.h>

/* How a call ended. */
typedef enum {
  FORGE_JPEG_DONE = 0,
  FORGE_JPEG_TRUNCATED = 1,   /* the bytes end before the picture does */
  FORGE_JPEG_DAMAGED = 2,     /* the bytes contradict themselves */
  FORGE_JPEG_UNSUPPORTED = 3, /* in order, but of a form that is not read */
  FORGE_JPEG_NO_MEMORY = 4,
  FORGE_JPEG_INCOMPLETE = 5,   /* in order, but scans of the picture are missing */
  FORGE_JPEG_TOO_MUCH_WORK = 6 /* the scans go over the picture too often */
} forge_jpeg_status;

/* Bytes that libjpeg's longest message fits into. */
enum { FORGE_JPEG_REASON = 256 };

typedef struct {
  uint32_t width, height;
  /* Bytes per decoded pixel: 1 gray, 3 RGB. CMYK becomes RGB. */
  uint32_t channels;
  /* The fewest bytes of compressed data that such a picture can have; 0 when nothing is known. */
  uint64_t least;
  /* An upper bound of the memory that decoding takes besides the file and the pixels. */
  uint64_t working;
} forge_jpeg_header;

/* Where pixels of the file stand in the target: the pixel of column x and row y of the file at
 * origin + x * column_step + y * row_step, in bytes from the target's start. */
typedef struct {
  ptrdiff_t origin, column_step, row_step;
} forge_jpeg_layout;

/* Reads what stands before the picture into `header`, and if `pixels` is not NULL decodes the
 * picture into it: height * width * channels bytes, as the header of the same bytes says, which the
 * caller has read before; `layout` reaches all of them. Damage that libjpeg would fill with gray is
 * an error, and so are missing scans unless they are accepted. `reason` has room for
 * FORGE_JPEG_REASON bytes and holds libjpeg's words, or is empty. */
forge_jpeg_status forge_jpeg_decode(const uint8_t *bytes, size_t count, forge_jpeg_header *header,
                                    const forge_jpeg_layout *layout, int accepts_missing_scans,
                                    uint8_t *pixels, char *reason);

/* The pixels of a file to be written: rows from the top. */
typedef struct {
  const uint8_t *pixels;
  size_t row_bytes;
  uint32_t width, height;
  uint32_t channels; /* 1 gray, 3 RGB */
  int quality;       /* 1 to 100, of the IJG's scale */
  int full_color;    /* whether colors keep their resolution (4:4:4, else 4:2:0) */
} forge_jpeg_picture;

/* Encodes a picture to a new file in memory, which the caller frees with forge_jpeg_free. */
forge_jpeg_status forge_jpeg_encode(const forge_jpeg_picture *picture, uint8_t **file,
                                    size_t *count, char *reason);
void forge_jpeg_free(uint8_t *file);

#endif
