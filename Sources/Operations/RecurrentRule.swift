import ForgeShapes

/// What a recurrent layer computes at each time, and which optional operands it has.
public struct RecurrentRule: Hashable, Sendable, Encodable {
  /// The formula of a cell; `x` is the input's part of a gate, `R` a recurrent matrix.
  public enum Cell: Hashable, Sendable, Encodable {
    /// `h′ = f(x + R·h)`.
    case simple(ActivationFunction)
    /// Gates i, f, c, o: `c′ = f∘c + i∘cell(…)`, `h′ = o∘hidden(c′)`; if coupled, `f = 1 − i`.
    case lstm(
      gates: ActivationFunction, cell: ActivationFunction, hidden: ActivationFunction,
      isCoupled: Bool)
    /// Gates z, r, h: `h′ = (1 − z)∘n + z∘h`. The candidate is `n = f(x + r∘(R·h))` if it is reset
    /// after the product, else `n = f(x + R·(r∘h))`.
    case gru(gates: ActivationFunction, candidate: ActivationFunction, resetsAfter: Bool)

    /// The number of gates.
    package var gates: Int {
      switch self {
      case .simple: 1
      case .lstm: 4
      case .gru: 3
      }
    }

    /// The activations.
    var activations: [ActivationFunction] {
      switch self {
      case .simple(let function): [function]
      case .lstm(let gates, let cell, let hidden, _): [gates, cell, hidden]
      case .gru(let gates, let candidate, _): [gates, candidate]
      }
    }
  }

  /// An optional operand, in the order of the operands.
  public enum Operand: Int, CaseIterable, Hashable, Sendable, Encodable {
    /// One constant per gate and unit, added to `R·h`.
    case recurrentBiases
    /// Three constants per unit of an LSTM: the factors of the cell in the gates i, f and o.
    case peepholes
    /// A constant matrix [outputs][units] that the output of an LSTM is multiplied by.
    case projection
    /// The hidden values before the first time, [rows][outputs].
    case hidden
    /// The cells of an LSTM before the first time, [rows][units].
    case cells
    /// How many times each row has, [rows]. Later outputs are 0.
    case lengths
    /// Which times count, [times][rows]. At a time of 0 the hidden values and the cells stay as
    /// they are, and the output is that of the time before.
    case mask
  }

  /// A part of the result, in the order in which they follow each other.
  public enum Part: Hashable, Sendable, Encodable {
    /// The outputs, [times][rows][outputs].
    case sequence
    /// The hidden values after the last time, [rows][outputs].
    case hidden
    /// The cells of an LSTM after the last time, [rows][units].
    case cells
  }

  /// The formula.
  public let cell: Cell
  /// The units, each with one number per gate.
  public let units: Int
  /// The numbers per time in the output: as many as units, unless there is a projection.
  public let outputs: Int
  /// The block of each gate in the parameters, for gates in the order that ``Cell`` states.
  public let gateBlocks: [Int]
  /// Whether times are read from the last to the first.
  ///
  /// The output has the order of the input.
  public private(set) var isReversed: Bool
  /// The bound of the magnitude of what gates are computed from; `nil` for none.
  public let clip: Float?
  /// The bound of the magnitude of an LSTM's cells; `nil` for none.
  public let cellClip: Float?
  /// The optional operands that exist.
  public private(set) var optional: Set<Operand>
  /// What the integer 1 stands for in each row of an LSTM's recurrent weights, whose products are
  /// those of integers; `nil` for products of real numbers.
  ///
  /// Before each time the hidden values of all rows become integers from 0 to 255 by their dynamic
  /// range, and `R·h = float(Σ (q − zeroPoint) · w) · (scale · hiddenScales)` with exact sums.
  /// Source: ONNX Runtime, DynamicQuantizeLSTM.
  package let hiddenScales: [Float]?
  /// What the integer 1 stands for in each row of the weights of the input; `nil` if they are not
  /// known to be integers.
  package let inputScales: [Float]?

  /// Creates a rule.
  public init(
    cell: Cell, units: Int, outputs: Int? = nil, gateBlocks: [Int]? = nil,
    isReversed: Bool = false, clip: Float? = nil, cellClip: Float? = nil,
    optional: Set<Operand> = []
  ) {
    self.init(
      cell: cell, units: units, outputs: outputs, gateBlocks: gateBlocks, isReversed: isReversed,
      clip: clip, cellClip: cellClip, optional: optional, hiddenScales: nil, inputScales: nil)
  }

  /// Creates a rule, with products of integers if scales are given.
  package init(
    cell: Cell, units: Int, outputs: Int? = nil, gateBlocks: [Int]? = nil,
    isReversed: Bool = false, clip: Float? = nil, cellClip: Float? = nil,
    optional: Set<Operand> = [], hiddenScales: [Float]?, inputScales: [Float]?
  ) {
    self.cell = cell
    self.units = units
    self.outputs = outputs ?? units
    self.gateBlocks = gateBlocks ?? Array(0..<cell.gates)
    self.isReversed = isReversed
    self.clip = clip
    self.cellClip = cellClip
    self.optional = optional
    self.hiddenScales = hiddenScales
    self.inputScales = inputScales
  }

  /// The same rule, read in the other direction.
  package var reversed: RecurrentRule {
    var rule = self
    rule.isReversed.toggle()
    return rule
  }

  /// The same rule with more optional operands.
  package func adding(_ operands: Set<Operand>) -> RecurrentRule {
    var rule = self
    rule.optional.formUnion(operands)
    return rule
  }

  /// The position of an optional operand: the gates' inputs and the recurrent weights come first.
  package func position(of operand: Operand) -> Int? {
    guard optional.contains(operand) else { return nil }
    return 2 + optional.count { $0.rawValue < operand.rawValue }
  }

  /// Whether there are cells beside the hidden values.
  package var hasCells: Bool { if case .lstm = cell { true } else { false } }

  /// The block of a peephole, for the gates i, f and o.
  package var peepholeBlocks: [Int] {
    let blocks = [gateBlocks[0], gateBlocks[1], gateBlocks[3]]
    return blocks.map { block in blocks.count { $0 < block } }
  }

  /// The place of a part in a result for gates of sizes [times][rows][gates · units].
  package func start(of part: Part, sizes: [Int]) -> Int {
    let (times, rows) = (sizes[0], sizes[1])
    return switch part {
    case .sequence: 0
    case .hidden: times * rows * outputs
    case .cells: (times + 1) * rows * outputs
    }
  }

  /// The numbers that follow the sequence in the output, for each row.
  package var finalCount: Int { outputs.addingSaturated(hasCells ? units : 0) }
}
