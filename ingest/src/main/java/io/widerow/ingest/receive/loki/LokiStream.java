package io.widerow.ingest.receive.loki;

import static io.widerow.event.Utf8.ascii;

import io.widerow.event.Rejection;
import io.widerow.event.ServiceNames;
import io.widerow.event.StreamLabels;
import io.widerow.event.Utf8;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.FittedEvent;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// One stream of a push request: its labels, which are put on the tape once, and the current entry.
///
/// ```
///   tape:  labels | their names | metadata of the entry | level | body
///                               ^ mark: each entry begins here
/// ```
///
/// The type of its events is the value of the first label of [ServiceNames] that the stream has.
/// Labels that are not UTF-8 are escaped once, the rest when the batch does not take it.
///
/// - Threads: one.
/// - Memory: allocates nothing for an entry that is stored as it is.
final class LokiStream {
  /// Reasons with a byte in them; further ones are without, so that they share their memory.
  private static final int REASONS_MAX = 256;

  private static final int OWN = 0;
  private static final int LABELS = 1;
  private static final int METADATA = 2;
  private static final byte[] BODY = ascii("body");
  private static final byte[] NAMES = ascii(StreamLabels.FIELD.toString());
  private static final byte[] UNKNOWN = ascii("unknown_service");
  private static final byte[][] SERVICE_NAMES =
      ServiceNames.LABELS.stream().map(Utf8::ascii).toArray(byte[][]::new);

  final AttributeTape tape = new AttributeTape(new AttributeLevels("", "label.", "metadata."));
  private final int bodyName = tape.constant(BODY);
  private final int namesName = tape.constant(NAMES);
  private final @Nullable EntryLevels levels; // null when none are detected
  private final byte @Nullable [] typeAsked;
  private byte[] body = new byte[0];
  private long mark;

  // Of the stream.
  private int escapedLabels; // bytes
  private int rank; // of the label that is the type, in the list
  private int typeAt; // its place on the tape
  private byte[] names = new byte[256]; // of its labels, with commas between them
  private int namesBytes;
  private int shared; // attributes of all entries

  /// @param typeAsked the type of all events; null to find it among the labels
  /// @param detectLevels whether each entry gets the level that is found
  LokiStream(@Nullable String typeAsked, boolean detectLevels) {
    levels = detectLevels ? new EntryLevels(tape) : null;
    this.typeAsked = typeAsked == null ? null : typeAsked.getBytes(StandardCharsets.UTF_8);
  }

  /// Starts a stream without labels.
  void begin(byte[] newBody) {
    body = newBody;
    tape.begin(newBody);
    tape.level(LABELS);
    rank = SERVICE_NAMES.length;
    namesBytes = 0;
  }

  /// Whether the stream can have no more labels. Each of its entries pays for them.
  boolean isFull() {
    return tape.count() > FittedEvent.SHARED_MAX;
  }

  /// Adds a label, unless its value is empty: that is no label. Its name and its value are in the
  /// scratch or in the body.
  void label(
      boolean nameInScratch,
      int nameOffset,
      int nameBytes,
      boolean inScratch,
      int offset,
      int length) {
    if (length == 0) {
      return;
    }
    byte[] name = nameInScratch ? tape.scratch() : body;
    addName(name, nameOffset, nameBytes);
    for (int i = 0; i < rank; i++) {
      byte[] known = SERVICE_NAMES[i];
      if (Arrays.equals(known, 0, known.length, name, nameOffset, nameOffset + nameBytes)) {
        rank = i;
        typeAt = tape.count();
      }
    }
    tape.name(nameInScratch, nameOffset, nameBytes);
    tape.string(inScratch, offset, length);
  }

  private void addName(byte[] source, int offset, int length) {
    if (namesBytes + 1 + length > names.length) {
      names = Arrays.copyOf(names, 2 * (namesBytes + 1 + length));
    }
    if (namesBytes > 0) {
      names[namesBytes++] = ',';
    }
    System.arraycopy(source, offset, names, namesBytes, length);
    namesBytes += length;
  }

  /// Ends the labels.
  ///
  /// @param escaped pieces of them that could not be kept as they were sent
  void labelled(int escaped) {
    int at = tape.scratchLimit();
    tape.appendScratch(names, 0, namesBytes);
    tape.level(OWN);
    tape.name(true, namesName, NAMES.length);
    tape.string(true, at, namesBytes);
    escapedLabels = escaped + EscapedText.escape(tape, 0);
    if (levels != null) {
      levels.labels();
    }
    shared = tape.count();
    mark = tape.mark();
  }

  /// Starts an entry. Its structured metadata goes on the tape next.
  void beginEntry() {
    tape.reset(mark);
    tape.level(METADATA);
  }

  /// Writes the entry.
  ///
  /// @param offset of the line, which is in the scratch or in the body
  /// @param when its time
  /// @param escaped pieces of the entry that could not be kept as they were sent
  /// @param at the byte of the body at which the entry begins
  void end(
      boolean inScratch,
      int offset,
      int length,
      SenderTime when,
      int escaped,
      int at,
      IncomingBatch batch) {
    tape.level(OWN);
    if (levels != null) {
      levels.add(shared, body, inScratch, offset, length);
    }
    tape.name(true, bodyName, BODY.length);
    tape.string(inScratch, offset, length);
    long time = when.take(batch, tape);
    Rejection why = write(time, escapedLabels + escaped, batch);
    if (why != null) {
      refuse(batch, "entry", at, why.reason());
    }
  }

  /// Writes the attributes on the tape, and the number of escaped pieces.
  private @Nullable Rejection write(long nanos, int escaped, IncomingBatch batch) {
    if (escaped > 0) {
      tape.mark(EscapedText.MARK, escaped);
    }
    boolean labelled = typeAsked == null && rank < SERVICE_NAMES.length;
    byte[] type = typeAsked != null ? typeAsked : UNKNOWN;
    int offset = 0;
    int length = type.length;
    if (labelled) {
      type = tape.valueSource(typeAt);
      offset = tape.valueOffset(typeAt);
      length = tape.valueBytes(typeAt);
    }
    batch.events.begin(type, offset, length, nanos);
    tape.writeTo(batch.events);
    return batch.tryEnd(tape, type, offset, length);
  }

  /// Refuses an entry.
  ///
  /// @param at the byte of the body at which it is wrong
  static void refuse(IncomingBatch batch, String part, int at, String why) {
    boolean many = batch.refused.count() >= REASONS_MAX;
    batch.refuse(many ? why : "%s at byte %d: %s".formatted(part, at, why));
  }

  /// Refuses an entry that is no such message.
  ///
  /// @param why names the field and the position
  static void refuseMessage(IncomingBatch batch, String part, int at, String why) {
    boolean many = batch.refused.count() >= REASONS_MAX;
    refuse(batch, part, at, many ? "not a message of this kind" : why);
  }
}
