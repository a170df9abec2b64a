package io.widerow.storage.scan;

import io.widerow.event.AttributeValue;
import io.widerow.storage.Filter;
import io.widerow.storage.sketch.ValueTable;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Predicate;

/// The results of opaque tests of strings, such as regular expressions, which cost more than to
/// find the string again. A test whose strings hardly repeat is not remembered any more.
///
/// - Threads: one.
/// - Memory: up to [#BYTES_MAX] for each test.
final class TextVerdicts {
  /// Limit of the memory of one test. A full table is emptied.
  private static final long BYTES_MAX = 4 << 20;

  /// After so many strings a quarter of them must have been found again.
  private static final int TRIAL = 1 << 12;

  private final Map<Filter.TextTest, Remembered> tests = new HashMap<>();

  /// A test that remembers its results.
  Predicate<AttributeValue> of(Filter.TextTest test) {
    return tests.computeIfAbsent(test, Remembered::new);
  }

  /// Approximate memory held.
  long heldBytes() {
    long bytes = 0;
    for (Remembered test : tests.values()) {
      bytes += test.texts.bytes() + test.keeps.length;
    }
    return bytes;
  }

  /// The results of one test.
  private static final class Remembered implements Predicate<AttributeValue> {
    private final Filter.TextTest test;
    private ValueTable texts = new ValueTable(false);
    private boolean[] keeps = new boolean[16]; // by number of the text
    private int asked;
    private int repeated;
    private boolean remembers = true;

    Remembered(Filter.TextTest test) {
      this.test = test;
    }

    @Override
    public boolean test(AttributeValue text) {
      if (!remembers) {
        return test.keeps(text.memory(), text.offset(), text.length());
      }
      int known = texts.size();
      int number = texts.add(text);
      asked++;
      if (number < known) {
        repeated++;
        return keeps[number];
      }
      boolean kept = test.keeps(text.memory(), text.offset(), text.length());
      if (number == keeps.length) {
        keeps = Arrays.copyOf(keeps, 2 * number);
      }
      keeps[number] = kept;
      if (asked >= TRIAL) {
        remembers = repeated > asked / 4;
        asked = 0;
        repeated = 0;
      }
      if (!remembers || texts.bytes() > BYTES_MAX) {
        texts = new ValueTable(false);
      }
      return kept;
    }
  }
}
