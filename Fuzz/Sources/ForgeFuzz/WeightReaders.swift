import Forge

// Each function takes a file and returns whether it was accepted. They are C functions because
// libFuzzer's entry is one.

/// HDF5: the listing, every dataset, Keras's attributes, and both ways to match layers.
@_cdecl("forge_fuzz_hdf5")
public func fuzzHDF5(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(LoadError.self) {
    let file = try HDF5File(path)
    for entry in file.entries.prefix(64) where entry.problem == nil {
      do {
        try use(try file.data(at: entry.name))
      } catch is LoadError {}
    }
    for place in ["/", "/model_weights", "/layers"] {
      for name in ["layer_names", "weight_names", "model_config"] {
        do {
          _ = try file.texts(ofAttribute: name, at: place)
        } catch is LoadError {}
      }
    }
    for matching in [HDF5Parameters.Matching.byName, .inOrder] {
      do {
        try use(try HDF5Parameters(file, matching: matching))
      } catch is LoadError {}
    }
  }
}

/// Archives of NumPy arrays.
@_cdecl("forge_fuzz_npz")
public func fuzzNPZ(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(LoadError.self) {
    let file = try WeightFile(path)
    for entry in file.entries { touch(entry.description) }
    try use(try file.parameters())
    try use(try NumPyParameters(path))
  }
}

/// Keras's archives: the configuration, the names, every parameter.
@_cdecl("forge_fuzz_keras")
public func fuzzKeras(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(LoadError.self) {
    let archive = try KerasArchive(path)
    touch(archive.configuration + (archive.metadata ?? ""))
    for entry in archive.entries.prefix(64) where entry.problem == nil {
      do {
        try use(try archive.data(at: entry.name))
      } catch is LoadError {}
    }
    try use(archive)
  }
}

/// safetensors: the header, every tensor, in both layouts.
@_cdecl("forge_fuzz_safetensors")
public func fuzzSafeTensors(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(LoadError.self) {
    let file = try SafeTensors(path)
    for tensor in file.tensors {
      touch(tensor.description)
      do {
        try use(try file.data(named: tensor.name))
      } catch is LoadError {}
    }
    try use(try SafeTensorsParameters(file))
    try use(try SafeTensorsParameters(file, layout: .keras))
  }
}

/// One NumPy array: its bytes, and its values as Float.
@_cdecl("forge_fuzz_npy")
public func fuzzNPY(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  let path = ScratchFile.path(UnsafeBufferPointer(start: start, count: count))
  return attempt(LoadError.self) {
    let array = try NumPyArray(path: path)
    try use(array.parameter())
    let values = try array.values
    guard values.count == array.count else { fatalError("\(values.count) of \(array.count)") }
  }
}

/// Reads every byte of a text.
private func touch(_ text: String) {
  var sum: UInt8 = 0
  for byte in text.utf8 { sum &+= byte }
  withExtendedLifetime(sum) {}
}
