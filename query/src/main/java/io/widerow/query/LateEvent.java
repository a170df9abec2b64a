package io.widerow.query;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import org.jspecify.annotations.Nullable;

/// A late event: shown after events that follow it in the total order, and marked with an extra
/// attribute, [#FLAG].
public final class LateEvent implements EventView {
  public static final AttributeName FLAG = AttributeName.of("widerow.late");

  private @Nullable EventView shown;

  /// Wraps the next event.
  LateEvent show(EventView event) {
    shown = event;
    return this;
  }

  private EventView event() {
    EventView event = shown;
    if (event == null) {
      throw new IllegalStateException("no current event");
    }
    return event;
  }

  public static boolean isLate(EventView event, AttributeValue scratch) {
    return event instanceof LateEvent || event.find(FLAG, scratch);
  }

  @Override
  public long idTime() {
    return event().idTime();
  }

  @Override
  public long idTail() {
    return event().idTail();
  }

  @Override
  public long version() {
    return event().version();
  }

  @Override
  public long timeNanos() {
    return event().timeNanos();
  }

  @Override
  public String type() {
    return event().type();
  }

  @Override
  public void readType(AttributeValue out) {
    event().readType(out);
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    if (!name.equals(FLAG)) {
      return event().find(name, out);
    }
    out.setBits(AttributeKind.BOOLEAN, 1);
    return true;
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    event().forEach(scratch, visitor);
    scratch.setBits(AttributeKind.BOOLEAN, 1);
    visitor.visit(FLAG, scratch);
  }
}
