import ForgeLoaders

/// Which tensor a description means: the output of one call of a layer.
struct KerasReference: Hashable, Sendable {
  /// The layer's own name.
  let layer: String
  /// The number of the call.
  let call: Int
  /// The number of the output.
  let output: Int

  /// The reference in a list that begins with a name and two numbers.
  init?(_ list: [JSONValue]) {
    guard list.count >= 3, let layer = list[0].text, let call = list[1].wholeNumber, call >= 0,
      let output = list[2].wholeNumber, output >= 0
    else { return nil }
    self.layer = layer
    self.call = call
    self.output = output
  }

  init(layer: String, call: Int, output: Int) {
    self.layer = layer
    self.call = call
    self.output = output
  }

  /// The references in `input_layers` and `output_layers`: one, or lists and dictionaries of them.
  ///
  /// It is `nil` for anything else.
  static func all(in json: JSONValue) -> [KerasReference]? {
    switch json {
    case .array(let list):
      if let one = KerasReference(list) { return [one] }
      return joined(list)
    case .object(let object): return joined(object.members.map(\.value))
    default: return nil
    }
  }

  private static func joined(_ list: [JSONValue]) -> [KerasReference]? {
    var found: [KerasReference] = []
    for item in list {
      guard let inner = all(in: item) else { return nil }
      found += inner
    }
    return found
  }
}

/// An argument of a call in a description, before its tensors are known.
enum KerasArgument: Sendable {
  case reference(KerasReference)
  case list([KerasArgument])
  case json(JSONValue)

  /// All references, in order.
  var references: [KerasReference] {
    switch self {
    case .reference(let reference): [reference]
    case .list(let list): list.flatMap(\.references)
    case .json: []
    }
  }
}

/// The arguments of one call of a layer in a description.
struct KerasCallArguments: Sendable {
  /// Those without a name.
  var arguments: [KerasArgument] = []
  /// Those with a name, in order.
  var keywords: [(name: String, value: KerasArgument)] = []

  /// A call with one tensor.
  init(only reference: KerasReference) {
    arguments = [.reference(reference)]
  }

  var references: [KerasReference] {
    arguments.flatMap(\.references) + keywords.flatMap(\.value.references)
  }

  /// Whether a model is called with `training=True`, its second argument.
  var isTraining: Bool {
    let named = keywords.first { $0.name == "training" }?.value
    guard case .json(let json)? = named ?? arguments.dropFirst().first else { return false }
    return json.flag == true
  }

  /// The calls in `inbound_nodes` of a layer; `nil` if it is not one of the forms that Keras
  /// writes.
  static func calls(_ nodes: JSONValue?) -> [KerasCallArguments]? {
    guard let nodes, !nodes.isNull else { return [] }
    guard let list = nodes.array else { return nil }
    var calls: [KerasCallArguments] = []
    for node in list {
      guard let call = node.object == nil ? KerasCallArguments(list: node) : .init(object: node)
      else { return nil }
      calls.append(call)
    }
    return calls
  }

  // MARK: Keras 3

  private init?(object node: JSONValue) {
    guard let list = node["args"]?.array else { return nil }
    arguments = list.map(Self.argument)
    for (name, value) in node["kwargs"]?.object?.members ?? [] {
      keywords.append((name.text, Self.argument(value)))
    }
  }

  private static func argument(_ json: JSONValue) -> KerasArgument {
    if let list = json.array { return .list(list.map(argument)) }
    if json["class_name"]?.text == "__keras_tensor__",
      let history = json["config"]?["keras_history"]?.array, let reference = KerasReference(history)
    {
      return .reference(reference)
    }
    return .json(json)
  }

  // MARK: Keras 1 and 2

  /// A call is a list of `[name, call, output, keywords]`, or, of one tensor, such a list itself.
  private init?(list node: JSONValue) {
    guard let items = node.array else { return nil }
    if let first = items.first, first.array == nil {
      guard let argument = Self.tensor(items, &keywords) else { return nil }
      arguments = [argument]
      return
    }
    var tensors: [KerasArgument] = []
    for item in items {
      guard let list = item.array, let tensor = Self.tensor(list, &keywords) else { return nil }
      tensors.append(tensor)
    }
    arguments = tensors.count == 1 ? tensors : [.list(tensors)]
  }

  private static func tensor(
    _ items: [JSONValue], _ keywords: inout [(name: String, value: KerasArgument)]
  ) -> KerasArgument? {
    for (name, value) in items.dropFirst(3).first?.object?.members ?? []
    where !keywords.contains(where: { $0.name == name.text }) {
      keywords.append((name.text, keyword(value)))
    }
    if items.count >= 3, items[0].text == "_CONSTANT_VALUE" { return .json(items[2]) }
    return KerasReference(items).map { .reference($0) }
  }

  /// A value by name: a tensor is a list of a name and two numbers.
  private static func keyword(_ json: JSONValue) -> KerasArgument {
    guard let list = json.array else { return .json(json) }
    if 3...4 ~= list.count, list[0].text == "_CONSTANT_VALUE" { return .json(list[2]) }
    if 3...4 ~= list.count, let reference = KerasReference(list) { return .reference(reference) }
    guard list.contains(where: { $0.array != nil }) else { return .json(json) }
    return .list(list.map(keyword))
  }
}
