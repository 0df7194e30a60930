import Forge
import ForgeTestSupport
import Testing

/// Updates that a prediction puts at places that it computes.
@Suite struct ScatterTests {
  private static let hostile: [Float] = [
    .nan, .infinity, -.infinity, 3e38, -3e38, -0.0, 0, 1, -7, 0.3,
  ]

  /// Rows of a table: more updates than rows, so that some rows get several.
  private func network(
    _ combination: ScatterCombination, rows: Int, width: Int, count: Int,
    _ options: CompileOptions = CompileOptions()
  ) throws -> CompiledModel {
    let data = Input(shape: [rows, width], name: "data")
    let places = Input(shape: [count], name: "places")
    let updates = Input(shape: [count, width], name: "updates")
    return try Model(
      inputs: [data, places, updates],
      outputs: [
        [data, places, updates] --> ScatterRows(combination: combination, name: "rows")
      ]
    ).compile(options: options)
  }

  private func combined(_ a: Float, _ b: Float, _ combination: ScatterCombination) -> Float {
    switch combination {
    case .replace: b
    case .add: a + b
    case .multiply: a * b
    case .minimum: a.isNaN || b.isNaN ? .nan : min(a, b)
    case .maximum: a.isNaN || b.isNaN ? .nan : max(a, b)
    }
  }

  /// Each number of threads gives the bits of updates applied one after the other.
  @Test(arguments: ScatterCombination.allCases)
  func inOrder(_ combination: ScatterCombination) throws {
    var random = SplitMix64(seed: 19)
    for (rows, width, count) in [(7, 67, 29), (1, 33, 5), (13, 1, 31), (101, 17, 3)] {
      func numbers(_ count: Int) -> [Float] {
        (0..<count).map { _ in
          Bool.random(using: &random)
            ? Float.random(in: -2...2, using: &random)
            : Self.hostile[Int.random(in: 0..<Self.hostile.count, using: &random)]
        }
      }
      let examples = (0..<3).map { _ in
        (
          data: numbers(rows * width), updates: numbers(count * width),
          places: (0..<count).map { _ in Float(Int.random(in: -rows..<rows, using: &random)) }
        )
      }
      let wanted = examples.map { example in
        var result = example.data
        for (index, place) in example.places.enumerated() {
          let row = place < 0 ? Int(place) + rows : Int(place)
          for column in 0..<width {
            let offset = row * width + column
            result[offset] = combined(
              result[offset], example.updates[index * width + column], combination)
          }
        }
        return result
      }
      for set in CompileOptions.InstructionSet.present {
        for threads in [1, 2, 4] {
          var options = CompileOptions()
          options.threads = .exactly(threads)
          options.smallestShare = threads > 1 ? 0 : nil
          options.instructionSet = set
          let network = try network(combination, rows: rows, width: width, count: count, options)
          for batch in [1, 3] {
            let context = try Context(network, batch: batch)
            let examples = examples.prefix(batch)
            for (index, values) in [
              examples.flatMap(\.data), examples.flatMap(\.places), examples.flatMap(\.updates),
            ].enumerated() {
              context.withInput(index) { span in for i in values.indices { span[i] = values[i] } }
            }
            try context.predict(batch: batch)
            let found = try #require(
              context.withOutput(0) { span in span.indices.map { span[$0] } })
            let isEqual = zip(found, wanted.prefix(batch).joined()).allSatisfy {
              $0 == $1 || ($0.isNaN && $1.isNaN)
            }
            #expect(isEqual, "\(set), \(threads) threads, \(batch) of \(rows)×\(width)")
          }
        }
      }
    }
  }

  /// The example and the place of an index outside are named.
  @Test func indexOutside() throws {
    let network = try network(.add, rows: 3, width: 2, count: 2)
    let context = try Context(network, batch: 2)
    for (index, values) in [
      Array(repeating: Float(0), count: 12), [0, -3, 2, 3], Array(repeating: 1, count: 8),
    ].enumerated() {
      context.withInput(index) { span in for i in values.indices { span[i] = values[i] } }
    }
    do {
      try context.predict(batch: 2)
      Issue.record("it predicted")
    } catch {
      #expect(error.kind == .invalidIndex && error.layer == "rows")
      #expect("\(error)".contains("3 at index 1 of example 1"), "\(error)")
      #expect("\(error)".contains("a number from -3 to 2"), "\(error)")
    }
  }

  /// Verifying, timing and tuning give places that the data has.
  @Test func measurementsUsePlaces() throws {
    let network = try network(
      .maximum, rows: 5, width: 3, count: 4, CompileOptions(verify: .samples(3)))
    #expect(try network.profile(runs: 2).contains { $0.kernel == "scatterElements" })
    _ = try self.network(.add, rows: 5, width: 3, count: 4, CompileOptions(tuning: .measured))
  }

  /// Indices of several axes, and an axis inside.
  @Test func indicesOfSeveralAxes() throws {
    let data = Input(shape: [2, 3], name: "data")
    let places = Input(shape: [2, 2], name: "places")
    let updates = Input(shape: [2, 2, 2], name: "updates")
    let network = try Model(
      inputs: [data, places, updates],
      outputs: [[data, places, updates] --> ScatterRows(axis: 1, combination: .add)]
    ).compile()
    let found = try network.predict(
      [
        "data": [0, 0, 0, 10, 10, 10], "places": [0, -1, 0, 1],
        "updates": [1, 2, 3, 4, 5, 6, 7, 8],
      ]
        as [String: [Float]])
    #expect(found.outputs.values.first?.values == [4, 4, 2, 22, 18, 16])
  }

  @Test func errors() throws {
    func message(_ layer: any Layer, _ sizes: [Int]...) -> String {
      do {
        _ = try layer.outputShape(for: sizes.map { Shape(sizes: $0) })
        return ""
      } catch {
        return "\(error)"
      }
    }
    #expect(message(ScatterRows(axis: 1), [7, 5, 3], [4], [7, 4, 3]).isEmpty)
    #expect(message(ScatterRows(), [7, 5], [2, 4], [2, 4, 5]).isEmpty)
    let wrong = message(ScatterRows(), [7, 5], [2, 4], [8, 5])
    #expect(wrong.contains("the updates do not fit the data and the indices"), "\(wrong)")
    #expect(wrong.contains("those of the indices, 2×4, instead of axis 0"), "\(wrong)")
    #expect(!message(ScatterRows(axis: 2), [7, 5], [4], [4, 5]).isEmpty)
    #expect(!message(ScatterRows(), [7, 5], [4]).isEmpty)
    #expect(message(ScatterElements(axis: 1), [7, 5, 3], [1, 9, 1], [6, 9, 3]).isEmpty)
    #expect(!message(ScatterElements(axis: 1), [7, 5, 3], [8, 9, 3], [8, 9, 3]).isEmpty)
    #expect(!message(ScatterElements(axis: -4), [7, 5, 3], [1, 9, 1], [6, 9, 3]).isEmpty)
  }
}
