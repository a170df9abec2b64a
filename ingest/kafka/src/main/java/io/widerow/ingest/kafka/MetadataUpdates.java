package io.widerow.ingest.kafka;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.ClusterResource;
import org.apache.kafka.common.ClusterResourceListener;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/// Counts the updates of a consumer's metadata: the client notifies its deserializers of them. A
/// consumer fetches by the ids of topics in its metadata. So records between two updates are of the
/// same topics, and only after an update their ids have to be compared: a topic of the same name
/// may be another one.
///
/// - Threads: any.
final class MetadataUpdates extends ByteArrayDeserializer implements ClusterResourceListener {
  private final AtomicInteger count = new AtomicInteger();

  int count() {
    return count.get();
  }

  @Override
  public void onUpdate(ClusterResource cluster) {
    count.incrementAndGet();
  }
}
