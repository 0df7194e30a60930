import Forge

extension MILOperators {
  /// Elements at places, and tensors that follow from sizes.
  static let selections: [String: Operation] = [
    "gather": { call in
      let batch = try call.int("batch_dims", 0)
      guard batch == 0 else { throw NodeFailure.unsupported("batch_dims \(batch)") }
      let inputs = [try call.value(), try call.value("indices")]
      call.set(try call.node("Gather", inputs, ["axis": .int(try call.int("axis", 0))]))
    },
    "gather_along_axis": { call in
      let inputs = [try call.value(), try call.value("indices")]
      call.set(try call.node("GatherElements", inputs, ["axis": .int(try call.int("axis", 0))]))
    },
    "gather_nd": { call in
      let inputs = [try call.value(), try call.value("indices")]
      let batch = try call.int("batch_dims", 0)
      call.set(try call.node("GatherND", inputs, ["batch_dims": .int(batch)]))
    },
    "one_hot": { call in
      let size = try call.int("one_hot_vector_size")
      let values = [try call.float("off_value", 0), try call.float("on_value", 1)]
      let inputs = [
        try call.value("indices"), .integers([size]),
        .host(HostTensor(floats: values, sizes: [2])),
      ]
      call.set(try call.node("OneHot", inputs, ["axis": .int(try call.int("axis", -1))]))
    },
    "band_part": bandPart,
    "fill": { call in
      let value = try call.optional("value") ?? .number(0)
      guard case .host(let number) = value, number.count == 1 else {
        throw NodeFailure.unsupported("a value computed at run time")
      }
      let sizes = FileValue.integers(try call.ints("shape") ?? [])
      call.set(try call.node("Expand", [.host(number.reshaped([])), sizes]))
    },
    "fill_like": { call in
      let sizes = FileValue.integers(try call.value("ref_tensor").sizes)
      let value = try call.known("value") ?? HostTensor(floats: [0], sizes: [])
      guard value.count == 1 else { throw NodeFailure.invalid("a value of \(value.sizes)") }
      call.set(try call.node("Expand", [.host(value.reshaped([])), sizes]))
    },
    "shape": { try $0.map("Shape") },
    "range_1d": { call in
      let inputs = try ["start", "end", "step"].map { key -> FileValue? in
        guard let value = try call.known(key) else { throw NodeFailure.invalid("no \(key)") }
        return .host(value.reshaped([]))
      }
      call.set(try call.node("Range", inputs))
    },
    "non_zero": { call in
      let places = try call.node("NonZero", [try call.value()])
      call.set(try call.node("Transpose", [places], ["perm": .ints([1, 0])]))
    },
    "non_maximum_suppression": suppress,
    "classify": { call in
      // The name of the class is left to the caller.
      call.set(.texts([]))
      call.set(try call.value("probabilities"), output: 1)
    },
  ]

  /// Boxes that overlap little.
  ///
  /// Since iOS 17 boxes are along the last axis, and there is neither a least score nor a count.
  private static func suppress(_ call: inout MILCall) throws {
    let isLast = !call.has("score_threshold")
    func turned(_ value: FileValue) throws -> FileValue {
      isLast ? try call.node("Transpose", [value], ["perm": .ints([0, 2, 1])]) : value
    }
    let suppression = CoreMLSuppression(
      rows: try call.int("max_boxes"), overlap: try call.float("iou_threshold"),
      leastScore: try call.float("score_threshold", -.infinity),
      isPerClass: try call.bool("per_class_suppression", false))
    let (boxes, scores) = (try turned(call.value("boxes")), try turned(call.value("scores")))
    let result = try suppression.result(boxes, scores, &call)
    call.set(try turned(result.boxes))
    call.set(try turned(result.scores), output: 1)
    call.set(result.places, output: 2)
    call.set(result.counts, output: 3)
  }

  /// The elements of matrices near their diagonals; a negative number keeps a whole side.
  private static func bandPart(_ call: inout MILCall) throws {
    let input = try call.value()
    let (lower, upper) = (try call.int("lower", -1), try call.int("upper", -1))
    let sizes = Array(input.sizes.suffix(2))
    try ONNXCall.checkConstant(sizes)
    guard sizes.count == 2 else { throw NodeFailure.invalid("a tensor \(input.sizes)") }
    let mask = (0..<sizes[0]).flatMap { row in
      (0..<sizes[1]).map { column -> Int64 in
        (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper) ? 1 : 0
      }
    }
    let isKept = FileValue.host(HostTensor(integers: mask, sizes: sizes, type: .bool))
    var zero = HostTensor(integers: [0], sizes: [], type: input.type)
    if !zero.isInteger { zero = HostTensor(floats: [0], sizes: []) }
    call.set(try call.node("Where", [isKept, input, .host(zero)]))
  }
}
