package io.widerow.storage.manifest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.FoldedText;
import io.widerow.event.Text;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import io.widerow.storage.digest.EventDigest;
import io.widerow.storage.manifest.Deletion.Proof;
import io.widerow.storage.manifest.Deletion.State;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/// Goal: deletions are read as they were written, with every part of a filter that the store can
/// keep, and bytes that are none are refused.
class DeletionSectionTest {
  private static final AttributeName USER = AttributeName.of("user");

  private static Filter compare(Literal literal) {
    return new Filter.Compare(USER, Comparison.GREATER_OR_EQUAL, literal);
  }

  private static final Filter ALL =
      new Filter.And(
          List.of(
              new Filter.Everything(),
              new Filter.Or(
                  List.of(new Filter.Exists(USER), new Filter.Not(new Filter.Exists(USER)))),
              compare(new Literal.Word(Text.of("ü17"))),
              compare(new Literal.Whole(-5)),
              compare(new Literal.Fraction(0.25)),
              compare(new Literal.Truth(true)),
              new Filter.Contains(USER, Text.of("a b")),
              new Filter.ContainsFolded(USER, FoldedText.of("MiXed")),
              new Filter.Has(USER, Text.of("word")),
              new Filter.OfType(compare(new Literal.Word(Text.of("cpu")))),
              new Filter.OfTime(Comparison.LESS, 1_700_000_000_000_000_000L),
              new Filter.OfId(EventId.LEAST)));

  private static Deletion deletion(int id, State state, Filter filter) {
    var proof =
        new Proof(
            3,
            2,
            new EventDigest(9, -1, 5),
            new EventDigest(9, -1, 5),
            List.of(7L, 0xa31L),
            List.of(0xb02L),
            Map.of(0, 88_123L, 1, 5L));
    return new Deletion(
        id,
        List.of("cpu", "disk.*"),
        5,
        Long.MAX_VALUE,
        "user = \"u17\"",
        filter,
        state,
        44,
        55,
        proof);
  }

  /// Records of texts are equal by their bytes only as text.
  private static String text(Filter filter) throws IOException {
    return Arrays.toString(
        new DeletionSection(2, List.of(deletion(1, State.DONE, filter))).toBytes());
  }

  @Test
  void deletionsAreReadAsTheyWereWritten() throws IOException {
    var section =
        new DeletionSection(
            9, List.of(deletion(3, State.PLANNED, ALL), deletion(8, State.DONE, ALL)));
    ManifestSections sections = section.toSections();
    DeletionSection read = DeletionSection.of(sections);
    assertEquals(9, read.next());
    assertEquals(2, read.deletions().size());
    Deletion last = read.deletions().getLast();
    assertEquals(deletion(8, State.DONE, last.filter()), last);
    assertEquals(text(ALL), text(last.filter()));
    assertEquals(DeletionSection.NONE, DeletionSection.of(ManifestSections.NONE));
    assertTrue(
        (DeletionSection.TAG & ManifestSections.REQUIRED) != 0,
        "programs that do not know it refuse it");
    assertTrue(sections.refusing() < 0, "and this one does not");
  }

  @Test
  void anOpaqueFilterHasNoBytes() {
    Filter opaque = new Filter.Matches(USER, (_, _, _) -> true);
    var section = new DeletionSection(2, List.of(deletion(1, State.PLANNED, opaque)));
    assertThrows(IllegalArgumentException.class, section::toBytes);
  }

  @Test
  void bytesThatAreNoDeletionsAreRefused() throws IOException {
    byte[] whole = new DeletionSection(2, List.of(deletion(1, State.RUNNING, ALL))).toBytes();
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThrows(IOException.class, () -> DeletionSection.of(cut), "cut at " + length);
    }
    byte[] longer = Arrays.copyOf(whole, whole.length + 1);
    assertThrows(IOException.class, () -> DeletionSection.of(longer));
    byte[] state = whole.clone();
    state[10] = 3;
    assertThrows(IOException.class, () -> DeletionSection.of(state));
  }
}
