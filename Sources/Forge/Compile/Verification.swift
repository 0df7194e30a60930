import ForgeOperations
import ForgeShapes

/// The comparison of a plan with the reference executor on seeded random inputs.
///
/// Each sample is compared twice: with numbers of one scale, and with numbers whose scale differs
/// from row to row and from channel to channel, by factors from 10⁻⁶ to 10⁶. An output is compared
/// item by item: the items are the entries of the first axis longer than 1, unless that is the last
/// one. They are the examples of a batch that a file states, the tokens of a sequence, or the rows
/// of an image. In a plan of `.int8` items may share a scale, so its outputs are one item each
/// and its inputs have one scale. The inputs of a network that keeps a state have one scale, too.
///
/// An item passes when ‖plan − reference‖₂ ≤ bound · ‖reference‖₂, both in double precision. If it
/// does not, the reference is computed again with what Float32 itself loses, and the difference is
/// explained by the first of these that holds:
///
/// - **Cancellation.** ‖plan − reference‖₂ ≤ bound · floor. To find the floor, every input and
///   parameter is moved to the next Float32 above or below, and every result is rounded to Float32;
///   results that a kernel may have in another last bit are moved by one, too, functions of an
///   element by the last bit of their argument, and each pixel of a convolution over an image by a
///   2²²th of its channel's root mean square, because pixels may share an error. The floor is a
///   quarter of the resulting change in the item, times 2²⁴.
/// - **Float32 means something else**, such as a mask of −10⁹ that swallows what it is added to.
///   The reference with every result rounded to Float32 takes the place of the exact one.
/// - **Long sums.** Four times the difference of the rounded and the exact reference is taken off,
///   if that difference is from 2⁻²⁰ to a hundredth of the item.
/// - **Ties.** Networks that round, such as quantized ones, jump where a number lies midway between
///   two integers, and the last bit decides. The reference is computed with numbers next to
///   such middles rounded the other way, and four times the change that this makes is taken off.
///
/// The four are properties of the network and its inputs, and none depends on the plan. The
/// magnitude of a floor is that of what the item is computed from: a row that is small because its
/// inputs are small has a small floor, whatever the other rows hold.
public struct Verification: Sendable {
  /// The error of one output.
  public struct OutputError: Sendable {
    /// The name of the output or kept layer.
    public let output: String
    /// ‖plan − reference‖₂ / ‖reference‖₂ of the whole output, in the worst sample of one scale.
    public private(set) var relativeL2: Double
    /// The largest difference of one value in that sample.
    public private(set) var maximum: Double
    /// ‖plan − reference‖₂ / max(‖reference‖₂, floor), less what Float32 explains; the largest over
    /// all items and samples.
    ///
    /// It is compared with the bound.
    public let checked: Double
    /// The item with that error, counted from 0; `nil` if the output is one item.
    public let item: Int?

    /// ‖plan − reference‖₂ / ‖reference‖₂ of that item.
    let itemRelativeL2: Double
    /// Whether the inputs of that sample have uneven scale.
    let isUneven: Bool
    /// Whether all numbers of the reference are finite.
    let isFinite: Bool

    /// The worse of this error and one of a later sample.
    ///
    /// The error of the whole output is that of a sample of one scale, because the largest rows
    /// alone decide it otherwise. A NaN is the worst error and is never replaced.
    func orWorse(_ other: OutputError) -> OutputError {
      let isWorse = !checked.isNaN && !(other.checked <= checked)
      var worse = isWorse ? other : self
      if other.isUneven || !isWorse {
        (worse.relativeL2, worse.maximum) = (relativeL2, maximum)
      }
      return worse
    }
  }

  /// The number of samples compared.
  public let samples: Int
  /// The error of each output.
  public let errors: [OutputError]
  /// The bound that the errors stayed within.
  public let bound: Double

  /// Compares when the options request it.
  ///
  /// - Throws: ``CompileError`` naming the first layer and the rewrite that differ.
  static func run(
    _ compiler: Compiler, _ network: any BackendNetwork
  ) throws(CompileError) -> Verification? {
    CompileWatch.end(.plan)
    if CompileWatch.isCancelled { throw .cancelled }
    guard case .samples(let count, let seed) = compiler.options.verify else { return nil }
    CompileWatch.begin(.verify, of: count)
    let samples = VerificationSamples(compiler, seed: seed)
    let errors = try samples.errors(of: network, compiledBy: compiler, count: count)
    let bound = compiler.options.accuracy
    if errors.contains(where: { !$0.isFinite || $0.checked.isNaN }) {
      try LoadStage.checkFinite(
        compiler.parameters, owners: compiler.lowered.owners.map { compiler.inference.nodes[$0] },
        needs: "finite numbers, because verify compares results")
    }
    // `!(a <= b)` rather than `a > b`, so that a NaN fails as well.
    guard let worst = errors.first(where: { !($0.checked <= bound) }) else {
      return Verification(samples: count, errors: errors, bound: bound)
    }
    throw CompileError([
      .verifyFailed(
        worst, bound: "\(bound)",
        layer: try firstLayer(compiler, network, seed: seed, bound: bound),
        rewrite: try guiltyRewrite(compiler, network, samples, count: count, bound: bound))
    ])
  }

  /// The first layer whose own output is out of bounds.
  private static func firstLayer(
    _ compiler: Compiler, _ network: any BackendNetwork, seed: UInt64, bound: Double
  ) throws(CompileError) -> String? {
    let kept = try compiler.keepingAllLayers()
    let errors = try VerificationSamples(kept, seed: seed).errors(
      of: try kept.network(like: network), compiledBy: kept, count: 1)
    return errors.dropFirst(kept.ownOutputCount).first { !($0.checked <= bound) }?.output
  }

  /// The rewrite whose removal brings the error within bounds.
  private static func guiltyRewrite(
    _ compiler: Compiler, _ network: any BackendNetwork, _ samples: VerificationSamples, count: Int,
    bound: Double
  ) throws(CompileError) -> String? {
    let names = compiler.options.rewriteNames
    for name in names where !compiler.options.disabledRewrites.contains(name) {
      var options = compiler.options
      options.disabledRewrites.insert(name)
      let without = try compiler.with(options)
      let errors = try samples.errors(
        of: try without.network(like: network), compiledBy: without, count: count)
      if errors.allSatisfy({ $0.checked <= bound }) { return name }
    }
    return nil
  }
}

extension Compiler {
  /// The same model, compiled from stage 4 on with other options.
  func with(_ options: CompileOptions) throws(CompileError) -> Compiler {
    try Compiler(inference: inference, lowered: lowered, parameters: parameters, options: options)
  }

  /// The same model with every layer kept.
  func keepingAllLayers() throws(CompileError) -> Compiler {
    var options = options
    options.keep = inference.nodes.filter { !$0.isInput }.map(\.name)
    return try with(options)
  }
}
