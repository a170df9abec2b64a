package io.widerow.storage.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.BlockDecompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.LongEncoder;
import io.widerow.storage.disk.Throttle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: texts that are numbers are written as such, texts that only resemble numbers are not, and
/// all are read as they were. Method: texts at the borders of each form, each of them twice, the
/// second time as a text that is known to repeat and as one that is not.
class PieceEncoderTest {
  private static final Path FILE = Path.of("pieces");

  static Stream<Arguments> texts() {
    return Stream.of(
        Arguments.of(PieceFormat.NUMBER, "0 17 12345678 123456789 999999999999999999"),
        Arguments.of(PieceFormat.NUMBER, "-5 7 -12345678 -123456789"),
        Arguments.of(PieceFormat.DIGITS, "00 17 05"),
        Arguments.of(PieceFormat.DIGITS, "00000001 12345678"),
        Arguments.of(PieceFormat.DIGITS, "000000001 123456789"),
        Arguments.of(PieceFormat.TIME, "23:59:59 00:00:00 12:34:56"),
        Arguments.of(PieceFormat.TIME_MILLIS, "23:59:59,999 00:00:00,000"),
        Arguments.of(PieceFormat.NUMBER_OR, "1 - 22 -"),
        Arguments.of(PieceFormat.NUMBER_OR, "- -1 12345678"),
        Arguments.of(PieceFormat.NUMBER_OR, "-0 1 2 -0"),
        Arguments.of(PieceFormat.NUMBER_OR, "17 24:00:00"),
        Arguments.of(PieceFormat.NUMBER_OR, "17 1234567a"),
        Arguments.of(PieceFormat.NUMBER_OR, " 17 18"), // the first is empty
        Arguments.of(PieceFormat.RAW, "0 00"),
        Arguments.of(PieceFormat.RAW, "01 2"),
        Arguments.of(PieceFormat.RAW, "12:00:00 -"),
        Arguments.of(PieceFormat.RAW, "12:00:00,000 12:00:00.000"),
        Arguments.of(PieceFormat.NUMBER_OR, "17 1234567890123456789"), // too long for a number
        Arguments.of(PieceFormat.RAW, "17 123456789012345678901"), // and for the other text
        Arguments.of(PieceFormat.RAW, "17 a b"));
  }

  @ParameterizedTest
  @MethodSource("texts")
  void numbersAreNumbersAndTextsAreTexts(int form, String spaced) {
    List<String> once = List.of(spaced.split(" ", -1));
    List<String> texts = Stream.of(once, once).flatMap(List::stream).toList();
    for (boolean known : new boolean[] {true, false}) {
      ByteSink numbers = new ByteSink();
      ByteSink text = new ByteSink();
      try (var compressor = new BlockCompressor(1, Throttle.NONE)) {
        var longs = new LongEncoder(compressor);
        new TextEncoder(longs, compressor, new TokenSet())
            .encode(slices(texts, known), false, null, null, numbers, text);
      }
      int written = numbers.bytes()[0];
      if (form == PieceFormat.RAW) {
        assertTrue(written == PieceFormat.RAW || written == PieceFormat.DICTIONARY, spaced);
      } else {
        assertEquals(form, written, spaced);
      }
      assertEquals(texts, read(numbers, text, texts.size()));
    }
  }

  @ParameterizedTest
  @CsvSource({"5, DICTIONARY", "4, DICTIONARY", "3, TEMPLATE", "1, TEMPLATE"})
  void linesThatRepeatAreADictionary(int times, String form) {
    List<String> texts =
        IntStream.range(0, 600).mapToObj(i -> "GET /items/%d/parts".formatted(i / times)).toList();
    ByteSink numbers = new ByteSink();
    ByteSink text = new ByteSink();
    try (var compressor = new BlockCompressor(1, Throttle.NONE)) {
      new TextEncoder(new LongEncoder(compressor), compressor, new TokenSet())
          .encode(slices(texts, false), true, null, null, numbers, text);
    }
    int expected = form.equals("TEMPLATE") ? PieceFormat.TEMPLATE : PieceFormat.DICTIONARY;
    assertEquals(expected, numbers.bytes()[0]);
  }

  /// @param known true for a second half that is known to repeat the first
  private static TextSlices slices(List<String> texts, boolean known) {
    byte[] bytes = String.join("", texts).getBytes(StandardCharsets.US_ASCII);
    TextSlices slices = new TextSlices();
    slices.bytes = Arrays.copyOf(bytes, bytes.length + ByteSource.SLACK);
    for (int i = 0, at = 0; i < texts.size(); at += texts.get(i).length(), i++) {
      if (known && i >= texts.size() / 2) {
        slices.addAgain(i - texts.size() / 2);
      } else {
        slices.add(at, texts.get(i).length());
      }
    }
    return slices;
  }

  private static List<String> read(ByteSink numbers, ByteSink text, int count) {
    TextSlices out = new TextSlices();
    List<String> found = new ArrayList<>();
    try (var decompressor = new BlockDecompressor()) {
      ByteSource texts = source(text);
      new TextDecoder(new LongDecoder(decompressor), texts)
          .decode(source(numbers), texts, count, null, null, out);
      out.print();
      for (int i = 0; i < count; i++) {
        found.add(new String(out.bytes, out.offsets[i], out.lengths[i], StandardCharsets.US_ASCII));
      }
    }
    return found;
  }

  private static ByteSource source(ByteSink sink) {
    byte[] bytes = Arrays.copyOf(sink.bytes(), sink.length() + ByteSource.SLACK);
    return new ByteSource(FILE).over(bytes, 0, sink.length(), 0);
  }
}
