package io.widerow.event;

import org.jspecify.annotations.Nullable;

/// A view of another event, with what a subclass changes of it. It is reused for the next event.
///
/// - Threads: one.
public abstract class WrappedEvent implements EventView {
  private @Nullable EventView shown;

  /// Wraps the next event, until it changes.
  protected final void wrap(EventView event) {
    shown = event;
  }

  /// The event that is shown.
  protected final EventView event() {
    EventView event = shown;
    if (event == null) {
      throw new IllegalStateException("no current event");
    }
    return event;
  }

  @Override
  public final long idTime() {
    return event().idTime();
  }

  @Override
  public final long idTail() {
    return event().idTail();
  }

  @Override
  public long version() {
    return event().version();
  }

  @Override
  public final String type() {
    return event().type();
  }

  @Override
  public final void readType(AttributeValue out) {
    event().readType(out);
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    return event().find(name, out);
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    event().forEach(scratch, visitor);
  }
}
