package io.widerow.loadgen;

import io.widerow.house.LayerRules;

/// The walls of the load generator: which package may import which. It knows no other module.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      loadgen.format:
      loadgen.workload: loadgen.format
      loadgen.wire: loadgen.workload
      loadgen.run: loadgen.format loadgen.workload loadgen.wire
      loadgen.verify: loadgen.format loadgen.workload loadgen.wire loadgen.run
      loadgen.report: loadgen.format loadgen.workload loadgen.wire loadgen.run
      loadgen.compare: loadgen.format loadgen.workload loadgen.wire loadgen.run \
          loadgen.verify loadgen.report
      loadgen: loadgen.format loadgen.workload loadgen.wire loadgen.run loadgen.verify \
          loadgen.report loadgen.compare
      """;

  LayerTest() {
    super(TABLE, "loadgen.wire", "loadgen.workload");
  }
}
