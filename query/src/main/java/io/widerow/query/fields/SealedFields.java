package io.widerow.query.fields;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.storage.StoreView;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/// Counts the fields of sealed blocks from their dictionaries. Cached counts are added at once, and
/// the rest is read until the time is over.
///
/// - Threads: one.
final class SealedFields {
  private final StoreView.SealedValues values;
  private final KnownFields known;
  private final @Nullable AttributeName only;
  private final boolean allFields;
  private final FieldTable into;
  private final int column;
  private final LongConsumer memory;
  private final List<StoreView.Part> left = new ArrayList<>();
  private double done; // events

  /// @param only the only field wanted; null for all
  /// @param allFields false for types alone
  /// @param into where events are counted, in a column
  /// @param memory counts held bytes, and may refuse
  SealedFields(
      StoreView.SealedValues values,
      KnownFields known,
      @Nullable AttributeName only,
      boolean allFields,
      FieldTable into,
      int column,
      LongConsumer memory) {
    this.values = values;
    this.known = known;
    this.only = only;
    this.allFields = allFields;
    this.into = into;
    this.column = column;
    this.memory = memory;
  }

  /// Adds the cached counts, and returns the number of their events.
  double addKnown() {
    List<StoreView.Part> parts = values.parts();
    // In an order that is even over the parts at any moment: they ascend by time.
    IntStream.range(0, parts.size())
        .boxed()
        .sorted(Comparator.comparing(Integer::reverse, Integer::compareUnsigned))
        .map(parts::get)
        .forEach(left::add);
    left.removeIf(part -> {
      FieldTable table = part.whole() ? known.whole(part) : null;
      boolean told = table != null && (only == null || table.tells(only));
      if (table != null && told) {
        add(table);
        done += part.events();
      }
      return told;
    });
    return done;
  }

  private void add(FieldTable table) {
    AttributeName wanted = only;
    if (wanted != null) {
      into.addOne(table, wanted, column);
    } else if (allFields) {
      into.addAll(table, column);
    } else {
      into.addTypes(table, column);
    }
    memory.accept(into.takeGrown());
  }

  /// Reads blocks without cached counts until a moment, but at least one block, so that repeated
  /// queries complete in the end. Returns the number of events counted by then.
  ///
  /// @param check throws when the query was cancelled
  double read(long untilNanos, Runnable check) {
    boolean first = true;
    for (StoreView.Part part : left) {
      check.run();
      if (!first && isOver(untilNanos)) {
        break;
      }
      first = false;
      done +=
          only != null || !allFields
              ? readSome(part, this::isOnly, untilNanos)
              : !part.whole()
                  ? readSome(part, SealedFields::isCounted, untilNanos)
                  : readAll(part, untilNanos);
    }
    return done;
  }

  private static boolean isOver(long untilNanos) {
    return System.nanoTime() - untilNanos > 0;
  }

  /// Reads all fields of a part, which are known from then on, unless some of its blocks cannot be
  /// read.
  private double readAll(StoreView.Part part, long untilNanos) {
    KnownFields.@Nullable Known read =
        readOn(values, part, known.take(part), () -> isOver(untilNanos), memory);
    if (read == null) {
      return readSome(part, SealedFields::isCounted, untilNanos);
    }
    add(read.table());
    double events = read.table().events(ValueCounts.REST);
    boolean _ = known.put(part, read);
    return events;
  }

  /// Continues to read a part where an earlier read ended: all fields, at least one block.
  ///
  /// @param begun its cached counts; null for none
  /// @param over whether there is no time for another block
  /// @param more receives the memory that reading holds in addition, in bytes, after each block
  /// @return null when the scan of the values skipped a block
  static KnownFields.@Nullable Known readOn(
      StoreView.SealedValues values,
      StoreView.Part part,
      KnownFields.@Nullable Known begun,
      BooleanSupplier over,
      LongConsumer more) {
    FieldTable table = begun == null ? new FieldTable() : begun.table();
    long bytes = begun == null ? 0 : begun.bytes();
    int block = begun == null ? 0 : begun.blocks();
    Counter counter = new Counter(table, ValueCounts.REST);
    do {
      long before = values.heldBytes();
      long events = values.read(part, block++, SealedFields::isCounted, counter);
      more.accept(values.heldBytes() - before);
      if (events < 0) {
        return null;
      }
      bytes += table.takeGrown();
    } while (block < part.blocks() && !over.getAsBoolean());
    return new KnownFields.Known(table, block, bytes);
  }

  private static boolean isCounted(AttributeName name) {
    return !name.equals(AttributeName.BODY);
  }

  private boolean isOnly(AttributeName name) {
    AttributeName wanted = only;
    return wanted != null && wanted.equals(name);
  }

  /// Reads some fields of a part, or none but the types, which stay unknown.
  private double readSome(StoreView.Part part, Predicate<AttributeName> wanted, long untilNanos) {
    double events = 0;
    int block = 0;
    do {
      FieldTable table = new FieldTable(); // first: a block whose end is damaged counts in nothing
      Counter counter = new Counter(table, ValueCounts.REST);
      long before = values.heldBytes();
      long read = values.read(part, block++, wanted, counter);
      memory.accept(values.heldBytes() - before);
      if (read >= 0) {
        add(table);
        events += read;
      }
    } while (block < part.blocks() && !isOver(untilNanos));
    return block == part.blocks() ? part.events() : events;
  }

  /// Counts the values of blocks.
  private static final class Counter implements StoreView.ValueVisitor {
    private final FieldTable table;
    private final int column;
    private final AttributeValue type = new AttributeValue();

    Counter(FieldTable table, int column) {
      this.table = table;
      this.column = column;
    }

    @Override
    public void block(String name, int count) {
      MemorySegment text = MemorySegment.ofArray(name.getBytes(StandardCharsets.UTF_8));
      type.setText(AttributeKind.STRING, text, 0, (int) text.byteSize());
      table.type(type, column, count);
      table.events(column, count);
    }

    @Override
    public void value(AttributeName name, AttributeValue value, int count) {
      table.value(name, value, column, count);
    }
  }
}
