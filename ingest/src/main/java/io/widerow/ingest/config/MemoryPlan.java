package io.widerow.ingest.config;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// The memory and the threads of a daemon: the limits of its machine, of its JVM, and of its
/// configuration.
public final class MemoryPlan {
  private static final List<String> HEAP_OPTIONS =
      List.of("-Xmx", "-XX:MaxHeapSize=", "-XX:MaxRAMPercentage=");
  private static final String NETTY_LIMIT = "io.netty.maxDirectMemory";

  private final DaemonConfig config;
  private final MachineLimits machine = MachineLimits.ofProcess();
  private final long heapBytes = Runtime.getRuntime().maxMemory();

  public MemoryPlan(DaemonConfig config) {
    this.config = config;
  }

  private long nativeBytes() {
    return machine.nativeBytes(
        config.lanes(), config.store().openBytes(), config.limits().creditBytes(), heapBytes);
  }

  /// Limits the direct memory of connections, unless an option of the JVM does. Call it before the
  /// classes of Netty are loaded.
  public static void limitNetwork() {
    if (networkOption() == null) {
      System.setProperty(NETTY_LIMIT, Long.toString(MachineLimits.ofProcess().networkBytes()));
    }
  }

  private static @Nullable String networkOption() {
    String netty = option("-D" + NETTY_LIMIT + "=");
    return netty == null ? option("-XX:MaxDirectMemorySize=") : netty;
  }

  private String networkOrigin() {
    String option = networkOption();
    return option == null
        ? "computed: 1/%d of %s"
            .formatted(MachineLimits.NETWORK_PART, Size.text(machine.memoryBytes()))
        : "JVM option " + option;
  }

  private static @Nullable String option(String prefix) {
    String last = null;
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      last = option.startsWith(prefix) ? option : last;
    }
    return last;
  }

  /// A line for the log of a start.
  public String sentence() {
    return "%s of memory: heap up to %s, native memory up to %s; processors: %d, lanes: %d"
        .formatted(
            Size.text(machine.memoryBytes()),
            Size.text(heapBytes),
            Size.text(nativeBytes()),
            machine.processors(),
            config.lanes());
  }

  /// Why the memory may not be enough; null when it is.
  public @Nullable String excess() {
    if (heapBytes + nativeBytes() <= machine.memoryBytes()) {
      return null;
    }
    return "open-bytes: the heap of %s and native memory of up to %s may exceed the memory of %s,"
            .formatted(
                Size.text(heapBytes), Size.text(nativeBytes()), Size.text(machine.memoryBytes()))
        + " and then the kernel ends the daemon, got %d; lower it, body-bytes-max or -Xmx"
            .formatted(config.store().openBytes());
  }

  /// The members of `memory` in `/v1/status`.
  public String json() {
    return "\"machineBytes\":%d,\"processors\":%d,\"heapBytesMax\":%d,\"nativeBytesMax\":%d"
        .formatted(machine.memoryBytes(), machine.processors(), heapBytes, nativeBytes());
  }

  /// Lines of comment with the limits that no key sets.
  String print() {
    FixedLimits limits = config.limits();
    String shares = "computed: from the heap";
    return line("memory", machine.memoryBytes(), "machine or container")
        + line("heap", heapBytes, heapOrigin())
        + line("bodies", limits.creditBytes(), shares)
        + line("queries", limits.queryMemoryBytes(), shares)
        + line("buffers", machine.networkBytes(), networkOrigin())
        + line("native memory", nativeBytes(), "computed: most, with open-bytes and buffers")
        + line("processors", machine.processors() + "", "machine or container")
        + line(
            "network threads",
            limits.networkThreads() + "",
            "computed: " + machine.networkThreadsBasis())
        + line("search threads", limits.searchThreads() + "", "computed: network threads - 1");
  }

  private String heapOrigin() {
    String part = "computed: 1/4 of " + Size.text(machine.memoryBytes());
    return HEAP_OPTIONS.stream()
        .map(MemoryPlan::option)
        .filter(Objects::nonNull)
        .findFirst()
        .map(option -> "JVM option " + option)
        .orElse(part);
  }

  private static String line(String name, long bytes, String origin) {
    return line(name, Size.text(bytes), origin);
  }

  private static String line(String name, String value, String origin) {
    return ConfigValues.withOrigin("# %s: %s".formatted(name, value), origin) + "\n";
  }
}
