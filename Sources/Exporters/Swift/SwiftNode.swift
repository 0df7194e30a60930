import Forge

/// One layer of a network while its source is written.
struct SwiftNode {
  /// What is equal in two layers that may be one layer of a loop.
  struct Signature: Hashable {
    /// The call, or the constant that holds a layer that is used several times.
    let call: SwiftCall
    /// The name with a mark in place of each number.
    let name: [SwiftName.Part]?
    /// The number of inputs.
    let inputs: Int
  }

  /// The call of the initializer.
  let call: SwiftCall
  /// The name, if the source states one.
  let name: SwiftName?
  /// The layers it is made from by position; inputs of the model have negative positions.
  let inputs: [Int]
  /// Whether it is an output of the model.
  let isOutput: Bool
  /// The name of the layer for the name of a variable.
  let title: String

  /// What is equal in two layers that may be one layer of a loop.
  var signature: Signature {
    Signature(call: call, name: name?.pattern, inputs: inputs.count)
  }
}

/// What a layer is in the source.
enum SwiftCall: Hashable {
  /// The call of an initializer: the type and the arguments.
  case initializer(String, [SwiftArgument])
  /// A constant that holds a layer, which is used several times.
  case shared(String)
}

/// The name of a layer, in which numbers may follow the index of a loop.
struct SwiftName: Hashable {
  /// A part of a name.
  enum Part: Hashable {
    /// Text as it is.
    case text(String)
    /// A number.
    case number(Int)
    /// Where a number is, in a pattern.
    case anyNumber
  }

  /// The parts in order.
  let parts: [Part]

  /// Takes a name apart at its numbers; those with leading zeros are text.
  init(_ name: String) {
    var parts: [Part] = []
    var text = ""
    var digits = ""
    func isNumber(_ digits: String) -> Bool {
      !digits.isEmpty && digits.utf8.count <= 9 && (digits == "0" || digits.first != "0")
    }
    func end() {
      if isNumber(digits), let number = Int(digits) {
        if !text.isEmpty { parts.append(.text(text)) }
        parts.append(.number(number))
        text = ""
      } else {
        text += digits
      }
      digits = ""
    }
    for scalar in name.unicodeScalars {
      if ("0"..."9").contains(scalar) {
        digits.unicodeScalars.append(scalar)
      } else {
        end()
        text.unicodeScalars.append(scalar)
      }
    }
    end()
    if !text.isEmpty { parts.append(.text(text)) }
    self.parts = parts
  }

  /// The name with a mark in place of each number.
  var pattern: [Part] {
    parts.map { if case .number = $0 { .anyNumber } else { $0 } }
  }

  /// The numbers in order.
  var numbers: [Int] {
    parts.compactMap { if case .number(let number) = $0 { number } else { nil } }
  }

  /// The literal; numbers with a step follow the index of a loop.
  ///
  /// - Parameters:
  ///   - steps: what is added to each number from one time to the next; empty outside of loops.
  ///   - start: the first value of the index.
  /// - Returns: the literal, with its quotation marks.
  func literal(steps: [Int] = [], start: Int = 0) -> String {
    var place = 0
    var result = ""
    for part in parts {
      switch part {
      case .text(let text): result += SwiftText.escaped(text)
      case .number(let number):
        let step = steps.indices.contains(place) ? steps[place] : 0
        place += 1
        result += step == 0 ? "\(number)" : Self.interpolation(number - step * start, step)
      case .anyNumber: break
      }
    }
    return "\"\(result)\""
  }

  /// `\(index)`, `\(index + 3)`, `\(2 * index - 1)`.
  private static func interpolation(_ offset: Int, _ step: Int) -> String {
    let product = step == 1 ? "index" : "\(step) * index"
    if offset == 0 { return "\\(\(product))" }
    return "\\(\(product) \(offset < 0 ? "-" : "+") \(abs(offset)))"
  }
}
