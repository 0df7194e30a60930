#ifndef CFORGE_HDF5_H
#define CFORGE_HDF5_H

#if __has_include(<hdf5.h>)
#include <hdf5.h>
#else
#error \
  "Forge writes HDF5 files with libhdf5, whose header hdf5.h is missing. Install it (Debian, Ubuntu: apt-get install libhdf5-dev pkg-config), or do without the product ForgeHDF5."
#endif

#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Swift does not import libhdf5's names, which are macros that call H5open(). These functions write
// files, and read them for the tests of Forge's reader. The library is not thread-safe: one call at
// a time.

// Receives the text of libhdf5's innermost error.
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

// libhdf5's settings, to be restored.
typedef struct {
  H5E_auto2_t print;
  void *print_data;
  unsigned plugins;
} forge_hdf5_settings;

// Starts to use the library, without messages and plugins until the end.
static inline int forge_hdf5_begin(forge_hdf5_settings *settings) {
  if (H5open() < 0) return 0;
  H5Eget_auto2(H5E_DEFAULT, &settings->print, &settings->print_data);
  H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  H5PLget_loading_state(&settings->plugins);
  H5PLset_loading_state(0);
  return 1;
}

// Copies the text of the last error to `reason` and restores the settings.
static inline void forge_hdf5_end(const forge_hdf5_settings *settings, char *reason,
                                  size_t reason_capacity) {
  forge_hdf5_reason note = {reason, reason_capacity};
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, forge_hdf5_note_error, &note);
  H5PLset_loading_state(settings->plugins);
  H5Eset_auto2(H5E_DEFAULT, settings->print, settings->print_data);
}

// MARK: Reading

// Reads an open dataset if its sizes, type and storage are as the caller expects.
static inline int forge_hdf5_read_open(hid_t dataset, size_t element_bytes, int rank,
                                       const uint64_t *sizes, void *values) {
  int done = 0;
  hid_t type = H5Dget_type(dataset);
  hid_t space = H5Dget_space(dataset);
  hid_t creation = H5Dget_create_plist(dataset);
  hsize_t found[H5S_MAX_RANK];
  if (type >= 0 && space >= 0 && creation >= 0 && H5Tget_size(type) == element_bytes &&
      H5Tget_order(type) != H5T_ORDER_BE && H5Pget_layout(creation) != H5D_VIRTUAL &&
      H5Pget_external_count(creation) == 0 && H5Sget_simple_extent_ndims(space) == rank &&
      H5Sget_simple_extent_dims(space, found, NULL) == rank) {
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
// Takes no file lock. Returns 1, or 0 with libhdf5's message in `reason`.
static inline int forge_hdf5_read(const char *path, const char *name, size_t element_bytes,
                                  int rank, const uint64_t *sizes, void *values, char *reason,
                                  size_t reason_capacity) {
  int done = 0;
  forge_hdf5_settings settings;
  if (reason_capacity > 0) reason[0] = 0;
  if (!forge_hdf5_begin(&settings)) return 0;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access, 0, 1);
#endif
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  hid_t dataset = file >= 0 ? H5Dopen2(file, name, H5P_DEFAULT) : -1;
  if (dataset >= 0) done = forge_hdf5_read_open(dataset, element_bytes, rank, sizes, values);
  forge_hdf5_end(&settings, reason, reason_capacity);
  // Closing clears the error.
  H5E_BEGIN_TRY {
    if (dataset >= 0) H5Dclose(dataset);
    if (file >= 0) H5Fclose(file);
    if (access >= 0) H5Pclose(access);
  }
  H5E_END_TRY
  return done;
}

// MARK: Writing

// Creates a file in memory with room for about `byte_count` bytes; -1 on failure.
static inline hid_t forge_hdf5_create(size_t byte_count) {
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (access < 0) return -1;
  H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
  // libhdf5 checks whether the path exists even though it stores no file, and takes two open files
  // of one name for the same.
  static unsigned long long number = 0;
  char name[64];
  snprintf(name, sizeof name, "/dev/null/forge%llu", number++);
  hid_t file = H5Pset_fapl_core(access, byte_count, 0) < 0
    ? -1
    : H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, access);
  H5Pclose(access);
  return file;
}

// Opens the group of a path, or creates it and its parents.
static inline hid_t forge_hdf5_group(hid_t file, const char *path) {
  hid_t group = H5Gopen2(file, path, H5P_DEFAULT);
  if (group >= 0) return group;
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  group = H5Gcreate2(file, path, links, H5P_DEFAULT, H5P_DEFAULT);
  if (links >= 0) H5Pclose(links);
  return group;
}

// Writes an attribute of texts of `width` bytes each, padded by zeros, to a group; a scalar when
// `count` is negative. Returns 1 on success.
static inline int forge_hdf5_write_texts(hid_t file, const char *path, const char *name,
                                         const char *texts, size_t width, int64_t count) {
  hsize_t size = count < 0 ? 1 : (hsize_t)count;
  hid_t group = forge_hdf5_group(file, path);
  hid_t type = H5Tcopy(H5T_C_S1);
  hid_t space = count < 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, NULL);
  hid_t attribute = -1;
  if (group >= 0 && type >= 0 && space >= 0 && H5Tset_size(type, width) >= 0 &&
      H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0) {
    attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  }
  int done = attribute >= 0 && (count == 0 || H5Awrite(attribute, type, texts) >= 0);
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  if (group >= 0) H5Gclose(group);
  return done;
}

// Writes a dataset of single-precision numbers. Returns 1 on success.
static inline int forge_hdf5_write_floats(hid_t file, const char *path, int rank,
                                          const uint64_t *sizes, const float *values) {
  hsize_t found[H5S_MAX_RANK];
  if (rank < 0 || rank > H5S_MAX_RANK) return 0;
  for (int axis = 0; axis < rank; axis++) found[axis] = sizes[axis];
  hid_t space = rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(rank, found, NULL);
  hid_t links = H5Pcreate(H5P_LINK_CREATE);
  hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  // The same parameters make the same bytes.
  H5Pset_obj_track_times(creation, 0);
  hid_t dataset =
    space < 0 ? -1 : H5Dcreate2(file, path, H5T_IEEE_F32LE, space, links, creation, H5P_DEFAULT);
  int done =
    dataset >= 0 && H5Dwrite(dataset, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
  if (dataset >= 0) H5Dclose(dataset);
  if (creation >= 0) H5Pclose(creation);
  if (links >= 0) H5Pclose(links);
  if (space >= 0) H5Sclose(space);
  return done;
}

// Copies at most `count` bytes of a file in memory; returns the size of the file, or -1.
static inline int64_t forge_hdf5_image(hid_t file, void *bytes, size_t count) {
  if (H5Fflush(file, H5F_SCOPE_GLOBAL) < 0) return -1;
  return H5Fget_file_image(file, bytes, count);
}

static inline void forge_hdf5_close(hid_t file) { H5Fclose(file); }

#endif
