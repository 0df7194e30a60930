/// One prediction from its submission to its answer, which it gets exactly once.
///
/// `@unchecked Sendable`: what can change belongs to the engine's lock, but for `input`, which is the
/// worker's once it has taken the ticket.
final class Ticket<Network: NeuralNetwork>: @unchecked Sendable {
  /// What the caller gets.
  typealias Answer = Result<PredictionResult<Network.Prediction, Network.Kept>, any Error>

  /// Where the prediction is.
  enum Phase {
    /// Not submitted yet.
    case new
    /// In the line.
    case waiting
    /// In a slot.
    case taken
    /// Answered, or about to be by whoever moved it here.
    case over
  }

  /// When the prediction must be there.
  let deadline: Nanoseconds
  var input: Network.Input?
  var phase = Phase.new
  /// Why it was over before it was submitted.
  var refusal: StopSignal.Reason?
  var deliver: (@Sendable (Answer) -> Void)?
  var submitted: Nanoseconds = 0
  /// Ends the wait when the deadline comes.
  var timer: Task<Void, Never>?
  /// The slot it is in, while it is taken.
  var slot: InflightSlot<Network.Slot>?
  /// Its neighbours in the line, which holds it alive meanwhile.
  var next: Unmanaged<Ticket>?
  var previous: Unmanaged<Ticket>?

  init(_ input: Network.Input, deadline: Nanoseconds) {
    self.input = input
    self.deadline = deadline
  }

  /// Makes it over and hands out what answers it, with the timer that is not needed any more.
  func end() -> Ending {
    phase = .over
    slot = nil
    defer {
      deliver = nil
      timer = nil
    }
    return Ending(deliver: deliver, timer: timer)
  }

  /// What is left to do for a ticket that is over, outside the lock.
  struct Ending {
    let deliver: (@Sendable (Answer) -> Void)?
    let timer: Task<Void, Never>?

    /// Answers.
    func answer(_ answer: Answer) {
      timer?.cancel()
      deliver?(answer)
    }
  }
}

/// The tickets that nobody has taken yet: first come, first served; any one can leave.
///
/// A list through the tickets themselves, so that joining and leaving allocate nothing.
struct WaitingLine<Network: NeuralNetwork> {
  private(set) var count = 0
  private(set) var first: Unmanaged<Ticket<Network>>?
  private var last: Unmanaged<Ticket<Network>>?

  /// Adds a ticket at the end.
  mutating func append(_ ticket: Ticket<Network>) {
    let entry = Unmanaged.passRetained(ticket)
    ticket.previous = last
    if let last {
      last.takeUnretainedValue().next = entry
    } else {
      first = entry
    }
    last = entry
    count += 1
  }

  /// Takes out a ticket that is in the line.
  mutating func remove(_ ticket: Ticket<Network>) {
    if let previous = ticket.previous {
      previous.takeUnretainedValue().next = ticket.next
    } else {
      first = ticket.next
    }
    if let next = ticket.next {
      next.takeUnretainedValue().previous = ticket.previous
    } else {
      last = ticket.previous
    }
    ticket.next = nil
    ticket.previous = nil
    count -= 1
    Unmanaged.passUnretained(ticket).release()
  }

  /// Takes out the one that has waited longest.
  mutating func removeFirst() -> Ticket<Network>? {
    guard let ticket = first?.takeUnretainedValue() else { return nil }
    remove(ticket)
    return ticket
  }
}
