import Forge

extension MILOperators {
  /// Constants that are decoded and stay sparse: the places that have values, and the values.
  static let sparseConstants: [String: Operation] = [
    "constexpr_lut_to_sparse": { call in
      let sparse = try Sparse(call, mask: "indices_mask", values: "indices_nonzero_data")
      let table = try MILTable(call, of: sparse.mask.sizes)
      let mask =
        table.length == 1
        ? sparse.mask : try sparse.mask.repeated(table.length, along: table.axis, table.sizes)
      call.set(.packed(mask))
      set(&call, [sparse.count * table.length], output: 1) {
        try Sparse.chosen(try table.values(try sparse.dense()), mask)
      }
    },
    "constexpr_sparse_blockwise_shift_scale": { call in
      let sparse = try Sparse(call, mask: "data_mask", values: "nonzero_data")
      let sizes = sparse.mask.sizes
      guard let scale = try call.known("scale"), sizes.count == scale.sizes.count,
        zip(sizes, scale.sizes).allSatisfy({ $1 > 0 && $0.isMultiple(of: $1) })
      else { throw NodeFailure.invalid("the scales of \(sizes)") }
      let offset = try call.known("offset")
      guard offset == nil || offset?.sizes == scale.sizes else {
        throw NodeFailure.invalid("the offsets of \(sizes)")
      }
      call.set(.packed(sparse.mask))
      set(&call, [sparse.count], output: 1) {
        var values = try sparse.dense()
        let (scales, offsets) = (try scale.floats(), try offset?.floats())
        forEachBlock(sizes, scale.sizes) { index, block in
          values[index] = scales[block] * (values[index] - (offsets?[block] ?? 0))
        }
        return try Sparse.chosen(values, sparse.mask)
      }
    },
  ]

  /// Values at some places of a tensor.
  private struct Sparse: Sendable {
    /// 1 where a place has a value.
    let mask: MILPacked
    /// The number of values.
    let count: Int
    private let values: Numbers

    init(_ call: MILCall, mask: String, values: String) throws {
      guard let packed = try call.packed(mask), packed.bits == 1 else {
        throw NodeFailure.invalid("\(mask) that is not boolean")
      }
      self.mask = packed
      self.values = try numbers(call, values)
      count = Int(try packed.integers().reduce(0, +))
      guard self.values.sizes == [count] else {
        throw NodeFailure.invalid("\(count) positions for values \(self.values.sizes)")
      }
    }

    /// All places in order, 0 where there is no value.
    func dense() throws -> [Float] {
      var rest = try values.values()[...]
      return try mask.integers().map { $0 == 0 ? 0 : rest.popFirst() ?? 0 }
    }

    /// The values at the places of a mask.
    static func chosen(_ values: [Float], _ mask: MILPacked) throws -> [Float] {
      zip(values, try mask.integers()).filter { $1 != 0 }.map(\.0)
    }
  }
}

extension MILPacked {
  /// Booleans, each repeated along an axis.
  fileprivate func repeated(_ times: Int, along axis: Int, _ sizes: [Int]) throws -> MILPacked {
    let inner = self.sizes[(axis + 1)...].reduce(1, *)
    let flags = try integers()
    var bytes = [UInt8](repeating: 0, count: (sizes.reduce(1, *) + 7) / 8)
    for (index, flag) in flags.enumerated() where flag != 0 {
      let start = index / inner * inner * times + index % inner
      for part in 0..<times {
        let place = start + part * inner
        bytes[place / 8] |= 1 << UInt8(place % 8)
      }
    }
    return MILPacked(sizes: sizes, bits: 1, isSigned: false, bytes: BytesInMemory(bytes))
  }
}
