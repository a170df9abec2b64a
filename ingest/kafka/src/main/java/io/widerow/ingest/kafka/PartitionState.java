package io.widerow.ingest.kafka;

import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.lane.SourceGap;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// How far a partition is read.
///
/// @param next first offset that is not durable yet
/// @param lag records from there to the end of the log
/// @param lagSeconds age of the record that was read last, while there are more
/// @param records that are stored
/// @param rejected events that were refused
/// @param empty records without a value
/// @param owed refused records that are not in the dead-letter topic yet
/// @param owedSeconds age of the oldest letter that is owed; 0 for none
/// @param bytes of the values
/// @param reason of the refusal or wait that came last; null for none
record PartitionState(
    String source,
    String topic,
    String topicId,
    int partition,
    String state,
    long next,
    long lag,
    double lagSeconds,
    long records,
    long rejected,
    long empty,
    long owed,
    double owedSeconds,
    long bytes,
    List<SourceGap> gaps,
    @Nullable String reason) {
  String json() {
    StringBuilder json = new StringBuilder("{\"source\":\"");
    json.append(source).append("\",\"topic\":");
    HttpResponses.appendString(json, topic).append(",\"topicId\":\"").append(topicId);
    json.append("\",\"partition\":").append(partition).append(",\"state\":\"").append(state);
    json.append("\",\"next\":").append(next).append(",\"end\":").append(next + lag);
    json.append(",\"lag\":").append(lag).append(",\"lagSeconds\":").append(lagSeconds);
    json.append(",\"records\":").append(records);
    json.append(",\"rejected\":").append(rejected).append(",\"empty\":").append(empty);
    json.append(",\"owed\":").append(owed);
    json.append(",\"gaps\":[");
    String comma = "";
    for (SourceGap gap : gaps) {
      json.append(comma).append("{\"from\":").append(gap.from());
      json.append(",\"until\":").append(gap.until()).append(",\"why\":\"");
      json.append(gap.why().name().toLowerCase(Locale.ROOT)).append("\",\"at\":\"");
      json.append(Instant.ofEpochSecond(gap.epochSeconds())).append("\"}");
      comma = ",";
    }
    json.append("],\"reason\":");
    if (reason == null) {
      return json.append("null}").toString();
    }
    return HttpResponses.appendString(json, reason).append('}').toString();
  }
}
