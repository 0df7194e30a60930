/// The layers of a file, in whatever form it has them.
struct HDF5Layers: Sendable {
  /// How a file keeps layers.
  enum Form: Sendable {
    /// Keras 1 and 2, and `.h5` of Keras 3: lists of names, in order.
    case listed
    /// `.weights.h5` of Keras 3: numbered values in groups by class.
    case numbered
    /// Groups of datasets, of any origin; without an order.
    case plain
  }

  /// The layers nearest to a name.
  private struct Nearest {
    let distance: Int
    var layers: [Int]
  }

  /// As many layers of one name as a message shows, and one more.
  private static let shownClashes = 9

  let form: Form
  /// The layers that have parameters, in the order of the file.
  let layers: [HDF5Layer]
  /// Whether kernels were kept the way Theano wanted them.
  let isTheano: Bool
  private var nearest: [EntryName: Nearest] = [:]

  init(form: Form, layers: [HDF5Layer], isTheano: Bool) {
    self.form = form
    self.layers = layers
    self.isTheano = isTheano
    for (index, layer) in layers.enumerated() {
      // A whole name is nearer than a part of one.
      note(index, as: layer.name, distance: -1)
      for alias in layer.aliases where alias != layer.name {
        note(index, as: alias, distance: layer.depth)
      }
    }
  }

  private mutating func note(_ index: Int, as name: EntryName, distance: Int) {
    guard let found = nearest[name], found.distance <= distance else {
      nearest[name] = Nearest(distance: distance, layers: [index])
      return
    }
    guard found.distance == distance, found.layers.count < Self.shownClashes,
      found.layers.last != index
    else { return }
    nearest[name]?.layers.append(index)
  }

  /// The layer of a name, the outermost where there are several; `nil` when there is none.
  ///
  /// - Throws: the names of those that have it, when two are equally far out.
  func layer(named name: EntryName) throws(HDF5NameClash) -> HDF5Layer? {
    guard let found = nearest[name]?.layers, let first = found.first else { return nil }
    guard found.count == 1 else { throw HDF5NameClash(names: found.map { layers[$0].name.text }) }
    return layers[first]
  }

  /// The names to ask for, each of which leads to one layer.
  var names: [String] {
    layers.enumerated().map { index, layer in
      let short = EntryName(layer.name.bytes.suffix(while: { $0 != UInt8(ascii: "/") }))
      return nearest[short]?.layers == [index] ? short.text : layer.name.text
    }
  }
}

/// Several layers of one name.
struct HDF5NameClash: Error {
  let names: [String]
}

extension BidirectionalCollection {
  /// The elements behind the last that does not satisfy a condition.
  fileprivate func suffix(while condition: (Element) -> Bool) -> SubSequence {
    var start = endIndex
    while start > startIndex, condition(self[index(before: start)]) { start = index(before: start) }
    return self[start...]
  }
}
