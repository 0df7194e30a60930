#ifndef CFORGE_HDF5_H
#define CFORGE_HDF5_H

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#else
#error "Forge's tests compare its reader of HDF5 files with libhdf5, whose header hdf5.h is missing. Install it (Debian, Ubuntu: apt-get install libhdf5-dev pkg-config), or test Forge without it: switch the trait HDF5 off."
#endif

#include <stdint.h>
#include <string.h>

// libhdf5's names are macros that call H5open(), which Swift does not import: what Forge's
// tests need of the library is done here, in one call. The library is not safe with threads: one call at a time.

// A place for the words of the innermost of libhdf5's errors.
typedef struct {
  char *text;
  size_t capacity;
} forge_hdf5_reason;

static inline herr_t forge_hdf5_note_error(unsigned depth, const H5E_error2_t *error, void *data) {
  forge_hdf5_reason *reason = (forge_hdf5_reason *)data;
  if (depth == 0 && error->desc != NULL && reason->capacity > 0) {
    strncpy(reason->text, error->desc, reason->capacity - 1);
    reason->text[reason->capacity - 1] = 0;
  }
  return 0;
}

// Reads an open dataset once its sizes, type and storage are found to be what the caller expects.
static inline int forge_hdf5_read_open(
    hid_t dataset, size_t element_bytes, int rank, const uint64_t *sizes, void *values) {
  int done = 0;
  hid_t type = H5Dget_type(dataset);
  hid_t space = H5Dget_space(dataset);
  hid_t creation = H5Dget_create_plist(dataset);
  hsize_t found[H5S_MAX_RANK];
  if (type >= 0 && space >= 0 && creation >= 0 && H5Tget_size(type) == element_bytes
      && H5Tget_order(type) != H5T_ORDER_BE && H5Pget_layout(creation) != H5D_VIRTUAL
      && H5Pget_external_count(creation) == 0 && H5Sget_simple_extent_ndims(space) == rank
      && H5Sget_simple_extent_dims(space, found, NULL) == rank) {
    int same = 1;
    for (int axis = 0; axis < rank; axis++) same = same && found[axis] == sizes[axis];
    // The file's own type as the memory's: no conversion.
    done = same && H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  }
  if (creation >= 0) H5Pclose(creation);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  return done;
}

// Reads the dataset `name` of the file `path` into `values`, which has room for all of it.
//
// Prints nothing, loads no plugins, takes no file lock, and leaves libhdf5's settings as they were.
// Returns 1, or 0 with libhdf5's words in `reason`.
static inline int forge_hdf5_read(
    const char *path, const char *name, size_t element_bytes, int rank, const uint64_t *sizes,
    void *values, char *reason, size_t reason_capacity) {
  int done = 0;
  H5E_auto2_t print = NULL;
  void *print_data = NULL;
  unsigned plugins = 0;
  if (reason_capacity > 0) reason[0] = 0;
  if (H5open() < 0) return 0;
  H5Eget_auto2(H5E_DEFAULT, &print, &print_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLget_loading_state(&plugins);
  H5PLset_loading_state(0);

  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, 0, 1);
#endif
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  if (file >= 0) {
    hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (dataset >= 0) {
      done = forge_hdf5_read_open(dataset, element_bytes, rank, sizes, values);
    }
    if (!done) {
      forge_hdf5_reason note = {reason, reason_capacity};
      H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, forge_hdf5_note_error, &note);
    }
    if (dataset >= 0) H5Dclose(dataset);
    H5Fclose(file);
  } else {
    forge_hdf5_reason note = {reason, reason_capacity};
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, forge_hdf5_note_error, &note);
  }
  if (access >= 0) H5Pclose(access);

  H5PLset_loading_state(plugins);
  H5Eset_auto2(H5E_DEFAULT, print, print_data);
  return done;
}

#endif
