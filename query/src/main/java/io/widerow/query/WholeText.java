package io.widerow.query;

import com.google.re2j.Pattern;
import io.widerow.storage.Filter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/// An RE2 regular expression that the whole text must match. The store searches the UTF-8 of texts,
/// in time linear in their length. Two are equal when their expressions are.
///
/// @param regex the compiled expression
public record WholeText(Pattern regex) implements Filter.TextTest {
  @Override
  public boolean keeps(MemorySegment memory, long offset, int length) {
    return regex.matcher(bytes(memory, offset, length)).matches();
  }

  /// A copy of a text.
  public static byte[] bytes(MemorySegment memory, long offset, int length) {
    byte[] utf8 = new byte[length];
    MemorySegment.copy(memory, ValueLayout.JAVA_BYTE, offset, utf8, 0, length);
    return utf8;
  }
}
