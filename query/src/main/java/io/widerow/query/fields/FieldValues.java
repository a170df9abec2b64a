package io.widerow.query.fields;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.event.PartitionKey;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// The values of attributes in partitions, each once or more often. They come from sealed blocks
/// without reading an event: from cached counts, else from dictionaries. Open rows and [#others]
/// have the remaining values.
///
/// - Threads: one.
/// - Memory: one block. Borrows the view; close it before the view.
public final class FieldValues implements AutoCloseable {
  private final StoreView.SealedValues values;
  private final KnownFields known;

  private FieldValues(StoreView.SealedValues values, KnownFields known) {
    this.values = values;
    this.known = known;
  }

  /// Takes values.
  @FunctionalInterface
  public interface Visitor {
    /// Some events have a value.
    ///
    /// @param value valid until the call returns
    /// @return false when it is the last one that is wanted of this attribute
    boolean value(AttributeName name, AttributeValue value);
  }

  /// Returns null when the values are only in events.
  ///
  /// @param known the earlier counts
  /// @param partitions as the view has them
  public static @Nullable FieldValues of(
      StoreView view, KnownFields known, List<PartitionKey> partitions, Scan range) {
    StoreView.SealedValues values = view.sealedValues(partitions, range);
    return values == null ? null : new FieldValues(values, known);
  }

  /// True when sealed blocks have events in the range. False when only a look at events can tell.
  public boolean hasSealed() {
    return values.parts().stream().anyMatch(StoreView.Part::whole);
  }

  /// Partitions whose events must be looked at.
  public Set<PartitionKey> others() {
    return values.others();
  }

  /// Hands over what sealed blocks have.
  ///
  /// @param wanted the attributes, without the body. One that has its last value is removed
  /// @param check called for each block; may end this with an exception
  /// @param memory takes how much more is held, in bytes
  public void readSealed(
      Set<AttributeName> wanted, Visitor visitor, Runnable check, LongConsumer memory) {
    List<StoreView.Part> left =
        values.parts().stream().filter(part -> !addKnown(part, wanted, visitor)).toList();
    StoreView.ValueVisitor each =
        new StoreView.ValueVisitor() {
          @Override
          public void block(String type, int events) {}

          @Override
          public void value(AttributeName name, AttributeValue value, int events) {
            if (wanted.contains(name) && !visitor.value(name, value)) {
              wanted.remove(name);
            }
          }
        };
    for (StoreView.Part part : left) {
      for (int block = 0; block < part.blocks() && !wanted.isEmpty(); block++) {
        check.run();
        long before = values.heldBytes();
        long _ = values.read(part, block, wanted::contains, each); // damage ends it
        memory.accept(values.heldBytes() - before);
      }
    }
  }

  /// Hands over the values of a part that are known. Returns whether that is all that is wanted.
  private boolean addKnown(StoreView.Part part, Set<AttributeName> wanted, Visitor visitor) {
    FieldTable table = part.whole() ? known.whole(part) : null;
    if (table == null) {
      return false;
    }
    boolean all = true;
    for (AttributeName name : List.copyOf(wanted)) {
      FieldCounts counts = table.fields().get(name);
      if (counts == null) {
        all &= table.tells(name);
      } else if (counts.values().isMany()) {
        all = false;
      } else {
        counts
            .values()
            .forEach(value -> {
              boolean more = visitor.value(name, value);
              if (!more) {
                wanted.remove(name);
              }
              return more;
            });
      }
    }
    return all;
  }

  /// Hands over what open rows have of the partitions that are no [#others].
  ///
  /// @param wanted the attributes. One that has its last value is removed
  /// @param scan their range; shows the attributes
  public void readOpen(Set<AttributeName> wanted, Scan scan, Visitor visitor) {
    if (wanted.isEmpty()) {
      return; // do not open thousands of rows for nothing
    }
    AttributeValue scratch = new AttributeValue();
    try (EventCursor rows = values.openRows(scan)) {
      while (rows != null && !wanted.isEmpty() && rows.nextWhenReady() == EventCursor.Step.EVENT) {
        EventView event = rows.event();
        wanted.removeIf(name -> event.find(name, scratch) && !visitor.value(name, scratch));
      }
    }
  }

  @Override
  public void close() {
    values.close();
  }
}
