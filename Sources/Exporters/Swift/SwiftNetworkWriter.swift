import Forge

/// Writes the layers of a network as statements: chains, branches with names, and loops.
///
/// The statements make the layers in the order in which they were made, so that generated names and
/// sums have the same order.
struct SwiftNetworkWriter {
  /// The lines of a function's body.
  private(set) var lines: [String] = []
  /// The long lists.
  private(set) var lists = SwiftLists()
  /// The names of constants and variables.
  var names: SwiftNames
  /// The variables that hold layers and inputs, by position.
  private var variables: [Int: String] = [:]
  private let nodes: [SwiftNode]
  /// How often each layer is read.
  private let uses: [Int]

  /// The most layers of a chain.
  private static let longestChain = 40
  /// The most columns of a line.
  private static let columns = 100

  init(_ nodes: [SwiftNode], inputs: [Int: String], names: SwiftNames) {
    self.nodes = nodes
    self.names = names
    variables = inputs
    var uses = Array(repeating: 0, count: nodes.count)
    for node in nodes {
      for input in node.inputs where input >= 0 { uses[input] += 1 }
    }
    self.uses = uses
  }

  /// The variable of a layer or an input.
  func variable(_ position: Int) -> String { variables[position] ?? "input" }

  /// Writes a layer that is used several times as a constant.
  mutating func add(_ layer: SwiftSharedLayer) {
    let name = SwiftText.literal(layer.name)
    let call = call(layer.type, layer.arguments, name: name)
    lines += Self.wrapped("let \(layer.constant) = \(call.head)", call.arguments, indent: 4)
  }

  /// Writes all layers.
  ///
  /// - Parameter hasLoops: whether layers that repeat become loops.
  mutating func addAll(hasLoops: Bool) {
    var position = 0
    for loop in hasLoops ? SwiftLoop.all(in: nodes) : [] {
      add(position..<loop.start, indent: 4, naming: nil)
      add(loop)
      position = loop.range.upperBound
    }
    add(position..<nodes.count, indent: 4, naming: nil)
  }

  // MARK: Loops

  private mutating func add(_ loop: SwiftLoop) {
    let index = Self.start(of: loop, nodes)
    var carried: [Int: String] = [:]
    for item in loop.carried {
      let node = nodes[loop.start + item.offset]
      let name = names.unique(Self.carriedName(node, loop.steps[item.offset]))
      lines.append("    var \(name) = \(variable(item.initial))")
      carried[item.offset] = name
    }
    lines.append("    for index in \(index)..<\(index + loop.count) {")
    let times = loop.start..<loop.start + loop.length
    // Inside, what the first time reads from before the loop is what the variables hold.
    let outside = variables
    for item in loop.carried { variables[item.initial] = carried[item.offset] }
    add(times, indent: 6, naming: (loop, index, carried))
    lines.append("    }")
    variables = outside
    let last = loop.range.upperBound - loop.length
    for item in loop.carried { variables[last + item.offset] = carried[item.offset] }
  }

  /// The first value of the index: the first number of a name that grows by 1.
  private static func start(of loop: SwiftLoop, _ nodes: [SwiftNode]) -> Int {
    for (offset, steps) in loop.steps.enumerated() {
      guard let place = steps.firstIndex(of: 1),
        let number = nodes[loop.start + offset].name?.numbers[place]
      else { continue }
      return number
    }
    return 0
  }

  /// `block` for `encoder/block3/norm`: the word before the number that grows.
  private static func carriedName(_ node: SwiftNode, _ steps: [Int]) -> String {
    var place = 0
    var before = ""
    for part in node.name?.parts ?? [] {
      switch part {
      case .text(let text): before = text
      case .number:
        if steps.indices.contains(place), steps[place] != 0 {
          let word = before.split(whereSeparator: { !$0.isLetter }).last.map(String.init) ?? ""
          return SwiftText.identifier(word, fallback: "x")
        }
        place += 1
      case .anyNumber: break
      }
    }
    return "x"
  }

  // MARK: Statements

  private typealias Naming = (loop: SwiftLoop, index: Int, carried: [Int: String])

  /// Writes layers as chains.
  private mutating func add(_ range: Range<Int>, indent: Int, naming: Naming?) {
    var position = range.lowerBound
    var assignments: [String] = []
    while position < range.upperBound {
      var end = position + 1
      while end < range.upperBound, end - position < Self.longestChain,
        nodes[end].inputs == [end - 1], !nodes[end - 1].isOutput, uses[end - 1] == 1
      {
        end += 1
      }
      let carried = naming?.carried[end - 1 - (naming?.loop.start ?? 0)]
      let target: String
      if let carried, end == range.upperBound, naming?.carried.count == 1 {
        target = carried
      } else {
        target = "let \(names.unique(Self.variableName(nodes[end - 1], isInLoop: naming != nil)))"
        if let carried { assignments.append("\(carried) = \(target.dropFirst(4))") }
      }
      variables[end - 1] = target.hasPrefix("let ") ? String(target.dropFirst(4)) : target
      addChain(position..<end, target: target, indent: indent, naming: naming)
      position = end
    }
    let space = String(repeating: " ", count: indent)
    lines += assignments.map { space + $0 }
  }

  private mutating func addChain(
    _ range: Range<Int>, target: String, indent: Int, naming: Naming?
  ) {
    let space = String(repeating: " ", count: indent)
    let first = nodes[range.lowerBound]
    let source: String
    switch first.inputs.count {
    case 0: source = "[Tensor]()"
    case 1: source = variable(first.inputs[0])
    default: source = "[\(first.inputs.map(variable).joined(separator: ", "))]"
    }
    let calls = range.map { position in call(nodes[position], position, naming) }
    let line = "\(space)\(target) = \(source)"
    if calls.count == 1 {
      let text = "\(line) --> \(calls[0].head)(\(calls[0].arguments.joined(separator: ", ")))"
      let whole = calls[0].isCall ? text : "\(line) --> \(calls[0].head)"
      if whole.count <= Self.columns {
        lines.append(whole)
        return
      }
    }
    lines += Self.wrappedSource(line, first.inputs.map(variable), space)
    for call in calls {
      guard call.isCall else {
        lines.append("\(space)  --> \(call.head)")
        continue
      }
      lines += Self.wrapped("--> \(call.head)", call.arguments, indent: indent + 2)
    }
  }

  /// A list of tensors in lines that are not too long.
  private static func wrappedSource(_ line: String, _ inputs: [String], _ space: String) -> [String]
  {
    guard line.count > columns, inputs.count > 1 else { return [line] }
    let head = line.prefix { $0 != "=" } + "= ["
    return [String(head)] + filled(inputs, indent: space.count + 4) + ["\(space)  ]"]
  }

  /// A call whose arguments are in further lines if they are too long for one.
  private static func wrapped(_ head: String, _ arguments: [String], indent: Int) -> [String] {
    let space = String(repeating: " ", count: indent)
    let line = "\(space)\(head)(\(arguments.joined(separator: ", ")))"
    if line.count <= columns || arguments.isEmpty { return [line] }
    var lines = filled(arguments, indent: indent + 4)
    lines[lines.count - 1].removeLast()
    lines[lines.count - 1] += ")"
    return ["\(space)\(head)("] + lines
  }

  /// Texts with commas, as many in a line as fit.
  private static func filled(_ texts: [String], indent: Int) -> [String] {
    let space = String(repeating: " ", count: indent)
    var lines: [String] = []
    for text in texts {
      if let last = lines.last, last.count + text.count + 2 <= columns {
        lines[lines.count - 1] += " \(text),"
      } else {
        lines.append("\(space)\(text),")
      }
    }
    return lines
  }

  // MARK: Calls

  /// The call that makes a layer, in one line.
  mutating func inline(_ layer: any SwiftLayer) -> String {
    let call = call(
      "\(Swift.type(of: layer))", layer.swiftArguments, name: layer.name.map(SwiftText.literal))
    return "\(call.head)(\(call.arguments.joined(separator: ", ")))"
  }

  private typealias Call = (head: String, arguments: [String], isCall: Bool)

  private mutating func call(_ node: SwiftNode, _ position: Int, _ naming: Naming?) -> Call {
    var literal: String?
    if let name = node.name {
      let steps = naming.map { $0.loop.steps[position - $0.loop.start] } ?? []
      literal = name.literal(steps: steps, start: naming?.index ?? 0)
    }
    switch node.call {
    case .shared(let constant): return (constant, [], false)
    case .initializer(let type, let arguments):
      let call = call(type, arguments, name: literal)
      return (call.head, call.arguments, true)
    }
  }

  private mutating func call(
    _ type: String, _ arguments: [SwiftArgument], name: String?
  ) -> (head: String, arguments: [String]) {
    var texts = texts(arguments)
    if let name { texts.append("name: \(name)") }
    return (type, texts)
  }

  private mutating func texts(_ arguments: [SwiftArgument]) -> [String] {
    arguments.filter { !$0.isDefault }.map { argument in
      (argument.label.map { "\($0): " } ?? "") + text(argument.value)
    }
  }

  private mutating func text(_ expression: SwiftExpression) -> String {
    switch expression {
    case .text(let text): return text
    case .list(let element, let literals):
      var names = names
      let text = lists.expression(SwiftLists.List(element: element, literals: literals)) {
        names.unique($0)
      }
      self.names = names
      return text
    case .member(let name, let arguments):
      let texts = texts(arguments)
      // A case whose values all have defaults is called, too: `.halves()`.
      return arguments.isEmpty ? ".\(name)" : ".\(name)(\(texts.joined(separator: ", ")))"
    case .call(let name, let arguments):
      return "\(name)(\(texts(arguments).joined(separator: ", ")))"
    case .nested(let layer):
      var texts = texts(layer.arguments ?? [])
      if let name = layer.name { texts.append("name: \(SwiftText.literal(name))") }
      return "\(layer.type)(\(texts.joined(separator: ", ")))"
    }
  }

  /// `norm2` for `encoder.layer.3.norm2`, or a word for the type.
  private static func variableName(_ node: SwiftNode, isInLoop: Bool) -> String {
    let parts = node.title.split(whereSeparator: { "./:".contains($0) })
    let word = parts.last { part in part.contains { $0.isLetter } } ?? ""
    return SwiftText.identifier(String(word), fallback: "x")
  }
}
