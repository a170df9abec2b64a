package io.widerow.loadgen.workload;

import java.util.SplittableRandom;

/// What kind of events a run sends.
public enum Scenario {
  ACCESS("access", "clf", Stamp.COMMON_LOG, "type", "body"),
  BROKER("broker", "log4j", Stamp.LOG4J, "type", "body"),
  DEVOPS("cpu", "rfc3339", Stamp.RFC3339, "region", "hostname,region,usage_user,usage_system,seq"),
  IOT("machine", "rfc3339", Stamp.RFC3339, "site", "machine,site,sensor_00,sensor_01,seq"),
  COUNTER("requests_total", "rfc3339", Stamp.RFC3339, "region", "hostname,region,value"),
  FIELDS(
      "web",
      "rfc3339",
      Stamp.RFC3339,
      "status",
      "body,client,method,path,status,bytes,referrer,agent");

  /// The events' type, or its prefix when there are many.
  public final String type;

  /// Widerow's name for the time format at the start of a line.
  public final String timePattern;

  /// The stamp of that format.
  public final Stamp textTime;

  /// The default field by which its events are counted.
  public final String groupField;

  /// The projection of queries: the text, or a tag, some fields and the event's number.
  public final String shownFields;

  Scenario(String type, String timePattern, Stamp textTime, String groupField, String shownFields) {
    this.type = type;
    this.timePattern = timePattern;
    this.textTime = textTime;
    this.groupField = groupField;
    this.shownFields = shownFields;
  }

  /// True when its events are lines of text, false when they are metrics.
  public boolean isLog() {
    return this == ACCESS || this == BROKER || this == FIELDS;
  }

  SampleSource samples(Workload workload, SplittableRandom random) {
    return switch (this) {
      case ACCESS -> new AccessLog(random);
      case BROKER -> new BrokerLog(random);
      case DEVOPS -> new DevopsMetrics(workload.series(), random);
      case IOT -> new IotMetrics(workload.series(), random);
      case COUNTER -> new CounterSamples(workload.series(), random);
      case FIELDS -> new FieldLog(random, workload.lines());
    };
  }
}
