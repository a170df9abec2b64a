package io.widerow.ingest.receive.prometheus;

import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.ProtobufReader.Bad;
import io.widerow.ingest.decode.RepeatedNumbers;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.series.KnownSeries;
import io.widerow.ingest.series.SeriesCache;
import java.util.BitSet;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/// Decodes the messages of Prometheus remote write. The label `__name__` is the type, the other
/// labels are string attributes, and each sample, native histogram and exemplar of a series is an
/// event. A time of 0 is 1970: proto3 omits zeros, and a sample must have a time.
///
/// ```
///   1.0  WriteRequest  1 series { 1 label {1 name, 2 value}, 2 sample, 3 exemplar, 4 histogram }
///                      3 description { 1 type, 2 name, 4 help, 5 unit }
///   2.0  Request       4 symbol
///                      5 series { 1 references of symbols: name, value, name, value ...
///                                 2 sample, 3 histogram, 4 exemplar,
///                                 5 description {1 type, 3 help, 4 unit}, 6 start (until 3.7) }
///   sample             1 value (double), 2 time (ms), 3 start (ms, 2.0)
/// ```
///
/// Fields may come in any order, so that a series is passed over before it is read, and a request
/// of version 2.0 first for its symbols. A message that does not hold together is refused as a
/// whole, a series of bad labels with all that is in it, a bad sample alone. A bad description in a
/// series of 2.0 is left out.
///
/// A sample of a series in the [SeriesCache] is a copy of its record with another number.
///
/// Sources: prometheus/docs `docs/specs/prw/`; prometheus/prometheus `prompb/`.
///
/// - Threads: one.
/// - Memory: allocates nothing for a sample, but the reason of one that is refused.
final class RemoteWriteDecoder {
  /// The NaN that marks the end of a series.
  static final long STALE_BITS = 0x7ff0_0000_0000_0002L;

  /// References may name a long symbol again and again; a batch holds no more than this.
  private static final long LABEL_BYTES_MAX = 128 << 20;

  private static final int REFERENCES_MAX = 4 * EventLayout.ATTRIBUTES_MAX; // two a label
  private static final int HEAVY_BYTES = 64 << 10; // labels that cost more than a histogram
  private static final long NANOS_PER_MILLISECOND = 1_000_000;
  private static final AttributeLevels LEVELS = new AttributeLevels("", "label.");
  private static final int OWN = 0; // level
  private static final int LABELS_FIELD = 1;
  private static final int SAMPLES_FIELD = 2;
  private static final int DESCRIPTION_FIELD = Descriptions.FIELD; // of a request of 1.0
  private static final int SERIES_DESCRIPTION_FIELD = 5; // of a series of 2.0
  private static final int SERIES_START_FIELD = 6; // of a series of 2.0

  private final MessageVersion version;
  private final boolean typed;
  private final ProtobufReader reader = new ProtobufReader();
  private final AttributeTape tape = new AttributeTape(LEVELS);
  private final SenderTime time = new SenderTime();
  private final TapeName valueName = TapeName.of(tape, "value");
  private final TapeName staleName = TapeName.of(tape, "stale");
  private final TapeName startName = TapeName.of(tape, "start");
  private final NativeHistogram histogram = new NativeHistogram(tape);
  private final Symbols symbols = new Symbols();
  private final RepeatedNumbers references = new RepeatedNumbers();
  private final SeriesHead head = new SeriesHead();
  private final SeriesLabels labels;
  private final Descriptions descriptions;
  private final BitSet histograms = new BitSet(); // by index in the batch
  private byte[] body = {};
  private @Nullable SeriesCache cache;
  private long labelBytes; // of the request
  private final Exemplar exemplar = new Exemplar(tape);
  private final BitSet exemplars = new BitSet(); // by index in the batch
  private int leftOut; // exemplars

  // The series that is being read.
  private int seriesAt;
  private int labelsEnd; // of those at its start
  private boolean scattered; // 1.0: other fields stand between its labels
  private int itemsAt; // its first sample or histogram
  private int items;
  private int seriesExemplars;
  private int seriesEnd;
  private long seriesStart; // in milliseconds
  private int descriptionAt; // 0 without one
  private int descriptionEnd;
  private int nameOffset; // of the value of `__name__`, 2.0
  private int nameBytes;
  private @Nullable KnownSeries like;
  private boolean onTape; // its labels are, up to the mark
  private long mark;
  private @Nullable Rejection lost; // why none of its samples can be stored

  /// @param wantedType of all events; null for the names of the metrics
  /// @param table that knows descriptions
  RemoteWriteDecoder(MessageVersion version, @Nullable String wantedType, MetadataTable table) {
    this.version = version;
    typed = wantedType != null;
    labels = new SeriesLabels(tape, wantedType);
    descriptions = new Descriptions(table);
  }

  /// Decodes the message in `[0, limit)`.
  ///
  /// @param newBody with [io.widerow.ingest.decode.Swar#SLACK_BYTES] readable bytes after `limit`
  /// @param known series of this decoder's kind; null to decode without a cache
  /// @throws RequestRefused when it is no such message
  void decode(byte[] newBody, int limit, IncomingBatch batch, @Nullable SeriesCache known)
      throws RequestRefused {
    body = newBody;
    cache = typed ? null : known; // the type is none of the labels
    histograms.clear();
    descriptions.begin(body);
    exemplars.clear();
    leftOut = 0;
    labelBytes = 0;
    batch.equalBodiesAreRetries();
    try {
      if (version == MessageVersion.TWO) {
        reader.begin(body, 0, limit);
        symbols.read(reader);
      }
      request(limit, batch);
    } catch (Bad bad) {
      throw RequestRefused.bad("the body is no %s: %s".formatted(version.message, bad.reason()));
    }
  }

  /// Indexes in the batch of the histograms; those that are no exemplars either are samples.
  BitSet histograms() {
    return histograms;
  }

  /// Indexes in the batch of the exemplars.
  BitSet exemplars() {
    return exemplars;
  }

  /// The number of exemplars that could not be stored.
  int exemplarsLeftOut() {
    return leftOut;
  }

  /// The descriptions of metrics that the table does not know.
  Collection<MetadataTable.Named> descriptions() {
    return descriptions.unknown();
  }

  private void request(int limit, IncomingBatch batch) throws Bad {
    boolean known = false;
    Bad foreign = null; // a field that the message does not have: it may be the other message
    reader.begin(body, 0, limit);
    while (reader.next()) {
      int field = reader.field();
      if (field == version.series) {
        known = true;
        series(batch);
      } else if (version == MessageVersion.ONE && field == DESCRIPTION_FIELD) {
        known = true;
        description(batch);
      } else {
        boolean symbol = version == MessageVersion.TWO && field == Symbols.FIELD;
        foreign = symbol || foreign != null ? foreign : reader.bad("no such field, and no series");
        reader.skip();
      }
    }
    if (!known && foreign != null) {
      throw foreign;
    }
  }

  private void series(IncomingBatch batch) throws Bad {
    int outer = reader.enter();
    int end = reader.limit();
    seriesAt = reader.at();
    seriesEnd = end;
    lost = null;
    onTape = false;
    try {
      survey();
      takeLabels();
      like = cache == null ? null : cache.findHead(head.bytes(), head.offset(), head.length());
      if (like == null) {
        labelsOnTape();
      }
      if (descriptionAt > 0) {
        reader.read(descriptionAt, descriptionEnd);
        descriptions.readIfGood(reader, symbols, seriesAt, nameOffset, nameBytes);
      }
      if (items > 0) {
        reader.read(itemsAt, end);
        items(batch);
      }
      if (seriesExemplars > 0) {
        reader.read(seriesAt, end);
        exemplars(batch);
      }
    } catch (Bad bad) {
      leftOut += seriesExemplars;
      refuseItems(bad.reason(), end, batch);
    }
    reader.resume(end, outer);
  }

  /// Stores the exemplars of the series that is read. A bad one is left out: its sender is not to
  /// lose samples for it.
  private void exemplars(IncomingBatch batch) {
    for (int field = skipField(); field > 0; field = skipField()) {
      if (field == version.exemplars && reader.wireType() == ProtobufReader.LENGTH) {
        int end = reader.at();
        int from = reader.offset();
        try {
          exemplar(from, end, batch);
        } catch (Bad bad) {
          leftOut++;
        }
        reader.read(end, seriesEnd);
      }
    }
  }

  /// Passes over the series.
  private void survey() throws Bad {
    labelsEnd = seriesAt;
    scattered = false;
    items = 0;
    seriesExemplars = 0;
    seriesStart = 0;
    descriptionAt = 0;
    references.clear();
    for (int before = seriesAt; reader.next(); before = reader.at()) {
      int field = reader.field();
      if (field == LABELS_FIELD) {
        if (version == MessageVersion.TWO) {
          references.addWholes(reader);
        } else {
          reader.text();
          scattered |= before != labelsEnd;
          labelsEnd = scattered ? labelsEnd : reader.at();
        }
      } else if (field == SAMPLES_FIELD || field == version.histograms) {
        reader.skip();
        itemsAt = items++ == 0 ? before : itemsAt;
      } else if (field == version.exemplars) {
        reader.text();
        seriesExemplars++;
      } else {
        otherField(field);
      }
    }
  }

  private void otherField(int field) throws Bad {
    boolean nested = reader.wireType() == ProtobufReader.LENGTH;
    if (version == MessageVersion.TWO && field == SERIES_DESCRIPTION_FIELD && nested) {
      reader.text();
      descriptionAt = reader.offset();
      descriptionEnd = reader.at();
    } else if (version == MessageVersion.TWO && field == SERIES_START_FIELD) {
      seriesStart = reader.varint();
    } else {
      reader.skip();
    }
  }

  private void takeLabels() throws Bad {
    if (version == MessageVersion.TWO) {
      resolve();
    } else if (scattered) {
      gather();
    } else {
      head.take(body, seriesAt, labelsEnd);
    }
  }

  /// Writes the labels that references name.
  private void resolve() throws Bad {
    int count = references.count();
    if (count % 2 != 0) {
      throw badLabels("%d references, the last name has no value".formatted(count));
    }
    if (count > REFERENCES_MAX) {
      throw badLabels("%d references, the limit is %d".formatted(count, REFERENCES_MAX));
    }
    long bytes = 0;
    for (int i = 0; i < count; i++) {
      long spot = symbols.spot(references.at(i), seriesAt);
      references.replace(i, spot);
      bytes += Symbols.length(spot);
    }
    labelBytes += bytes;
    if (bytes > SeriesHead.BYTES_MAX || labelBytes > LABEL_BYTES_MAX) {
      throw badLabels("labels of %d bytes, %d in the request so far".formatted(bytes, labelBytes));
    }
    head.begin(count / 2, (int) bytes);
    nameBytes = 0;
    for (int i = 0; i < count; i += 2) {
      int name = Symbols.offset(references.at(i));
      int length = Symbols.length(references.at(i));
      int value = Symbols.offset(references.at(i + 1));
      int valueBytes = Symbols.length(references.at(i + 1));
      head.add(body, name, length, value, valueBytes);
      if (SeriesLabels.isMetricName(body, name, length)) {
        nameOffset = value;
        nameBytes = valueBytes;
      }
    }
  }

  /// Writes the labels between which there are other fields side by side.
  private void gather() throws Bad {
    head.begin(0, 0);
    reader.seek(seriesAt);
    while (reader.next()) {
      if (reader.field() == LABELS_FIELD) {
        reader.text();
        head.add(body, reader.offset(), reader.length());
        if (head.length() > SeriesHead.BYTES_MAX) {
          throw badLabels("labels of more than %d bytes".formatted(SeriesHead.BYTES_MAX));
        }
      } else {
        reader.skip();
      }
    }
  }

  private Bad badLabels(String why) {
    return new Bad("field %d: %s, at byte %d".formatted(LABELS_FIELD, why, seriesAt));
  }

  private void labelsOnTape() throws Bad {
    String wrong;
    try {
      wrong = labels.read(head);
    } catch (Bad bad) { // the places in labels that were gathered are not those of the body
      throw scattered ? badLabels("a label cannot be read") : bad;
    }
    if (!wrong.isEmpty()) {
      throw badLabels(wrong);
    }
    mark = tape.mark();
    onTape = true;
  }

  /// Notes a description of version 1.0. A bad one is refused as an event is.
  private void description(IncomingBatch batch) throws Bad {
    int outer = reader.enter();
    int end = reader.limit();
    try {
      descriptions.read(reader);
    } catch (Bad bad) {
      batch.refuse(bad.reason());
    }
    reader.resume(end, outer);
  }

  /// Refuses all samples and histograms of the series, as far as it can be read; at least one.
  private void refuseItems(String reason, int end, IncomingBatch batch) {
    int before = batch.decoded();
    reader.read(seriesAt, end);
    for (int field = skipField(); field > 0; field = skipField()) {
      if (field == SAMPLES_FIELD || field == version.histograms) {
        histograms.set(batch.decoded(), field == version.histograms);
        batch.refuse(reason);
      }
    }
    if (batch.decoded() == before) {
      batch.refuse(reason);
    }
  }

  /// Passes over a field; 0 at the end, and where the message is cut: the rest cannot be counted.
  private int skipField() {
    try {
      int field = reader.next() ? reader.field() : 0;
      if (field > 0) {
        reader.skip();
      }
      return field;
    } catch (Bad cut) {
      return 0;
    }
  }

  private void items(IncomingBatch batch) throws Bad {
    while (reader.next()) {
      boolean isSample = reader.field() == SAMPLES_FIELD;
      if (!isSample && reader.field() != version.histograms) {
        reader.skip();
        continue;
      }
      if (!isSample) {
        histograms.set(batch.decoded());
      }
      if (reader.wireType() != ProtobufReader.LENGTH) {
        batch.refuse(reader.bad("wire type " + reader.wireType()).reason());
        reader.skip();
        continue;
      }
      int outer = reader.enter();
      int end = reader.limit();
      try {
        if (lost != null) {
          refuse(lost, reader.at(), batch);
        } else if (isSample) {
          sample(batch);
        } else {
          histogram(batch);
        }
      } catch (Bad bad) {
        batch.refuse(bad.reason());
      }
      reader.resume(end, outer);
    }
  }

  private void sample(IncomingBatch batch) throws Bad {
    int at = reader.at();
    long bits = 0; // absent when it is 0
    long millis = 0;
    long start = seriesStart;
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> bits = reader.fixed64();
        case 2 -> millis = reader.varint();
        case 3 -> start = reader.varint();
        default -> reader.skip();
      }
    }
    time.required(millis, NANOS_PER_MILLISECOND);
    boolean plain = bits != STALE_BITS && start == 0;
    KnownSeries known = like;
    if (plain && known != null && batch.takes(time.nanos())) {
      batch.events.begin(known.record(), time.nanos());
      batch.events.set(known.number(), bits);
      boolean _ = end(batch.tryEnd(), batch, at, true);
      return;
    }
    beginOnTape(batch);
    if (bits == STALE_BITS) {
      stale();
    } else {
      valueName.to(tape);
      tape.fraction(Double.longBitsToDouble(bits));
    }
    start(start);
    tape.writeTo(batch.events);
    SeriesCache learning = cache;
    int fitted = batch.fitted();
    boolean stored = end(endOnTape(batch), batch, at, true);
    boolean asSent = stored && batch.fitted() == fitted && !time.isReplaced();
    if (asSent && plain && learning != null) {
      learning.learnNumber(batch.events, head.bytes());
      like = items == 1 ? null : learning.findHead(head.bytes(), head.offset(), head.length());
    }
  }

  private void histogram(IncomingBatch batch) throws Bad {
    int at = reader.at();
    histogram.read(reader);
    time.required(histogram.millis(), NANOS_PER_MILLISECOND);
    beginOnTape(batch);
    if (histogram.isStale()) {
      stale();
    } else {
      histogram.write();
    }
    start(histogram.startMillis() == 0 ? seriesStart : histogram.startMillis());
    tape.writeTo(batch.events);
    boolean _ = end(endOnTape(batch), batch, at, false);
  }

  private void exemplar(int from, int until, IncomingBatch batch) throws Bad {
    reader.read(from, until);
    exemplar.read(reader, body, version == MessageVersion.TWO ? symbols : null, seriesAt);
    if (lost != null) {
      leftOut++;
      return;
    }
    time.required(exemplar.millis(), NANOS_PER_MILLISECOND);
    beginOnTape(batch);
    exemplar.write(body);
    tape.writeTo(batch.events);
    int index = batch.decoded();
    if (endOnTape(batch) == null) {
      exemplars.set(index);
    } else {
      leftOut++;
    }
  }

  private void beginOnTape(IncomingBatch batch) throws Bad {
    if (!onTape) {
      labelsOnTape();
    }
    tape.reset(mark);
    long nanos = time.take(batch, tape);
    tape.level(OWN);
    batch.events.begin(labels.type(), labels.typeOffset(), labels.typeBytes(), nanos);
  }

  private void stale() {
    staleName.to(tape);
    tape.truth(true);
  }

  private void start(long millis) {
    if (millis != 0) {
      startName.to(tape);
      tape.whole(TimeParser.ofUnit(millis, NANOS_PER_MILLISECOND));
    }
  }

  private @Nullable Rejection endOnTape(IncomingBatch batch) {
    return batch.tryEnd(tape, labels.type(), labels.typeOffset(), labels.typeBytes());
  }

  /// @param at where the sample or histogram begins
  private boolean end(@Nullable Rejection why, IncomingBatch batch, int at, boolean ofSample) {
    if (why != null) {
      lost = isOfLabels(why, ofSample) ? why : null;
      refuse(why, at, batch);
    }
    return why == null;
  }

  /// Whether no other sample of the series can be stored either. Then they are not even tried: that
  /// costs little where the labels are large.
  private boolean isOfLabels(Rejection why, boolean ofSample) {
    return switch (why) {
      case TIME_OUT_OF_RANGE -> false;
      case EVENT_TOO_LARGE, BATCH_FULL, TOO_MANY_ATTRIBUTES ->
          ofSample || head.length() > HEAVY_BYTES;
      default -> true;
    };
  }

  private void refuse(Rejection why, int at, IncomingBatch batch) {
    boolean ofTime = why == Rejection.TIME_OUT_OF_RANGE;
    batch.refuse(
        "field %d: %s, at byte %d"
            .formatted(
                ofTime ? SAMPLES_FIELD : LABELS_FIELD, why.reason(), ofTime ? at : seriesAt));
  }
}
