package io.widerow.ingest;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.widerow.ingest.http.ConnectionGuard;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.lane.Lanes;
import io.widerow.ingest.lane.TypeBudget;
import io.widerow.ingest.serve.query.QueryServices;
import io.widerow.ingest.transform.TransformFile;
import io.widerow.query.QueryMemory;
import org.jspecify.annotations.Nullable;

/// The metrics of the daemon as a whole, and of its JVM.
final class DaemonMetrics {
  private final MeterRegistry registry;

  DaemonMetrics(MeterRegistry registry) {
    this.registry = registry;
    new JvmMemoryMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
  }

  void ofRequests(ByteCredit credit, ConnectionGuard connections) {
    Gauge.builder("widerow.credit.used.bytes", credit, ByteCredit::bytesUsed).register(registry);
    FunctionCounter.builder("widerow.credit.refused", credit, ByteCredit::refused)
        .register(registry);
    FunctionCounter.builder("widerow.connections.refused", connections, ConnectionGuard::refused)
        .register(registry);
    FunctionCounter.builder("widerow.connections.slow", connections, ConnectionGuard::slow)
        .register(registry);
    FunctionCounter.builder("widerow.connections.evicted", connections, ConnectionGuard::evicted)
        .register(registry);
    FunctionCounter.builder("widerow.connections.flooding", connections, ConnectionGuard::flooding)
        .register(registry);
  }

  void ofQueries(QueryMemory memory, QueryServices queries) {
    Gauge.builder("widerow.query.memory.bytes", memory, QueryMemory::bytesUsed).register(registry);
    FunctionCounter.builder("widerow.query.refused", memory, QueryMemory::refused)
        .register(registry);
    FunctionCounter.builder("widerow.query.here", queries, QueryServices::answeredHere)
        .register(registry);
    FunctionCounter.builder("widerow.query.stalled", queries, QueryServices::stalled)
        .register(registry);
  }

  void ofCertificates(CertificateWatch certificates) {
    Gauge.builder(
            "widerow.tls.expiry.timestamp.seconds", certificates, CertificateWatch::expirySeconds)
        .register(registry);
  }

  /// @param transforms null when there are none
  /// @param types how many senders may bring into being
  void ofWriting(Lanes lanes, @Nullable TransformFile transforms, TypeBudget types) {
    Gauge.builder("widerow.types.known", types, TypeBudget::types).register(registry);
    FunctionCounter.builder("widerow.types.overflowed", types, TypeBudget::moved)
        .register(registry);
    if (transforms != null) {
      FunctionCounter.builder("widerow.transforms.changed", transforms, TransformFile::changed)
          .register(registry);
      FunctionCounter.builder("widerow.transforms.dropped", transforms, TransformFile::dropped)
          .register(registry);
      FunctionCounter.builder("widerow.transforms.refused", transforms, TransformFile::refused)
          .register(registry);
    }
    Gauge.builder("widerow.writing", lanes, all -> all.failure() == null ? 1 : 0)
        .register(registry);
  }
}
