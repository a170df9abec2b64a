package io.widerow.ingest.kafka;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.RecordEdit;
import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.lane.Lanes;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/// Decodes records with the decoders of their format, and gives each event the attributes of its
/// record: `kafka.topic`, `kafka.partition`, `kafka.offset`, `kafka.key`, `kafka.header.NAME`. An
/// attribute of the event with such a name wins.
///
/// - Threads: one.
/// - Memory: owns a batch for the events of one record; [#close] frees it.
final class RecordDecoding implements AutoCloseable {
  private static final int BODY_BYTES = 4 << 10;
  private static final int HEADERS_MAX = 64;
  private static final int TEXT_BYTES_MAX = 8 << 10;
  private static final long SCRATCH_BYTES = 64 << 10;
  private static final long SCRATCH_BYTES_MAX = 128L << 20;
  private static final long NANOS_PER_MILLI = 1_000_000;
  private static final AttributeName TOPIC = AttributeName.of("kafka.topic");
  private static final AttributeName PARTITION = AttributeName.of("kafka.partition");
  private static final AttributeName OFFSET = AttributeName.of("kafka.offset");
  private static final AttributeName KEY = AttributeName.of("kafka.key");
  private static final String HEADER = "kafka.header.";
  private static final int HEADER_NAME_MAX = EventLayout.NAME_BYTES_MAX - HEADER.length();

  private static final String OWN_ID =
      "an event with an id of its own: a store on a cluster takes none from Kafka";

  private final KafkaOptions options;
  private final boolean isShared;
  private final boolean isTimeOfKafka;
  private final Lanes lanes;
  private final RecordFormats formats;
  private final Map<String, RecordFormats.Decoder> ofJson = new HashMap<>(); // by topic
  private final Map<String, RecordFormats.Decoder> ofOthers = new HashMap<>();
  private final EventBatch scratch;
  private final RecordEdit edit = new RecordEdit();
  private final AttributeValue partition = new AttributeValue();
  private final AttributeValue offset = new AttributeValue();
  private final Map<AttributeName, AttributeValue> added = new LinkedHashMap<>();
  private final List<AttributeName> there = new ArrayList<>();
  private byte[] body = new byte[BODY_BYTES];

  /// What became of the records of a chunk.
  static final class Decoded {
    /// For the lanes.
    final IncomingBatch batch;

    /// Number of records without a value.
    final int empty;

    private final long[] offsets; // of the record of each event, refused or not

    Decoded(IncomingBatch batch, long[] offsets, int empty) {
      this.batch = batch;
      this.offsets = offsets;
      this.empty = empty;
    }

    /// The offset of the record of an event.
    long offset(int event) {
      return event < offsets.length ? offsets[event] : -1;
    }

    /// The offsets of the records of refused events, ascending.
    List<Long> offsets(Refusals refused) {
      return IntStream.range(0, refused.listed())
          .mapToObj(each -> offset(refused.index(each)))
          .distinct()
          .toList();
    }
  }

  /// @param isShared whether the store is on a cluster
  /// @throws IllegalArgumentException when the format refuses a parameter
  RecordDecoding(KafkaOptions options, Lanes lanes, RecordFormats formats, boolean isShared) {
    this.options = options;
    this.isShared = isShared;
    this.isTimeOfKafka = options.time().equals("kafka");
    this.lanes = lanes;
    this.formats = formats;
    IncomingBatch any = lanes.begin(0);
    scratch = new EventBatch(SCRATCH_BYTES, SCRATCH_BYTES_MAX, any.events.eventBytesMax());
    lanes.drop(any);
    var _ = decoder("any", (byte) '{'); // refuses bad parameters at the start
  }

  private RecordFormats.Decoder decoder(String topic, byte first) {
    boolean isJson = first == '{';
    Map<String, RecordFormats.Decoder> decoders = isJson ? ofJson : ofOthers;
    RecordFormats.Decoder known = decoders.get(topic);
    if (known == null) {
      known = formats.decoder(options, topic, isJson);
      decoders.put(topic, known);
    }
    return known;
  }

  /// @throws io.widerow.storage.StorageException.ClockWrong when an event needs the time of its
  ///   arrival, and the clock is too far back
  Decoded decode(Chunk chunk, long wallNanos) {
    IncomingBatch batch = lanes.begin(wallNanos);
    try {
      return decode(chunk, batch);
    } catch (Throwable failure) {
      lanes.drop(batch);
      throw failure;
    }
  }

  private Decoded decode(Chunk chunk, IncomingBatch batch) {
    long[] offsets = new long[chunk.records.size()];
    int empty = 0;
    for (ConsumerRecord<byte[], byte[]> record : chunk.records) {
      int before = batch.decoded();
      if (record.value() == null || record.value().length == 0) {
        empty++;
      } else {
        decode(record, batch);
      }
      if (batch.decoded() > offsets.length) {
        offsets = Arrays.copyOf(offsets, 2 * batch.decoded());
      }
      Arrays.fill(offsets, before, batch.decoded(), record.offset());
    }
    return new Decoded(batch, offsets, empty);
  }

  /// Why a record is refused, or an event of it; null when the decoder refuses none.
  @Nullable String refusal(ConsumerRecord<byte[], byte[]> record, long wallNanos) {
    IncomingBatch batch = lanes.begin(wallNanos);
    try {
      decode(record, batch);
      return batch.refused.listed() == 0 ? null : batch.refused.reason(0);
    } finally {
      lanes.drop(batch);
    }
  }

  private void decode(ConsumerRecord<byte[], byte[]> record, IncomingBatch batch) {
    byte[] value = record.value();
    if (value.length + Swar.SLACK_BYTES > body.length) {
      body = new byte[2 * value.length + Swar.SLACK_BYTES];
    }
    System.arraycopy(value, 0, body, 0, value.length);
    scratch.clear();
    long arrival = arrival(record, batch);
    IncomingBatch part = batch.part(scratch, arrival);
    try {
      decoder(record.topic(), value[0]).decode(body, value.length, part);
    } catch (RequestRefused refused) {
      batch.refuse(refused.reason()); // as for a request, nothing of it is stored
      return;
    }
    for (int i = 0; i < part.refused.listed(); i++) {
      batch.refuse(part.refused.reason(i));
    }
    if (scratch.count() > 0) {
      readAttributes(record);
      for (long at = 0; at < scratch.bytes(); ) {
        boolean isOwn = EventLayout.version(scratch.memory(), at) != EventLayout.VERSION_ASSIGNED;
        if (isTimeOfKafka && !isOwn) {
          EventLayout.setTime(scratch.memory(), at, arrival);
        }
        if (isOwn && isShared) {
          batch.refuse(OWN_ID); // it would commit in another lane, and be applied in another round
        } else {
          add(scratch.memory(), at, batch);
        }
        at += EventLayout.alignedLength(EventLayout.length(scratch.memory(), at));
      }
    }
  }

  /// Kafka's timestamp, for events without a time; the clock when there is none.
  private static long arrival(ConsumerRecord<byte[], byte[]> record, IncomingBatch batch) {
    long millis = record.timestamp();
    boolean fits = millis > 0 && millis < Long.MAX_VALUE / NANOS_PER_MILLI;
    long nanos = fits ? millis * NANOS_PER_MILLI : -1;
    return fits && batch.takes(nanos) ? nanos : batch.arrivalNow();
  }

  private void readAttributes(ConsumerRecord<byte[], byte[]> record) {
    added.clear();
    if (options.fields().contains("topic")) {
      put(TOPIC, record.topic().getBytes(StandardCharsets.UTF_8));
    }
    if (options.fields().contains("partition")) {
      put(PARTITION, partition, record.partition());
    }
    if (options.fields().contains("offset")) {
      put(OFFSET, offset, record.offset());
    }
    if (options.fields().contains("key") && record.key() != null) {
      put(KEY, record.key());
    }
    if (options.fields().contains("headers")) {
      int count = 0;
      for (Header header : record.headers()) {
        String name = header.key();
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (header.value() != null && bytes <= HEADER_NAME_MAX && count++ < HEADERS_MAX) {
          put(AttributeName.of(HEADER + name), header.value());
        }
      }
    }
  }

  private void put(AttributeName name, AttributeValue number, long value) {
    number.setBits(AttributeKind.LONG, value);
    added.put(name, number);
  }

  private void put(AttributeName name, byte[] value) {
    if (value.length <= TEXT_BYTES_MAX) {
      var text = new AttributeValue();
      boolean isText = Utf8.isValid(value, 0, value.length);
      AttributeKind kind = isText ? AttributeKind.STRING : AttributeKind.BYTES;
      text.setText(kind, MemorySegment.ofArray(value), 0, value.length);
      added.put(name, text);
    }
  }

  /// Adds an event with the attributes; without them when it has no room.
  private void add(MemorySegment records, long at, IncomingBatch batch) {
    boolean fits = EventLayout.attributes(records, at) + added.size() <= EventLayout.ATTRIBUTES_MAX;
    if (fits && !added.isEmpty()) {
      edit.begin(records, at);
      there.clear();
      while (edit.next()) {
        note();
        edit.keep();
      }
      added.forEach((name, value) -> {
        if (!there.contains(name)) {
          edit.add(name, value);
        }
      });
      if (edit.end() && batch.add(edit.memory(), 0) == null) {
        return;
      }
    }
    Rejection why = batch.add(records, at);
    if (why != null) {
      batch.refuse(why.reason());
    }
  }

  private void note() {
    if (edit.nameByte(0) == 'k') {
      for (AttributeName name : added.keySet()) {
        if (edit.isNamed(name)) {
          there.add(name);
        }
      }
    }
  }

  /// The sentence for a refused event.
  static String refusal(String topic, int partition, long offset, @Nullable String why) {
    return "%s/%d@%d: %s".formatted(topic, partition, offset, why);
  }

  @Override
  public void close() {
    scratch.close();
  }
}
