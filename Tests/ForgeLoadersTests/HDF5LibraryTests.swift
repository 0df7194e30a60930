import ForgeHDF5
import ForgeLoaders
import ForgeTestSupport
import Foundation
import Testing

/// libhdf5 as the reference: it reads the same values, bit for bit.
///
/// The library is not thread-safe, and Forge also calls it for writing.
@Suite struct HDF5LibraryTests {
  /// The values of a dataset as libhdf5 reads them.
  private func judged(_ path: String, _ entry: HDF5File.Entry) throws -> [UInt8] {
    let element = max(entry.byteCount / max(entry.sizes.reduce(1, *), 1), 1)
    let type = try #require(entry.elementType)
    #expect(entry.byteCount == 0 || element == type.byteCount)
    return try #require(
      HDF5Library.values(of: entry, in: path, elementBytes: type.byteCount),
      "\(path) \(entry.name)")
  }

  /// Compares every dataset of a file and says how many there were.
  private func compare(_ path: String) throws -> Int {
    let file = try HDF5File(path)
    var count = 0
    for entry in file.entries where entry.problem == nil {
      var values: [UInt8] = []
      try file.data(at: entry.name).withUnsafeBytes { values = [UInt8]($0) }
      #expect(try judged(path, entry) == values, "\(path) \(entry.name)")
      count += 1
    }
    return count
  }

  @Test(
    .enabled(if: Fixtures.hasZlib),
    arguments: [
      ("layouts_old.h5", 28), ("layouts_new.h5", 44), ("storage.h5", 35), ("newest.h5", 3),
      ("keras2_model.h5", 10), ("keras3.h5", 14), ("keras3.weights.h5", 14), ("user_block.h5", 2),
    ])
  func libraryReadsMatchForge(name: String, count: Int) throws {
    #expect(try compare(Fixtures.path(name)) == count)
  }

  /// All `.h5` files of `../shared/data`.
  static let sharedFiles =
    (FileManager.default.enumerator(atPath: SharedFiles.data.path)?
    .compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".h5") }

  @Test(.enabled(if: !sharedFiles.isEmpty, "no .h5 files in ../shared/data"))
  func libraryReadsMatchForgeOnSharedFiles() throws {
    for name in Self.sharedFiles {
      #expect(try compare(SharedFiles.data.appendingPathComponent(name).path) > 20, "\(name)")
    }
  }

  @Test func libraryReadsMatchWrittenFiles() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/net.h5"
    try HDF5Weights.write(HDF5WeightsTests.parameters, matrices: ["fc"], to: path)
    #expect(try compare(path) == HDF5WeightsTests.specs.count)
  }

  static let random = ProcessInfo.processInfo.environment["FORGE_HDF5_RANDOM"]

  /// `Fixtures/make_random.py` writes the files.
  @Test(.enabled(if: random != nil, "FORGE_HDF5_RANDOM names no folder of random files"))
  func libraryReadsMatchForgeOnRandomFiles() throws {
    let folder = try #require(Self.random)
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasSuffix(".h5") }.sorted()
    var counts = (values: 0, refused: 0)
    for name in names {
      let path = "\(folder)/\(name)"
      counts.values += try compare(path)
      for entry in try HDF5File(path).entries {
        guard let problem = entry.problem else { continue }
        // What is not read is of a type that is not.
        #expect(problem.kind == .wrongElementType, "\(path) \(entry.name): \(problem)")
        counts.refused += 1
      }
    }
    #expect(counts.values > names.count)
    print(
      "random files: \(names.count), datasets the same: \(counts.values), of types that are not "
        + "read: \(counts.refused)")
  }
}
