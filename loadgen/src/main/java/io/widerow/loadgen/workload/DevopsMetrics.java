package io.widerow.loadgen.workload;

import io.widerow.loadgen.workload.Sample.Attribute;
import io.widerow.loadgen.workload.Sample.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/// The `cpu` measurement of the Time Series Benchmark Suite's devops case: ten tags a host, ten
/// integers from 0 to 100 that walk at random, one host after the other. An additional field,
/// `seq`, identifies each event.
final class DevopsMetrics implements SampleSource {
  private static final List<String> FIELDS =
      List.of(
          ("usage_user usage_system usage_idle usage_nice usage_iowait usage_irq usage_softirq"
                  + " usage_steal usage_guest usage_guest_nice")
              .split(" ", -1));
  private static final List<String> REGIONS =
      List.of("us-east-1", "us-west-1", "us-west-2", "eu-west-1", "eu-central-1", "sa-east-1");
  private static final List<String> SYSTEMS =
      List.of("Ubuntu16.10", "Ubuntu16.04LTS", "Ubuntu15.10");
  private static final List<String> TEAMS = List.of("SF", "NYC", "LON", "CHI");
  private static final List<String> ENVIRONMENTS = List.of("production", "staging", "test");

  private final SplittableRandom random;
  private final List<List<Attribute>> hosts = new ArrayList<>();
  private final double[][] walks;
  private int host;

  DevopsMetrics(int series, SplittableRandom random) {
    this.random = random;
    this.walks = new double[series][FIELDS.size()];
    for (int i = 0; i < series; i++) {
      hosts.add(tags(i));
      for (int field = 0; field < FIELDS.size(); field++) {
        walks[i][field] = random.nextDouble() * 100;
      }
    }
  }

  private List<Attribute> tags(int number) {
    String region = draw(REGIONS);
    return List.of(
        tag("hostname", "host_" + number),
        tag("region", region),
        tag("datacenter", region + (char) ('a' + random.nextInt(3))),
        tag("rack", Integer.toString(random.nextInt(100))),
        tag("os", draw(SYSTEMS)),
        tag("arch", random.nextBoolean() ? "x64" : "x86"),
        tag("team", draw(TEAMS)),
        tag("service", Integer.toString(random.nextInt(20))),
        tag("service_version", Integer.toString(random.nextInt(2))),
        tag("service_environment", draw(ENVIRONMENTS)));
  }

  private String draw(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }

  static Attribute tag(String name, String value) {
    return new Attribute(name, Kind.TAG, value);
  }

  @Override
  public Sample next(String type) {
    List<Attribute> attributes = new ArrayList<>(hosts.get(host));
    double[] walk = walks[host];
    for (int i = 0; i < walk.length; i++) {
      walk[i] = Math.clamp(walk[i] + random.nextGaussian(), 0, 100);
      attributes.add(
          new Attribute(FIELDS.get(i), Kind.LONG, Integer.toString((int) Math.floor(walk[i]))));
    }
    attributes.add(sequence());
    host = (host + 1) % hosts.size();
    return new Sample(type, null, attributes, 0);
  }

  static Attribute sequence() {
    return new Attribute("seq", Kind.LONG, Character.toString(Stamp.SEQUENCE.mark()));
  }
}
