package io.widerow.ingest.receive.json;

import io.widerow.event.EventId;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.KeyId;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The id or the key that a sender gives to an event. Few events have one.
///
/// - Threads: one.
final class JsonIdentity {
  private static final String KEY_AND_ID = "an event has a key or an id, not both";
  private static final String NO_TIME = "an event with a key needs a timestamp";

  private final JsonNames names;
  private @Nullable EventId id;
  private @Nullable KeyId keyIds; // from the first key on
  private boolean keyInScratch;
  private int keyOffset;
  private int keyBytes;

  JsonIdentity(JsonNames names) {
    this.names = names;
  }

  /// Forgets the id and the key.
  void clear() {
    id = null;
    keyBytes = 0;
  }

  boolean isNone() {
    return id == null && keyBytes == 0;
  }

  /// Reads an id.
  void id(JsonScanner json, int first, AttributeTape tape) throws JsonScanner.Bad {
    if (first != '"') {
      throw new JsonScanner.Bad(names.notAnId());
    }
    json.string(tape);
    byte[] source = json.textInScratch ? tape.scratch() : json.bytes;
    String text = new String(source, json.textOffset, json.textBytes, StandardCharsets.ISO_8859_1);
    try {
      id = EventId.parse(text);
    } catch (IllegalArgumentException notAnId) {
      throw new JsonScanner.Bad(names.notAnId());
    }
  }

  /// Takes the key, which is the value that was read last if its first byte is a quote.
  void key(JsonScanner json, int first) throws JsonScanner.Bad {
    keyInScratch = json.textInScratch;
    keyOffset = json.textOffset;
    keyBytes = first == '"' ? json.textBytes : 0;
    if (keyBytes == 0 || keyBytes > KeyId.BYTES_MAX) {
      throw new JsonScanner.Bad(names.notAKey());
    }
  }

  /// Begins an event that has an id or a key. False when it is refused.
  ///
  /// @param time its own; one that is not understood goes on the tape
  boolean begin(
      JsonScanner json,
      AttributeTape tape,
      byte[] type,
      int offset,
      int length,
      SenderTime time,
      IncomingBatch batch) {
    EventId own = id;
    if (keyBytes > 0) {
      if (own != null || !time.isGiven()) {
        batch.refuse(own != null ? KEY_AND_ID : NO_TIME);
        return false;
      }
      KeyId ids = Objects.requireNonNullElseGet(keyIds, KeyId::new);
      keyIds = ids;
      byte[] key = keyInScratch ? tape.scratch() : json.bytes;
      own = ids.of(time.take(batch, tape), type, offset, length, key, keyOffset, keyBytes);
    }
    if (keyBytes == 0 && time.isGiven() && time.nanos() == TimeParser.NONE) {
      time.keep(tape); // the id has a time
    }
    batch.events.begin(type, offset, length, Objects.requireNonNull(own));
    long nanos = time.isReplaced() ? TimeParser.NONE : time.nanos();
    if (nanos != TimeParser.NONE && EventId.leastOf(nanos).time() != own.time()) {
      batch.events.reject(Rejection.ID_AND_TIME_DIFFER);
    }
    return true;
  }
}
