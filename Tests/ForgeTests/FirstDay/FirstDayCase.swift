import Forge
import Foundation

/// One call that a new user tried, right or wrong, and the text that it must lead to.
struct FirstDayCase: Sendable {
  let name: String
  private let call: @Sendable () throws -> Any

  init(_ name: String, _ call: @escaping @Sendable () throws -> Any) {
    self.name = name
    self.call = call
  }

  static let all = windows + describing + compiling + predicting

  /// The description of the error or of the result, without places in this folder.
  var text: String {
    let text: String
    do {
      let result = try call()
      text = result is CompiledModel ? "compiles" : "\(result)"
    } catch {
      text = "\(error)"
    }
    let place = /ForgeTests\/FirstDayCase(?:\+\w+)?\.swift:\d+:\d+/
    return text.replacing(place, with: "App/Net.swift:1:1")
  }

  /// The texts of ``all``, as the file of expectations holds them.
  static var sheet: String { all.map { "### \($0.name)\n\($0.text)\n" }.joined() }
}

extension FirstDayCase {
  static let random = RandomParameters(seed: 1)

  static func image(_ width: Int? = 32, _ height: Int? = 32, _ channels: Int = 3) -> Tensor {
    Input(width: width, height: height, channels: channels)
  }

  static func compiled(_ input: Tensor, _ output: Tensor) throws -> CompiledModel {
    try Model(input: input, output: output).compile(parameters: random)
  }
}
