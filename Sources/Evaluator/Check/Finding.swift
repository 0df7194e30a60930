#if Macros
  import SwiftSyntax

  /// What the check of a network has to say, at a node of the user's source.
  public struct Finding {
    /// How serious a finding is.
    public enum Severity: String, Sendable {
      /// The network is wrong.
      case error
      /// The network may not be what is meant.
      case warning
      /// Something is not known while Swift compiles.
      case remark
      /// Information that was asked for.
      case note
    }

    /// A further place that belongs to a finding.
    public struct Note {
      /// The node.
      public let node: Syntax
      /// What there is to say about it.
      public let message: String
    }

    /// A change of the source that would fix it.
    public struct FixIt {
      /// What the change does.
      public let message: String
      /// The range of text to replace, in the tree of the finding's node.
      public let range: Range<AbsolutePosition>
      /// The new text.
      public let text: String
    }

    /// How serious it is.
    public let severity: Severity
    /// The node at which the compiler shows it.
    public let node: Syntax
    /// What there is to say.
    public let message: String
    /// Further places.
    public var notes: [Note] = []
    /// Changes that would fix it.
    public var fixIts: [FixIt] = []

    /// Creates a finding.
    ///
    /// - Parameters:
    ///   - severity: how serious it is.
    ///   - node: the node at which the compiler shows it.
    ///   - message: what there is to say.
    ///   - notes: further places.
    public init(severity: Severity, node: Syntax, message: String, notes: [Note] = []) {
      self.severity = severity
      self.node = node
      self.message = message
      self.notes = notes
    }
  }
#endif
