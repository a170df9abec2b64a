package io.widerow.ingest.receive.loki;

import io.widerow.event.Rejection;
import io.widerow.ingest.decode.FittedEvent;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.SenderTime;
import org.jspecify.annotations.Nullable;

/// Decodes a push request in protobuf. Each entry is an event.
///
/// ```
///   PushRequest    1 streams
///   stream         1 labels, as text   2 entries
///   entry          1 timestamp {1 seconds, 2 nanoseconds}   2 line   3 metadata {1 name, 2 value}
/// ```
///
/// Fields may come in any order, others are ignored. A bad entry is refused alone, bad labels cost
/// the entries of their stream. A stream that is no message is refused as one.
///
/// Source: grafana/loki, `pkg/push/push.proto`.
///
/// - Threads: one.
/// - Memory: allocates nothing for an entry that is stored as it is.
public final class LokiProtobufDecoder {
  private final ProtobufReader reader = new ProtobufReader();
  private final LabelText labels = new LabelText();
  private final LokiStream stream;
  private final SenderTime time = new SenderTime();
  private byte[] body = new byte[0];

  // What the first pass over a stream finds.
  private int labelsOffset;
  private int labelsBytes; // negative: it has none
  private int entries;

  /// @param type of all events; null to find it among the labels of each stream
  /// @param detectLevels whether each entry gets the level that is found
  public LokiProtobufDecoder(@Nullable String type, boolean detectLevels) {
    stream = new LokiStream(type, detectLevels);
  }

  /// Decodes the request in `[0, limit)`.
  ///
  /// @throws ProtobufReader.Bad when the body is no such message; the caller must then drop the
  ///   batch
  public void decode(byte[] newBody, int limit, IncomingBatch batch) throws ProtobufReader.Bad {
    body = newBody;
    reader.begin(newBody, 0, limit);
    while (reader.next()) {
      if (reader.field() != 1) {
        reader.skip();
        continue;
      }
      int outer = reader.enter();
      int start = reader.at();
      int end = reader.limit();
      try {
        stream(batch);
      } catch (ProtobufReader.Bad bad) {
        LokiStream.refuseMessage(batch, "stream", start, bad.reason());
      }
      reader.resume(end, outer);
    }
  }

  private void stream(IncomingBatch batch) throws ProtobufReader.Bad {
    int start = reader.at();
    survey();
    if (entries == 0) {
      return;
    }
    stream.begin(body);
    try {
      if (labelsBytes < 0) {
        throw new BadPart("stream", start, "it has no labels");
      }
      labels.read(body, labelsOffset, labelsOffset + labelsBytes, stream);
    } catch (BadPart bad) {
      for (int i = 0; i < entries; i++) {
        LokiStream.refuse(batch, bad.part, bad.at, bad.why());
      }
      return;
    }
    stream.labelled(0);
    reader.seek(start);
    while (reader.next()) {
      if (reader.field() == 2) {
        entry(batch);
      } else {
        reader.skip();
      }
    }
  }

  private void entry(IncomingBatch batch) throws ProtobufReader.Bad {
    int outer = reader.enter();
    int start = reader.at();
    int end = reader.limit();
    try {
      fields(start, batch);
    } catch (ProtobufReader.Bad bad) {
      LokiStream.refuseMessage(batch, "entry", start, bad.reason());
    }
    reader.resume(end, outer);
  }

  /// Finds the labels, which may follow the entries, and checks that all parts are whole.
  private void survey() throws ProtobufReader.Bad {
    labelsBytes = -1;
    entries = 0;
    while (reader.next()) {
      if (reader.field() == 1) {
        reader.text();
        labelsOffset = reader.offset();
        labelsBytes = reader.length();
      } else if (reader.field() == 2) {
        reader.text();
        entries++;
      } else {
        reader.skip();
      }
    }
  }

  private void fields(int start, IncomingBatch batch) throws ProtobufReader.Bad {
    stream.beginEntry();
    int offset = 0;
    int length = 0;
    time.clear();
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> timestamp();
        case 2 -> {
          reader.text();
          offset = reader.offset();
          length = reader.length();
        }
        case 3 -> metadata();
        default -> reader.skip();
      }
    }
    stream.end(false, offset, length, time, 0, start, batch);
  }

  private void timestamp() throws ProtobufReader.Bad {
    int outer = reader.enter();
    long seconds = 0;
    long nanos = 0;
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> seconds = reader.varint();
        case 2 -> nanos = reader.varint();
        default -> reader.skip();
      }
    }
    reader.leave(outer);
    time.pair(seconds, nanos);
  }

  private void metadata() throws ProtobufReader.Bad {
    int outer = reader.enter();
    int nameOffset = 0;
    int nameBytes = 0;
    int offset = 0;
    int length = 0;
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> {
          reader.text();
          nameOffset = reader.offset();
          nameBytes = reader.length();
        }
        case 2 -> {
          reader.text();
          offset = reader.offset();
          length = reader.length();
        }
        default -> reader.skip();
      }
    }
    reader.leave(outer);
    if (stream.tape.count() >= FittedEvent.MEMBERS_MAX) {
      throw new ProtobufReader.Bad(Rejection.EVENT_TOO_LARGE.reason());
    }
    stream.tape.name(false, nameOffset, nameBytes);
    stream.tape.string(false, offset, length);
  }
}
