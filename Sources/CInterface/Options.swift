import CForge
import Forge
import ForgeImporters

/// Structures of options, of this version of the header or an older one.
enum Options {
  /// The options of a caller: those that the caller's structure lacks are the default ones.
  ///
  /// The structure begins with its size.
  static func read<Structure: BitwiseCopyable>(
    _ given: UnsafePointer<Structure>?, defaults: Structure
  ) throws(Failure) -> Structure {
    guard let given else { return defaults }
    let size = UnsafeRawPointer(given).loadUnaligned(as: Int.self)
    let known = MemoryLayout<Structure>.stride
    guard size >= MemoryLayout<Int>.size, size <= known else {
      throw Failure(
        "struct_size is not that of this version", received: "\(size)", needs: "\(known)")
    }
    var options = defaults
    withUnsafeMutableBytes(of: &options) { bytes in
      let count = min(size, bytes.count)
      bytes.copyMemory(from: UnsafeRawBufferPointer(start: given, count: count))
    }
    return options
  }

  static func model(
    _ given: UnsafePointer<forge_model_options>?
  ) throws(Failure) -> forge_model_options {
    var defaults = forge_model_options()
    defaults.maximum_batch = 1
    return try read(given, defaults: defaults)
  }

  static func context(
    _ given: UnsafePointer<forge_context_options>?
  ) throws(Failure) -> forge_context_options {
    var defaults = forge_context_options()
    defaults.batch = 1
    return try read(given, defaults: defaults)
  }
}

extension forge_model_options {
  /// The options of the compile.
  func compileOptions() throws(Failure) -> CompileOptions {
    let precisions: [CompileOptions.Precision] = [.float32, .halfWeights, .bfloat16, .int8]
    guard precisions.indices.contains(Int(precision)) else {
      throw Failure(
        "the precision is unknown", received: "\(precision)",
        needs: "0 to \(precisions.count - 1)")
    }
    guard (0...CompileOptions.Threads.maximum).contains(Int(threads)) else {
      throw Failure(
        "the number of threads is out of range", received: "\(threads)",
        needs: "0 to \(CompileOptions.Threads.maximum)")
    }
    guard maximum_batch >= 1 else {
      throw Failure(
        "maximum_batch is out of range", received: "\(maximum_batch)", needs: "at least 1")
    }
    return CompileOptions(
      maximumBatch: Int(maximum_batch), threads: 1,
      compileThreads: threads == 0 ? .automatic : .atMost(Int(threads)),
      precision: precisions[Int(precision)])
  }

  /// The sizes of inputs that the file leaves open, by name.
  func sizes() throws(Failure) -> [String: [InputSize]] {
    guard input_size_count > 0 else { return [:] }
    guard let start = input_sizes else { throw .null("input_sizes") }
    guard input_size_count <= Self.mostInputSizes else {
      throw Failure(
        "input_size_count is out of range", received: "\(input_size_count)",
        needs: "at most \(Self.mostInputSizes)")
    }
    var found: [String: [InputSize]] = [:]
    for given in UnsafeBufferPointer(start: start, count: input_size_count) {
      guard let name = given.name else { throw .null("the name of an input size") }
      guard given.rank <= FORGE_MAXIMUM_RANK else {
        throw Failure(
          "an input size has too many axes", received: "\(given.rank)",
          needs: "at most \(FORGE_MAXIMUM_RANK)")
      }
      let sizes = withUnsafeBytes(of: given.sizes) { bytes in
        bytes.bindMemory(to: Int64.self).prefix(Int(given.rank)).map { Int($0) }
      }
      if let wrong = sizes.first(where: { $0 < 1 }) {
        throw Failure("an input size is out of range", received: "\(wrong)", needs: "at least 1")
      }
      found[String(cString: name)] = sizes.map { .exactly($0) }
    }
    return found
  }

  private static var mostInputSizes: Int { 4096 }
}
