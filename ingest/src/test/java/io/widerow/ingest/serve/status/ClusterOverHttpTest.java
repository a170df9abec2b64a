package io.widerow.ingest.serve.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Http;
import io.widerow.ingest.MemoryDaemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.doctor.ClusterFindings;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteCluster;
import io.widerow.storage.ClusterReport;
import io.widerow.storage.ClusterReport.Counter;
import io.widerow.storage.ClusterReport.Member;
import io.widerow.storage.ClusterReport.State;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/// Goal: status, readiness, metrics and findings report the state of the cluster. Method: a daemon
/// over a store in memory with a report of the test's.
class ClusterOverHttpTest {
  private static final long NOW = 1_795_000_000_000L;

  private final MemoryStore store = new MemoryStore(1);

  private static ClusterReport report(State state, double lag, long skew, int replicas, long seen) {
    boolean away = state == State.UNREACHABLE;
    return new ClusterReport(
        state,
        "6a1f",
        "widerow",
        3,
        2,
        "round 17",
        1_234,
        56_789,
        lag,
        away ? 0 : 2,
        away ? 3 : 1,
        replicas,
        skew,
        5,
        away ? "no \"node\" answers" : "",
        List.of(
            new Counter("requests", "write", 7),
            new Counter("requests", "127.0.0.1:9042", 9),
            new Counter("read bytes", "", 11)),
        List.of(
            new Member(0, "a", "round 9", NOW - 40_000, seen),
            new Member(3, "b", "round 17", 0, NOW - 10_000_000)));
  }

  private MemoryDaemon start() {
    return new MemoryDaemon(store, Map.of("store", "cassandra://127.0.0.1/widerow?dc=dc1"));
  }

  @Test
  void aClusterThatIsAwayIsToldAndEventsAreTaken() throws Exception {
    store.cluster = report(State.UNREACHABLE, 75.5, 20, 3, NOW);
    try (MemoryDaemon daemon = start()) {
      Http http = daemon.http;
      HttpResponse<String> ready = http.get("/ready");
      assertEquals(200, ready.statusCode());
      assertEquals("{\"ready\":true,\"cluster\":\"unreachable\"}\n", ready.body());
      String status = http.get("/v1/status").body();
      assertTrue(
          status.contains(
              "\"cluster\":{\"state\":\"unreachable\",\"store\":\"6a1f\","
                  + "\"keyspace\":\"widerow\",\"daemon\":3,\"epoch\":2,"
                  + "\"applied\":\"round 17\",\"pendingEvents\":1234,\"pendingBytes\":56789,"
                  + "\"lagSeconds\":75.500,\"nodesUp\":0,\"nodesDown\":3,\"replication\":3,"
                  + "\"skewMillis\":20,\"mergesWaiting\":5,"
                  + "\"trouble\":\"no \\\"node\\\" answers\",\"daemons\":["
                  + "{\"daemon\":0,\"host\":\"a\",\"applied\":\"round 9\","
                  + "\"oldest\":\"2026-11-18T11:06:00Z\",\"seen\":\"2026-11-18T11:06:40Z\"},"),
          status);
      assertTrue(status.contains("\"finding\":\"cluster-away\""), status);
      assertTrue(status.contains("}]},\"rejected\":["), status);
      String metrics = http.get("/metrics").body();
      assertTrue(metrics.contains("\nwiderow_cluster_lag_seconds 75.5\n"), metrics);
      assertTrue(metrics.contains("\nwiderow_cluster_reachable 0.0\n"), metrics);
      assertTrue(metrics.contains("\nwiderow_cluster_requests_total{kind=\"write\"} 7\n"), metrics);
      assertTrue(
          metrics.contains("\nwiderow_cluster_requests_total{kind=\"127.0.0.1:9042\"} 9\n"),
          metrics);
      assertTrue(metrics.contains("\nwiderow_cluster_read_bytes_total 11\n"), metrics);
    }
  }

  @Test
  void aStoreOnOneMachineSaysNothingOfClusters() throws Exception {
    try (MemoryDaemon daemon = start()) {
      Http http = daemon.http;
      for (String path : List.of("/ready", "/v1/status", "/metrics")) {
        assertFalse(http.get(path).body().contains("cluster"), path);
      }
    }
  }

  @Test
  void commandsReadTheDaemonsOfTheStatus() {
    ClusterReport told = report(State.UP, 0, 0, 3, NOW);
    try (MemoryDaemon daemon = start()) {
      DaemonAddress address = DaemonAddress.of("127.0.0.1:" + daemon.port(), null, Map.of());
      assertNull(RemoteCluster.daemons(address));
      store.cluster = told;
      assertEquals(told.daemons(), RemoteCluster.daemons(address));
    }
  }

  private static Set<String> findings(ClusterReport report) {
    return ClusterFindings.of(report, NOW).keySet();
  }

  @Test
  void findingsNameWhatToLookAt() {
    assertEquals(
        Set.of("cluster-away", "cluster-behind"),
        findings(report(State.UNREACHABLE, 61, 0, 3, NOW)));
    assertEquals(Set.of(), findings(report(State.UP, 60, 1_000, 3, NOW - 60_000)));
    assertEquals(Set.of("cluster-degraded"), findings(report(State.DEGRADED, 0, 0, 3, NOW)));
    assertEquals(Set.of("cluster-skew"), findings(report(State.UP, 0, -1_001, 3, NOW)));
    assertEquals(Set.of("cluster-too-few-replicas"), findings(report(State.UP, 0, 0, 1, NOW)));
    assertEquals(
        "daemon 0 on a, last heard of at 2026-11-18T11:05:39Z",
        ClusterFindings.of(report(State.UP, 0, 0, 3, NOW - 61_000), NOW)
            .get("cluster-daemon-silent"));
  }
}
