import Forge
import ForgeImporters

extension StoredTensor {
  /// Reads a `.npy` file, elements and all.
  package init(numPy path: String) throws {
    let array = try NumPyArray(path: path)
    try self.init(
      elementType: array.elementType, sizes: array.sizes, bytes: try array.storedBytes)
  }

  /// Writes a `.npy` file; bf16 is written as Float32, as NumPy does not have it.
  package func write(to path: String) throws {
    guard elementType != .bfloat16 else {
      return try StoredTensor(floats: floats, sizes: sizes).write(to: path)
    }
    try bytes.withUnsafeBytes {
      try NumPyArray.write($0, elementType, sizes: sizes, to: path)
    }
  }
}
