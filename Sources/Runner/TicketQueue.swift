/// A FIFO queue of tickets, from which any ticket can be removed.
///
/// It is an intrusive linked list, so adding and removing do not allocate. Each ticket is retained
/// once, by `first` or by the preceding ticket.
struct TicketQueue {
  private(set) var count = 0
  private(set) var first: Ticket?
  private unowned(unsafe) var last: Ticket?

  /// Appends a ticket.
  mutating func append(_ ticket: Ticket) {
    ticket.previous = last
    if let last { last.next = ticket } else { first = ticket }
    last = ticket
    count += 1
  }

  /// Removes a ticket that is in the queue.
  mutating func remove(_ ticket: Ticket) {
    let previous = ticket.previous
    let next = ticket.next.take()
    ticket.previous = nil
    if let previous { previous.next = next } else { first = next }
    if let next { next.previous = previous } else { last = previous }
    count -= 1
  }

  /// Removes the oldest ticket.
  mutating func removeFirst() -> Ticket? {
    guard let ticket = first else { return nil }
    remove(ticket)
    return ticket
  }
}
