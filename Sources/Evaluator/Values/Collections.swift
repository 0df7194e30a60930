#if Macros
  /// What several values may share until one of them changes.
  final class Storage<Content> {
    fileprivate var content: Content

    fileprivate init(_ content: Content) { self.content = content }
  }

  /// The elements of an array or of another sequence.
  struct ArrayValue {
    /// What kind of sequence it is.
    enum Kind {
      case array
      /// A part of an array, which keeps its indices.
      case slice
      /// A sequence without indices of whole numbers: `zip(a, b)`, `a.reversed()`.
      case sequence
      /// The elements of a dictionary or a set, whose order is another in each run.
      case unordered
    }

    private var storage: Storage<[Value]>
    /// The elements in order.
    var elements: [Value] { storage.content }
    /// The type of the elements; `nil` while literals among them wait for one.
    var elementType: StaticType?
    var kind: Kind
    /// The index of the first element.
    var start: Int
    /// The number of values inside, each counted as often as it is met.
    private(set) var weight: Int

    init(
      _ elements: [Value], of elementType: StaticType? = nil, kind: Kind = .array, start: Int = 0
    ) {
      storage = Storage(elements)
      self.elementType = elementType
      self.kind = kind
      self.start = start
      weight = elements.reduce(1) { Value.sum($0, $1.weight) }
    }

    var count: Int { storage.content.count }

    /// Gets elements of its own before a change in place; the number of those it copied.
    mutating func unshare() -> Int {
      if isKnownUniquelyReferenced(&storage) { return 0 }
      storage = Storage(storage.content)
      return count
    }

    /// The indices, as Swift numbers them.
    var indices: Range<Int> { start..<start + count }

    /// An element by its index in Swift.
    subscript(_ index: Int) -> Value {
      get { storage.content[index - start] }
      set {
        let old = storage.content[index - start]
        weight = Value.sum(weight - old.weight, newValue.weight)
        storage.content[index - start] = newValue
      }
    }

    /// Takes an element out for a change in place.
    mutating func moveOut(_ index: Int) -> Value {
      var value = Value.void
      swap(&value, &storage.content[index - start])
      weight = Value.sum(weight - value.weight, 1)
      return value
    }

    /// Adds elements at the end.
    mutating func append(_ added: [Value]) {
      storage.content += added
      weight = added.reduce(weight) { Value.sum($0, $1.weight) }
    }

    /// Replaces all elements.
    mutating func replace(_ new: [Value]) {
      storage = Storage(new)
      weight = new.reduce(1) { Value.sum($0, $1.weight) }
    }

    /// Removes the last element.
    mutating func removeLast() -> Value {
      let last = storage.content.removeLast()
      weight = max(weight - last.weight, 1)
      return last
    }

    /// The static type.
    var type: StaticType {
      let element = elementType ?? elements.reduce(.bottom) { .join($0, $1.type) }
      switch kind {
      case .array: return .array(element)
      case .slice: return .slice(element)
      case .sequence, .unordered: return .sequence(element)
      }
    }
  }

  /// The elements of a tuple.
  struct TupleValue {
    let elements: [(label: String?, value: Value)]
    /// The number of values inside, each counted as often as it is met.
    let weight: Int

    init(_ elements: [(label: String?, value: Value)]) {
      self.elements = elements
      weight = elements.reduce(1) { Value.sum($0, $1.value.weight) }
    }

    /// The position of an element by its label or number.
    func index(of name: String) -> Int? {
      if let index = Int(name), elements.indices.contains(index) { return index }
      return elements.firstIndex { $0.label == name }
    }
  }

  /// A value by which dictionaries and sets find their elements.
  enum Key: Hashable {
    case number(Scalar)
    case bool(Bool)
    case string(String)
    case enumCase(ObjectIdentifier, String)

    /// The key of a value; `nil` for one that the evaluator does not hash.
    init?(_ value: Value) {
      switch value {
      case .number(.typed(let scalar)):
        // Floating-point numbers have zeros of two signs and NaN.
        guard scalar.type.integer != nil else { return nil }
        self = .number(scalar)
      case .bool(let bool): self = .bool(bool)
      case .string(let text): self = .string(text)
      case .enumCase(let value) where value.payload.isEmpty && !value.type.hasOwnEquality:
        self = .enumCase(ObjectIdentifier(value.type), value.name)
      default: return nil
      }
    }
  }

  /// A dictionary, whose order is not known.
  struct DictionaryValue {
    private var storage = Storage<[Key: (key: Value, value: Value)]>([:])
    /// The keys and values in any order.
    var entries: [Key: (key: Value, value: Value)] { storage.content }
    let keyType: StaticType
    let valueType: StaticType
    private(set) var weight = 1

    init(keyType: StaticType, valueType: StaticType) {
      (self.keyType, self.valueType) = (keyType, valueType)
    }

    var count: Int { storage.content.count }

    subscript(_ key: Key) -> Value? { storage.content[key]?.value }

    /// Gets entries of its own before a change in place; the number of those it copied.
    mutating func unshare() -> Int {
      if isKnownUniquelyReferenced(&storage) { return 0 }
      storage = Storage(storage.content)
      return count
    }

    /// Sets or removes the value of a key.
    mutating func set(_ key: Key, _ keyValue: Value, _ value: Value?) {
      if let old = storage.content[key] { weight -= old.key.weight + old.value.weight }
      storage.content[key] = value.map { (keyValue, $0) }
      if let value { weight = Value.sum(Value.sum(weight, keyValue.weight), value.weight) }
    }
  }

  /// A set, whose order is not known.
  struct SetValue {
    private var storage = Storage<[Key: Value]>([:])
    /// The members in any order.
    var members: [Key: Value] { storage.content }
    let elementType: StaticType

    init(of elementType: StaticType) { self.elementType = elementType }

    /// Creates a set of values; `nil` if one of them cannot be hashed.
    init?(_ values: [Value], of elementType: StaticType) {
      self.elementType = elementType
      for value in values {
        guard let key = Key(value) else { return nil }
        if storage.content[key] == nil { storage.content[key] = value }
      }
    }

    var count: Int { storage.content.count }
    var keys: Set<Key> { Set(storage.content.keys) }
    var weight: Int { count + 1 }

    /// Gets members of its own before a change in place; the number of those it copied.
    mutating func unshare() -> Int {
      if isKnownUniquelyReferenced(&storage) { return 0 }
      storage = Storage(storage.content)
      return count
    }

    func contains(_ key: Key) -> Bool { storage.content[key] != nil }

    mutating func insert(_ key: Key, _ value: Value) { storage.content[key] = value }

    mutating func remove(_ key: Key) -> Value? { storage.content.removeValue(forKey: key) }

    /// The members whose keys fulfill a condition.
    func filter(_ isKept: (Key) -> Bool) -> SetValue {
      var result = SetValue(of: elementType)
      for (key, value) in members where isKept(key) { result.insert(key, value) }
      return result
    }
  }

  /// `0..<3`, `1...n`, `..<4`, `2...`.
  struct RangeValue {
    let lower: Number?
    let upper: Number?
    let isClosed: Bool

    /// The bounds of a range of whole numbers, the upper one excluded; `nil` for other ranges.
    var bounds: (lower: Int, upper: Int)? {
      guard let lower = lower?.defaulted?.int, var upper = upper?.defaulted?.int else { return nil }
      if isClosed {
        let (next, overflow) = upper.addingReportingOverflow(1)
        guard !overflow else { return nil }
        upper = next
      }
      return lower <= upper ? (lower, upper) : nil
    }

    /// Whether it holds a number; `nil` if that is not known.
    func contains(_ number: Number) -> Bool? {
      if let lower {
        guard let isAbove = Number.compare(lower, "<=", number) else { return nil }
        if !isAbove { return false }
      }
      guard let upper else { return true }
      return Number.compare(number, isClosed ? "<=" : "<", upper)
    }
  }

  /// A case of an enumeration that the source declares, with its values.
  struct EnumCaseValue {
    let type: UserType
    let name: String
    let payload: [(label: String?, value: Value)]
    let weight: Int

    init(_ type: UserType, _ name: String, _ payload: [(label: String?, value: Value)]) {
      self.type = type
      self.name = name
      self.payload = payload
      weight = payload.reduce(1) { Value.sum($0, $1.value.weight) }
    }
  }
#endif
