package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.config.DriverExecutionProfile;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.session.Request;
import com.datastax.oss.driver.api.core.tracker.RequestTracker;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/// Counts requests by node: each that a node answered, or failed to.
///
/// - Threads: any.
final class RequestCounts implements RequestTracker {
  private final ConcurrentHashMap<Node, LongAdder> byNode = new ConcurrentHashMap<>();

  private void count(Node node) {
    byNode.computeIfAbsent(node, _ -> new LongAdder()).increment();
  }

  @Override
  public void onNodeSuccess(
      Request request,
      long latencyNanos,
      DriverExecutionProfile profile,
      Node node,
      String prefix) {
    count(node);
  }

  @Override
  public void onNodeError(
      Request request,
      Throwable error,
      long latencyNanos,
      DriverExecutionProfile profile,
      Node node,
      String prefix) {
    count(node);
  }

  /// By node address, as it is now.
  Map<String, Long> byAddress() {
    var counts = new TreeMap<String, Long>();
    byNode.forEach(
        (node, count) -> counts.merge(node.getEndPoint().toString(), count.sum(), Long::sum));
    return counts;
  }

  @Override
  public void close() {}
}
