package io.widerow.storage.cursor;

import io.widerow.event.AttributeName;
import io.widerow.event.Text;
import io.widerow.storage.Filter;
import io.widerow.storage.codec.Needle;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/// A prefilter of rows: finds, from the bytes of strings, the rows that a [Filter] may keep. It
/// never misses one; the filter itself decides on those found.
///
/// - Threads: one.
public abstract class FilterSearch {
  /// The rows that a filter may keep; null when any row may be.
  public @Nullable BitSet rows(Filter filter) {
    return switch (filter) {
      case Filter.Contains(AttributeName name, Text needle) -> holding(name, needle, false);
      case Filter.Has(AttributeName name, Text words) -> holding(name, words, true);
      case Filter.Matches(AttributeName name, var test) -> {
        Text required = test.required();
        yield required == null ? null : holding(name, required, false);
      }
      case Filter.Compare(
              AttributeName name,
              Filter.Comparison comparison,
              Filter.Literal.Word(Text text)) ->
          comparison == Filter.Comparison.EQUAL ? holding(name, text, true) : null;
      case Filter.Not(
              Filter.Compare(
                  AttributeName name,
                  Filter.Comparison comparison,
                  Filter.Literal.Word(Text text))) ->
          comparison == Filter.Comparison.GREATER_OR_EQUAL && text.length() == 0
              ? withoutText(name)
              : null;
      case Filter.OfLevel _, Filter.HasLevel _ -> ofLevel(filter);
      case Filter.And(var parts) -> {
        BitSet both = null;
        for (Filter part : parts) {
          BitSet one = rows(part);
          if (both == null) {
            both = one;
          } else if (one != null) {
            both.and(one);
          }
          if (both != null && both.isEmpty()) {
            break; // no further column is read
          }
        }
        yield both;
      }
      case Filter.Or(var parts) -> {
        BitSet either = new BitSet();
        for (Filter part : parts) {
          BitSet one = rows(part);
          if (one == null) {
            yield null;
          }
          either.or(one);
        }
        yield either;
      }
      default -> null;
    };
  }

  private @Nullable BitSet holding(AttributeName name, Text text, boolean words) {
    return text.length() == 0 ? null : holding(name, new Needle(text, words));
  }

  /// Rows that a test of the level keeps; null when any row may be one.
  public @Nullable BitSet ofLevel(Filter test) {
    return null;
  }

  /// Rows that may have no string of this name; null when any row may be one. Every string is at
  /// least the empty one, so that a comparison with it asks for them.
  public @Nullable BitSet withoutText(AttributeName name) {
    return null;
  }

  /// Rows that have the needle in a string of this name, not inside a longer word.
  public abstract BitSet holding(AttributeName name, Needle needle);
}
