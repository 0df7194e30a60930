/* Rewrites a JPEG file with other scans and the same coefficients: the pictures/jpeg-scans-*.jpg.
 *
 *   cc rescan.c -ljpeg -o rescan
 *   for script in bands sequential bits; do
 *     ./rescan $script <pictures/jpeg-420.jpg >pictures/jpeg-scans-$script.jpg
 *   done
 *
 * "bands" sends each component's coefficients in five bands, "bits" each bit of the coefficients
 * in a scan of its own, "sequential" one whole component after the other. */
#include <stdio.h>
#include <string.h>

#include <jpeglib.h>

static jpeg_scan_info scans[200];
static int count;

static void add(int component, int first, int last, int high, int low) {
  jpeg_scan_info scan = {.Ss = first, .Se = last, .Ah = high, .Al = low};
  scan.comps_in_scan = component < 0 ? 3 : 1;
  for (int i = 0; i < scan.comps_in_scan; i++)
    scan.component_index[i] = component < 0 ? i : component;
  scans[count++] = scan;
}

int main(int argc, char **argv) {
  const char *script = argc > 1 ? argv[1] : "";
  if (strcmp(script, "sequential") == 0) {
    for (int i = 0; i < 3; i++) add(i, 0, 63, 0, 0);
  } else if (strcmp(script, "bands") == 0) {
    const int bands[][2] = {{1, 2}, {3, 9}, {10, 20}, {21, 40}, {41, 63}};
    add(-1, 0, 0, 0, 0);
    for (int i = 0; i < 3; i++)
      for (int k = 0; k < 5; k++) add(i, bands[k][0], bands[k][1], 0, 0);
  } else {
    add(-1, 0, 0, 0, 4);
    for (int low = 3; low >= 0; low--) add(-1, 0, 0, low + 1, low);
    for (int i = 0; i < 3; i++) {
      add(i, 1, 63, 0, 6);
      for (int low = 5; low >= 0; low--) add(i, 1, 63, low + 1, low);
    }
  }

  struct jpeg_error_mgr errors;
  struct jpeg_decompress_struct from = {.err = jpeg_std_error(&errors)};
  struct jpeg_compress_struct to = {.err = &errors};
  jpeg_create_decompress(&from);
  jpeg_create_compress(&to);
  jpeg_stdio_src(&from, stdin);
  jpeg_stdio_dest(&to, stdout);
  jpeg_read_header(&from, TRUE);
  jvirt_barray_ptr *coefficients = jpeg_read_coefficients(&from);
  jpeg_copy_critical_parameters(&from, &to);
  to.scan_info = scans;
  to.num_scans = count;
  jpeg_write_coefficients(&to, coefficients);
  jpeg_finish_compress(&to);
  jpeg_finish_decompress(&from);
  return 0;
}
