package io.widerow.query;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.WrappedEvent;

/// A late event: shown after events that follow it in the total order, and marked with an extra
/// attribute, [#FLAG].
public final class LateEvent extends WrappedEvent {
  public static final AttributeName FLAG = AttributeName.of("widerow.late");

  /// Wraps the next event.
  LateEvent show(EventView event) {
    wrap(event);
    return this;
  }

  public static boolean isLate(EventView event, AttributeValue scratch) {
    return event instanceof LateEvent || event.find(FLAG, scratch);
  }

  @Override
  public long timeNanos() {
    return event().timeNanos();
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    if (!name.equals(FLAG)) {
      return super.find(name, out);
    }
    out.setBits(AttributeKind.BOOLEAN, 1);
    return true;
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    super.forEach(scratch, visitor);
    scratch.setBits(AttributeKind.BOOLEAN, 1);
    visitor.visit(FLAG, scratch);
  }
}
