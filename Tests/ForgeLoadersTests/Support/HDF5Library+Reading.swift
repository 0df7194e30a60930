// Swift sees libhdf5's identifiers as variables, because the library sets them when it starts.
@preconcurrency import CForgeHDF5
import ForgeHDF5
import ForgeLoaders

extension HDF5Library {
  /// Reads a dataset with libhdf5; `nil` unless it has the expected sizes, type and storage.
  static func values(of entry: HDF5File.Entry, in path: String, elementBytes: Int) -> [UInt8]? {
    exclusively { () -> [UInt8]? in
      let access = H5Pcreate(H5P_CLS_FILE_ACCESS_ID_g)
      defer { H5Pclose(access) }
      H5Pset_fclose_degree(access, H5F_CLOSE_STRONG)
      // The shared files may be on a disk without locks.
      H5Pset_file_locking(access, false, true)
      let file = H5Fopen(path, 0, access)
      guard file >= 0 else { return nil }
      defer { H5Fclose(file) }
      let dataset = H5Dopen2(file, entry.name, 0)
      guard dataset >= 0 else { return nil }
      defer { H5Dclose(dataset) }
      return values(of: entry, dataset, elementBytes: elementBytes)
    } ?? nil
  }

  private static func values(
    of entry: HDF5File.Entry, _ dataset: hid_t, elementBytes: Int
  ) -> [UInt8]? {
    let type = H5Dget_type(dataset)
    let space = H5Dget_space(dataset)
    let creation = H5Dget_create_plist(dataset)
    defer {
      H5Pclose(creation)
      H5Sclose(space)
      H5Tclose(type)
    }
    let rank = entry.sizes.count
    var sizes = [hsize_t](repeating: 0, count: Int(H5S_MAX_RANK))
    guard type >= 0, space >= 0, creation >= 0, H5Tget_size(type) == elementBytes,
      H5Tget_order(type) != H5T_ORDER_BE, H5Pget_layout(creation) != H5D_VIRTUAL,
      H5Pget_external_count(creation) == 0,
      H5Sget_simple_extent_dims(space, &sizes, nil) == Int32(rank),
      sizes.prefix(rank).elementsEqual(entry.sizes.map { hsize_t($0) })
    else { return nil }
    var values = [UInt8](repeating: 0xee, count: entry.byteCount)
    // The file's own type as the memory's: no conversion.
    return H5Dread(dataset, type, 0, 0, 0, &values) >= 0 ? values : nil
  }
}
