import ForgeGraph
import ForgeOperations

extension PicturePreparation: StoredValue {
  package func write(to writer: inout StoredWriter) {
    writer.write(width)
    writer.write(height)
    writer.write(colors.rawValue)
    writer.write(scale.map(\.bitPattern))
    writer.write(bias.map(\.bitPattern))
    writer.write(filter.rawValue)
    switch fit {
    case .stretched: writer.write([0])
    case .center: writer.write([1])
    case .shorterSide(let side): writer.write([2, side])
    case .shorterSideFloored(let side): writer.write([3, side])
    case .letterbox(let gray): writer.write([4, Int(gray)])
    }
  }

  package init(from reader: inout StoredReader) throws(StoredMisfit) {
    let (width, height): (Int?, Int?) = (try reader.read(), try reader.read())
    let colors = Colors(rawValue: try reader.read())
    let scale: [UInt64] = try reader.read()
    let bias: [UInt64] = try reader.read()
    let filter = Filter(rawValue: try reader.read())
    let words: [Int] = try reader.read()
    let fit: Fit? =
      switch (words.first, words.count) {
      case (0, 1): .stretched
      case (1, 1): .center
      case (2, 2): .shorterSide(words[1])
      case (3, 2): .shorterSideFloored(words[1])
      case (4, 2): UInt8(exactly: words[1]).map { .letterbox($0) }
      default: nil
      }
    guard let colors, let filter, let fit else { throw .damaged }
    self.init(
      width: width, height: height, colors: colors,
      scale: scale.map { Double(bitPattern: $0) }, bias: bias.map { Double(bitPattern: $0) },
      fit: fit, filter: filter)
  }
}
