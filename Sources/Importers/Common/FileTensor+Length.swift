import Forge

extension FileTensor {
  /// The values in the order of the file with other sizes, for every length of a sequence.
  ///
  /// - Parameter new: sizes of the same product for every length.
  /// - Returns: the tensor with these sizes.
  /// - Throws: ``NodeFailure`` where axes meet only at the largest length.
  func reshaped(to new: [LengthSize]) throws -> FileTensor {
    guard let maximum = tensor.lengths.maximum else {
      return reshaped(to: new.map { $0[1] ?? 0 })
    }
    let longest = new.map { $0[maximum] ?? 0 }
    guard !longest.contains(0), longest.allSatisfy({ $0 > 0 }), Shape.product(of: longest) == count
    else { throw NodeFailure.unsupported("sizes that do not follow the length of a sequence") }
    let old = try lengthSizes()
    for group in Self.groups(sizes, longest) {
      guard
        LengthSize.product(of: group.old.map { old[$0] })
          == LengthSize.product(of: group.new.map { new[$0] })
      else {
        throw NodeFailure.unsupported(
          "\(LengthSize.text(old)) as \(LengthSize.text(new)), which mixes the length of a "
            + "sequence with other axes")
      }
    }
    let result = reshaped(to: longest, lengths: new)
    guard try result.lengthSizes() == new else {
      throw NodeFailure.unsupported("sizes that do not follow the length of a sequence")
    }
    return result
  }
}
