package io.widerow.ingest.transform;

import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordCheck;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.storage.Durability;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/// JSON lines after transforms, for tests: the remaining events, and the batch's notes of the rest.
///
/// @param indexes in the batch, of each event that is left
/// @param same whether the batch still has the memory that it came with
record Transformed(
    List<MemoryStore.Stored> stored,
    List<Integer> indexes,
    List<String> refused,
    int changed,
    int dropped,
    boolean same) {
  static final String KEY = "key \"0123456789abcdef\"\n";

  static Transformed of(String rules, String body) {
    return of(rules, body, EventLayout.EVENT_BYTES_MAX);
  }

  static Transformed of(String rules, String body, int eventBytesMax) {
    try {
      TransformSet set = TransformSet.parse(rules, Decoding.ARRIVAL_NANOS);
      return of(new TransformRun(set), body.getBytes(StandardCharsets.UTF_8), eventBytesMax);
    } catch (TransformMistake mistake) {
      throw new IllegalArgumentException(mistake);
    }
  }

  static Transformed of(TransformRun run, byte[] body, int eventBytesMax) {
    try (EventBatch events = new EventBatch(1 << 10, 64 << 20, eventBytesMax);
        EventBatch spare = new EventBatch(1 << 10, 64 << 20, eventBytesMax)) {
      IncomingBatch batch = new IncomingBatch(events, Decoding.ARRIVAL_NANOS);
      byte[] slack = Arrays.copyOf(body, body.length + Swar.SLACK_BYTES);
      new JsonLinesDecoder("t").decode(slack, 0, body.length, batch);
      long before = events.memory().address();
      run.apply(batch, spare);
      return new Transformed(
          stored(events),
          indexes(batch),
          refused(batch),
          run.changed(),
          run.dropped(),
          events.memory().address() == before);
    }
  }

  private static List<MemoryStore.Stored> stored(EventBatch events) {
    RecordCheck check = new RecordCheck();
    MemorySegment records = events.memory().asSlice(0, events.bytes());
    for (long at = 0; at < events.bytes(); ) {
      if (!check.isRecord(records, at)) {
        throw new AssertionError("no record at " + at);
      }
      at += EventLayout.alignedLength(EventLayout.length(records, at));
    }
    MemoryStore store = new MemoryStore(1);
    int _ = store.lanes.get(0).append(events, 0, (index, why) -> {});
    long _ = store.lanes.get(0).commit(Durability.DISK);
    return store.committed;
  }

  private static List<Integer> indexes(IncomingBatch batch) {
    int[] noted = batch.indexes();
    List<Integer> indexes = new ArrayList<>();
    if (noted != null) {
      Arrays.stream(noted).forEach(indexes::add);
      return indexes;
    }
    int refusal = 0;
    for (int index = 0; index < batch.decoded(); index++) {
      if (refusal < batch.refused.listed() && batch.refused.index(refusal) == index) {
        refusal++;
      } else {
        indexes.add(index);
      }
    }
    return indexes;
  }

  private static List<String> refused(IncomingBatch batch) {
    List<String> refused = new ArrayList<>();
    for (int i = 0; i < batch.refused.listed(); i++) {
      refused.add(batch.refused.index(i) + " " + batch.refused.reason(i));
    }
    return refused;
  }

  /// The events as text.
  List<String> events() {
    return stored.stream().map(event -> event.type() + event.attributes()).toList();
  }
}
