import Forge

/// Networks whose output is a list of candidates.
extension BoxDecoder {
  /// Candidates without objectness: YOLO version 8, 9, 11 and others that need no anchors.
  ///
  /// Each candidate has x and y of its center, width and height in pixels of the input, and a score
  /// for each class. Exported networks have an output of (4 + classes, candidates), which is
  /// `.channelsFirst`.
  ///
  /// - Parameters:
  ///   - classes: the number of classes.
  ///   - count: the number of candidates, such as 8400 for 640 by 640 pixels.
  ///   - input: the size of the network's input in pixels.
  ///   - layout: `.channelsFirst` for (4 + classes, candidates), `.channelsLast` for (candidates,
  ///     4 + classes).
  /// - Returns: the decoder; each candidate has the class of its highest score.
  /// - Throws: ``ImageError`` when a size is not positive.
  public static func candidates(
    classes: Int, count: Int, input: Size, layout: ImageLayout = .channelsFirst
  ) throws(ImageError) -> BoxDecoder {
    try candidates(classes, count, input, layout, hasObjectness: false)
  }

  /// Candidates with objectness: YOLO version 5 and 7 with decoded heads.
  ///
  /// Each candidate has x and y of its center, width and height in pixels of the input, the
  /// objectness, and a score for each class; a box has the product. Exported networks have an
  /// output of (candidates, 5 + classes).
  ///
  /// - Parameters:
  ///   - classes: the number of classes.
  ///   - count: the number of candidates, such as 25200 for 640 by 640 pixels.
  ///   - input: the size of the network's input in pixels.
  ///   - layout: `.channelsLast` for (candidates, 5 + classes), `.channelsFirst` for the other
  ///     order.
  /// - Returns: the decoder; each candidate has the class of its highest score.
  /// - Throws: ``ImageError`` when a size is not positive.
  public static func candidatesWithObjectness(
    classes: Int, count: Int, input: Size, layout: ImageLayout = .channelsLast
  ) throws(ImageError) -> BoxDecoder {
    try candidates(classes, count, input, layout, hasObjectness: true)
  }

  private static func candidates(
    _ classes: Int, _ count: Int, _ input: Size, _ layout: ImageLayout, hasObjectness: Bool
  ) throws(ImageError) -> BoxDecoder {
    let first = hasObjectness ? 5 : 4
    let channels = classes.addingSaturated(first)
    _ = try checkedCount([("classes", classes)])
    _ = try checkedCount([("width of the input", input.width)])
    _ = try checkedCount([("height of the input", input.height)])
    let valueCount = try checkedCount([("candidates", count), ("channels", channels)])
    return BoxDecoder(valueCount: valueCount) { values, minimumScore in
      let rows = GridValues(values: values, cells: count, channels: channels, layout: layout)
      var found: [DetectedBox] = []
      for candidate in 0..<count {
        let objectness = hasObjectness ? rows[candidate, 4] : 1
        guard objectness > minimumScore else { continue }
        var (label, best) = (0, -Float.infinity)
        for index in 0..<classes where rows[candidate, first + index] > best {
          (label, best) = (index, rows[candidate, first + index])
        }
        guard best * objectness > minimumScore else { continue }
        found.append(
          DetectedBox(
            label: label, score: best * objectness,
            x: rows[candidate, 0] / Float(input.width),
            y: rows[candidate, 1] / Float(input.height),
            width: rows[candidate, 2] / Float(input.width),
            height: rows[candidate, 3] / Float(input.height)))
      }
      return found
    }
  }

  /// Finished boxes: YOLO version 10 and other networks that need no suppression.
  ///
  /// Each row has the left, upper, right and lower edge in pixels of the input, the score and the
  /// number of the class.
  ///
  /// - Parameters:
  ///   - count: the number of rows, such as 300.
  ///   - input: the size of the network's input in pixels.
  /// - Returns: the decoder.
  /// - Throws: ``ImageError`` when a size is not positive.
  public static func finished(count: Int, input: Size) throws(ImageError) -> BoxDecoder {
    _ = try checkedCount([("width of the input", input.width)])
    _ = try checkedCount([("height of the input", input.height)])
    let valueCount = try checkedCount([("rows", count), ("values of a row", 6)])
    return BoxDecoder(valueCount: valueCount) { values, minimumScore in
      (0..<count).compactMap { row in
        let v = UnsafeBufferPointer(rebasing: values[6 * row..<6 * row + 6])
        guard v[4] > minimumScore, let label = Int(exactly: v[5].rounded()), label >= 0 else {
          return nil
        }
        return DetectedBox(
          label: label, score: v[4],
          x: Float((Double(v[0]) + Double(v[2])) / 2 / Double(input.width)),
          y: Float((Double(v[1]) + Double(v[3])) / 2 / Double(input.height)),
          width: (v[2] - v[0]) / Float(input.width),
          height: (v[3] - v[1]) / Float(input.height))
      }
    }
  }

  /// Peaks of heat maps: CenterNet and networks like it.
  ///
  /// A cell is an object's center if its score is that of the 3 by 3 cells around it. With column
  /// `i`, row `j` and a grid of (w, h) cells:
  ///
  /// ```
  /// x = (i + offset.x) / w    width  = size.width / w
  /// y = (j + offset.y) / h    height = size.height / h
  /// ```
  ///
  /// The values are the scores of all classes, then two sizes in cells, then two offsets, each a
  /// channel; join the outputs in this order.
  ///
  /// - Parameters:
  ///   - grid: the columns and rows of the output.
  ///   - classes: the number of classes.
  ///   - layout: the order of the values.
  /// - Returns: the decoder.
  /// - Throws: ``ImageError`` when a size is not positive.
  public static func centers(
    grid: Size, classes: Int, layout: ImageLayout = .channelsFirst
  ) throws(ImageError) -> BoxDecoder {
    let channels = classes.addingSaturated(4)
    _ = try checkedCount([("classes", classes)])
    let valueCount = try checkedCount([
      ("columns", grid.width), ("rows", grid.height), ("channels", channels),
    ])
    return BoxDecoder(valueCount: valueCount) { values, minimumScore in
      let (width, height) = (grid.width, grid.height)
      let cells = GridValues(
        values: values, cells: width * height, channels: channels, layout: layout)
      func isPeak(_ column: Int, _ row: Int, _ label: Int, _ score: Float) -> Bool {
        for y in max(row - 1, 0)...min(row + 1, height - 1) {
          for x in max(column - 1, 0)...min(column + 1, width - 1)
          where cells[y * width + x, label] > score {
            return false
          }
        }
        return true
      }
      var found: [DetectedBox] = []
      for cell in 0..<width * height {
        let (row, column) = cell.quotientAndRemainder(dividingBy: width)
        for label in 0..<classes {
          let score = cells[cell, label]
          guard score > minimumScore, isPeak(column, row, label, score) else { continue }
          found.append(
            DetectedBox(
              label: label, score: score,
              x: (Float(column) + cells[cell, classes + 2]) / Float(width),
              y: (Float(row) + cells[cell, classes + 3]) / Float(height),
              width: cells[cell, classes] / Float(width),
              height: cells[cell, classes + 1] / Float(height)))
        }
      }
      return found
    }
  }
}
