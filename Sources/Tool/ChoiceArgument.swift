import ArgumentParser

/// An argument that is one of several names, some of which have synonyms.
protocol ChoiceArgument: ExpressibleByArgument, CaseIterable, RawRepresentable<String> {
  /// The synonyms, which the help does not list.
  static var otherNames: [String: Self] { get }
}

extension ChoiceArgument {
  /// Creates a value from its name or a synonym.
  init?(argument: String) {
    guard let value = Self(rawValue: argument) ?? Self.otherNames[argument] else { return nil }
    self = value
  }
}
