package io.widerow.loadgen.workload;

import io.widerow.loadgen.workload.Sample.Attribute;
import io.widerow.loadgen.workload.Sample.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// Samples of one counter: the ten tags of a host of [DevopsMetrics], and one number, that of the
/// event. Every protocol of metrics can carry them, whatever it does with kinds.
final class CounterSamples implements SampleSource {
  static final String VALUE = "value";

  private static final Attribute NUMBER =
      new Attribute(VALUE, Kind.DOUBLE, Character.toString(Stamp.SEQUENCE.mark()));

  private final DevopsMetrics hosts;

  CounterSamples(int series, SplittableRandom random) {
    this.hosts = new DevopsMetrics(series, random);
  }

  @Override
  public Sample next(String type) {
    List<Attribute> attributes = new ArrayList<>(tags(hosts.next(type)));
    attributes.add(NUMBER);
    return new Sample(type, null, attributes, 0);
  }

  static List<Attribute> tags(Sample sample) {
    return sample.attributes().stream().filter(tag -> tag.kind() == Kind.TAG).toList();
  }
}
