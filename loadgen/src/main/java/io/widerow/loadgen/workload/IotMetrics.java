package io.widerow.loadgen.workload;

import io.widerow.loadgen.workload.Sample.Attribute;
import io.widerow.loadgen.workload.Sample.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;

/// Machines with many sensors: four tags and up to sixty readings with three decimals that walk at
/// random. Each reading is missing at times, so events have different attributes.
final class IotMetrics implements SampleSource {
  private static final int SENSORS = 60;
  private static final double MISSING_SHARE = 0.1;

  private final SplittableRandom random;
  private final double[][] walks;
  private int machine;

  IotMetrics(int series, SplittableRandom random) {
    this.random = random;
    this.walks = new double[series][SENSORS];
    for (double[] walk : walks) {
      for (int i = 0; i < SENSORS; i++) {
        walk[i] = random.nextDouble() * 1_000;
      }
    }
  }

  @Override
  public Sample next(String type) {
    List<Attribute> attributes = new ArrayList<>(SENSORS + 5);
    attributes.add(DevopsMetrics.tag("machine", "machine_" + machine));
    attributes.add(DevopsMetrics.tag("site", "site_" + machine % 17));
    attributes.add(DevopsMetrics.tag("line", "line_" + machine % 5));
    attributes.add(DevopsMetrics.tag("model", "model_" + machine % 7));
    double[] walk = walks[machine];
    for (int i = 0; i < SENSORS; i++) {
      walk[i] += random.nextGaussian();
      if (random.nextDouble() >= MISSING_SHARE) {
        String reading = String.format(Locale.ROOT, "%.3f", walk[i]);
        attributes.add(new Attribute("sensor_%02d".formatted(i), Kind.DOUBLE, reading));
      }
    }
    attributes.add(DevopsMetrics.sequence());
    machine = (machine + 1) % walks.length;
    return new Sample(type, null, attributes, 0);
  }
}
