import ForgeCPU
import ForgeOperations
import ForgeShapes
import ForgeSystem

/// The loaded parameters of a model, still in their source.
struct ParameterStore: ConstantSource {
  /// The description of each parameter.
  let specs: [ParameterSpec]
  /// The values of each parameter, in its source.
  let data: [any ParameterData]
  /// The memory that reading and packing them takes.
  let loading = LoadingMemory()
  /// The memory that one parameter after another is read into.
  private let pool = FloatPool()
  /// The threads that read and pack large parameters.
  var threads = 1
  /// The first parameter of the same values for each that is one tensor of a file with another.
  private let originals: [Int: Int]
  /// For each parameter the one of the same values in the model for the largest sizes; empty for
  /// that model.
  private let counterparts: [Int: Int]

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - specs: the description of each parameter.
  ///   - data: their values.
  ///   - largest: the parameters of the model for the largest sizes; these are those of a model for
  ///     others.
  ///   - isShared: says about a parameter, by its index, whether its values are taken from there;
  ///     others are compared, unless they are one tensor of a file.
  /// - Throws: what reading values throws.
  init(
    specs: [ParameterSpec], data: [any ParameterData], like largest: ParameterStore,
    isShared: (Int) -> Bool
  ) throws {
    var positions: [ParameterSpec: Int] = [:]
    for (index, spec) in largest.specs.enumerated() { positions[spec] = index }
    var counterparts: [Int: Int] = [:]
    for (index, (spec, values)) in zip(specs, data).enumerated() {
      guard let position = positions[spec],
        try isShared(index) || values.isSame(as: largest.data[position])
      else { continue }
      counterparts[index] = position
    }
    self.init(specs: specs, data: data, counterparts: counterparts)
  }

  init(specs: [ParameterSpec], data: [any ParameterData]) {
    self.init(specs: specs, data: data, counterparts: [:])
  }

  private init(
    specs: [ParameterSpec], data: [any ParameterData], counterparts: [Int: Int]
  ) {
    self.specs = specs
    self.data = data
    self.counterparts = counterparts
    var first: [StoredParameter: Int] = [:]
    var originals: [Int: Int] = [:]
    for (index, (spec, values)) in zip(specs, data).enumerated() {
      guard let tensor = (values as? any IdentifiedParameterData)?.identity,
        let strides = values.layout.strides(for: spec)
      else { continue }
      let stored = StoredParameter(tensor: tensor, sizes: spec.sizes, strides: strides)
      if let original = first[stored] { originals[index] = original } else { first[stored] = index }
    }
    self.originals = originals
  }

  /// A tensor of a file and how a parameter reads it.
  private struct StoredParameter: Hashable {
    let tensor: ValueIdentity
    let sizes, strides: [Int]
  }

  /// Frees the memory that is kept while a model is compiled.
  func endLoading() { pool.close() }

  func original(of parameter: Int) -> Int { originals[parameter] ?? parameter }

  func counterpart(of parameter: Int) -> Int? { counterparts[parameter] }

  /// The values of a parameter in Forge's layout, as Float32.
  func values(_ index: Int) throws -> [Float] { try values(of: .parameter(index)) }

  /// Writes the values of a parameter, in Forge's layout and as Float32, to a buffer of their
  /// count in memory with room for `capacity` floats.
  ///
  /// - Throws: ``UnreadableParameter``, `NoMemory`, and `CancellationError` when a watched compile
  ///   has been canceled.
  private func write(
    _ index: Int, to output: UnsafeMutableBufferPointer<Float>, capacity: Int
  ) throws {
    try CompileWatch.check()
    do { try read(index, into: output, capacity: capacity) } catch let error as NoMemory {
      throw error
    } catch {
      throw UnreadableParameter(index: index, cause: error)
    }
    CompileWatch.advance(.plan)
  }

  private func read(
    _ index: Int, into output: UnsafeMutableBufferPointer<Float>, capacity: Int
  ) throws {
    let spec = specs[index]
    let source = data[index]
    let strides = source.layout.strides(for: spec) ?? []
    // Values of a file that need no conversion are read straight into the destination.
    let isDirect =
      source.temporaryByteCount > 0 && source.elementType == .float32
      && source.count == spec.count && output.count == spec.count
      && Self.isPlain(sizes: spec.sizes, strides: strides)
    loading.hold(
      capacity * MemoryLayout<Float>.stride + (isDirect ? 0 : source.temporaryByteCount))
    guard !isDirect else { return try source.read(into: UnsafeMutableRawBufferPointer(output)) }
    try source.withBytes(atLeast: spec.count * source.elementType.byteCount) { bytes in
      ParameterGather.gather(
        bytes, type: source.elementType, sizes: spec.sizes, strides: strides, into: output,
        threads: threads)
    }
  }

  func floats(of recipe: ConstantRecipe) throws -> FloatMemory {
    let memory = try FloatMemory(count: recipe.count { specs[$0].count }, from: pool)
    try withExtendedLifetime(memory) {
      try recipe.write(to: memory.floats) {
        try write($0, to: $1, capacity: memory.capacity)
      }
    }
    return memory
  }

  /// Whether these strides describe contiguous elements in row-major order.
  private static func isPlain(sizes: [Int], strides: [Int]) -> Bool {
    guard sizes.count == strides.count else { return false }
    var step = 1
    for (size, stride) in zip(sizes, strides).reversed() where size != 1 {
      guard stride == step else { return false }
      step *= size
    }
    return true
  }
}

extension ParameterData {
  /// Whether other data hold the same values in the same order, bit by bit.
  ///
  /// - Throws: what reading them throws.
  func isSame(as other: any ParameterData) throws -> Bool {
    guard count == other.count, elementType == other.elementType, layout == other.layout
    else { return false }
    if let tensor = (self as? any IdentifiedParameterData)?.identity,
      tensor == (other as? any IdentifiedParameterData)?.identity
    {
      return true
    }
    var isSame = false
    let byteCount = count * elementType.byteCount
    try withBytes(atLeast: byteCount) { own in
      try other.withBytes(atLeast: byteCount) { bytes in
        guard let one = own.baseAddress, let other = bytes.baseAddress else { return }
        isSame = memcmp(one, other, byteCount) == 0
      }
    }
    return isSame
  }
}
