/// The queue of tickets: first in, first out; any ticket can leave.
///
/// It is a list linked through the tickets themselves, so that joining and leaving do not allocate.
struct WaitingLine {
  private(set) var count = 0
  private(set) var first: Unmanaged<Ticket>?
  private var last: Unmanaged<Ticket>?

  /// Appends a ticket.
  mutating func append(_ ticket: Ticket) {
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

  /// Removes a ticket that is in the queue.
  mutating func remove(_ ticket: Ticket) {
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

  /// Removes the ticket that has waited longest.
  mutating func removeFirst() -> Ticket? {
    guard let ticket = first?.takeUnretainedValue() else { return nil }
    remove(ticket)
    return ticket
  }
}
