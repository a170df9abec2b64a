package io.widerow.query;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;

/// An event that is shown behind events that come after it, and says so: it has one attribute more.
final class LateEvent implements EventView {
  static final AttributeName FLAG = AttributeName.of("widerow.late");

  private final EventView event;

  LateEvent(EventView event) {
    this.event = event;
  }

  @Override
  public long idTime() {
    return event.idTime();
  }

  @Override
  public long idTail() {
    return event.idTail();
  }

  @Override
  public long version() {
    return event.version();
  }

  @Override
  public long timeNanos() {
    return event.timeNanos();
  }

  @Override
  public String type() {
    return event.type();
  }

  @Override
  public boolean find(AttributeName name, AttributeValue out) {
    if (!name.equals(FLAG)) {
      return event.find(name, out);
    }
    out.setBits(AttributeKind.BOOLEAN, 1);
    return true;
  }

  @Override
  public void forEach(AttributeValue scratch, AttributeVisitor visitor) {
    event.forEach(scratch, visitor);
    scratch.setBits(AttributeKind.BOOLEAN, 1);
    visitor.visit(FLAG, scratch);
  }
}
