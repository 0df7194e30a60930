import Forge

/// The sizes that an import assumes for the axes of inputs that a file leaves open.
///
/// A size that alone is open is the length of a sequence, for which one plan serves all lengths.
/// Other sizes, and lengths that the network does not follow, are open sizes.
struct AssumedSizes {
  /// The sizes of the inputs, by name.
  let sizes: [String: [InputSize]]

  /// What may be assumed, in the order in which it is tried.
  ///
  /// - Parameters:
  ///   - inputs: all inputs of the file that the caller does not state.
  ///   - largest: the largest size to begin with.
  /// - Returns: the sizes of the inputs that are open; nothing if none is, or if one has no known
  ///   number of axes.
  static func candidates(for inputs: [OpenInput], largest: Int) -> [AssumedSizes] {
    let open = inputs.map { (input: $0, axes: $0.openAxes(among: inputs)) }
      .filter { !$0.axes.isEmpty || $0.input.sizes?.contains(nil) == true }
    guard !open.isEmpty, inputs.allSatisfy({ $0.sizes != nil }) else { return [] }
    // Axes without names are taken as one length: a network that has others refuses it.
    let names = Set(open.flatMap { open in open.axes.map { open.input.axisName($0) } })
    let isSequence =
      names.count == 1 && open.allSatisfy { $0.axes.count < 2 && ($0.input.sizes ?? []).count < 4 }
    var candidates: [AssumedSizes] = []
    for maximum in maximums(upTo: largest) {
      if isSequence, LengthRange.allowed.contains(maximum) {
        candidates.append(AssumedSizes(open) { _ in .upTo(maximum) })
      }
      candidates.append(
        AssumedSizes(open) { name in
          let sum = OpenSizeSum(name)
          return .open(name, sum.value(1)...sum.value(maximum))
        })
    }
    return candidates
  }

  /// The largest sizes that are tried, one after the other: a network may be too large with one.
  static func maximums(upTo largest: Int) -> [Int] {
    [largest, largest / 4, largest / 16].filter { $0 > 0 }
  }

  /// Assumes these sizes.
  init(sizes: [String: [InputSize]]) { self.sizes = sizes }

  private init(_ open: [(input: OpenInput, axes: [Int])], _ size: (_ name: String) -> InputSize) {
    var sizes: [String: [InputSize]] = [:]
    for (input, axes) in open {
      var stated = (input.sizes ?? []).map { InputSize.exactly($0 ?? 1) }
      for axis in axes { stated[axis] = size(input.sizeName(axis)) }
      sizes[input.name] = stated
    }
    self.sizes = sizes
  }
}

/// The name of a size that is a sum of others and of numbers, as exporters write them:
/// `past_sequence_length + 1`.
struct OpenSizeSum {
  private let names: Int
  private let number: Int

  /// Reads a name; one that is not a sum is a size of its own.
  init(_ name: String) {
    let terms = name.split(separator: "+").map { $0.filter { !" _".contains($0) } }
    let numbers = terms.map { Int($0) }
    names = numbers.count { $0 == nil }
    let sum = numbers.reduce(0) { $0.addingSaturated($1 ?? 0) }
    number = names > 0 ? min(max(sum, 0), ConvolutionGeometry.maximumArgument) : 0
  }

  /// The sum when every size in it has one value.
  func value(_ size: Int) -> Int {
    max(names, 1).multipliedSaturated(by: size).addingSaturated(number)
  }
}

extension ImportOptions {
  /// The same options with assumed sizes.
  func assuming(_ assumed: AssumedSizes) -> ImportOptions {
    var options = self
    options.sizes.merge(assumed.sizes) { stated, _ in stated }
    options.assumedInputs = Set(assumed.sizes.keys).subtracting(sizes.keys)
    options.largestOpenSize = nil
    return options
  }
}

extension ImportedModel {
  /// Imports a file; where it leaves sizes open that the options do not state, with sizes that are
  /// assumed.
  ///
  /// - Parameters:
  ///   - options: the options.
  ///   - path: the file, for messages.
  ///   - open: the inputs of the file that the options do not state.
  ///   - body: imports the file with fixed sizes and lengths.
  /// - Returns: the model.
  /// - Throws: ``ImportError``, that of the file as the options state it.
  static func importing(
    _ options: ImportOptions, path: String?, open: () throws(ImportError) -> [OpenInput],
    _ body: @escaping @Sendable (ImportOptions) throws(ImportError) -> ImportedModel
  ) throws(ImportError) -> ImportedModel {
    let asStated: Result<ImportedModel, ImportError> = Result { () throws(ImportError) in
      try importing(options, path: path, body)
    }
    guard let largest = options.largestOpenSize, case .failure(let error) = asStated,
      error.kind == .unknownSize
    else { return try asStated.get() }
    let candidates = AssumedSizes.candidates(for: try open(), largest: largest)
    if let assumed = assuming(candidates, options, path: path, body) { return assumed }
    return try asStated.get()
  }

  /// Imports a file with the first sizes that may be assumed for it.
  ///
  /// - Parameters:
  ///   - candidates: the sizes that are tried in turn.
  ///   - options: the options.
  ///   - path: the file, for messages.
  ///   - body: imports the file with fixed sizes and lengths.
  /// - Returns: the model; `nil` if with no sizes the file can be imported and compiled within the
  ///   limits.
  static func assuming(
    _ candidates: some Sequence<AssumedSizes>, _ options: ImportOptions, path: String?,
    _ body: @escaping @Sendable (ImportOptions) throws(ImportError) -> ImportedModel
  ) -> ImportedModel? {
    for candidate in candidates {
      guard var imported = try? importing(options.assuming(candidate), path: path, body),
        imported.model.compilesWithinLimits
      else { continue }
      imported.assumedSizes = candidate.sizes
      return imported
    }
    return nil
  }

  /// The sizes that were assumed, as arguments of the tool that state them; `nil` if none were.
  package var assumedArguments: String? {
    guard !assumedSizes.isEmpty else { return nil }
    return assumedSizes.sorted { $0.key < $1.key }
      .map { ImportOptions.argument($0.key, $0.value) }.joined(separator: " ")
  }
}
