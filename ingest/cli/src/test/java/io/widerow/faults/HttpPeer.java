package io.widerow.faults;

import io.widerow.ingest.Http;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Peers that speak HTTP.
///
/// - Threads: any.
public abstract sealed class HttpPeer implements Peer {
  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();
  final String setting;

  private HttpPeer(String setting) {
    this.setting = setting;
  }

  final HttpResponse<String> get(int port, String path) throws IOException, InterruptedException {
    return exchange(HttpRequest.newBuilder(uri(port, path)));
  }

  final HttpResponse<String> post(int port, String path, String key, String type, String body)
      throws IOException, InterruptedException {
    return exchange(
        HttpRequest.newBuilder(uri(port, path))
            .header("content-type", type)
            .header("idempotency-key", key)
            .POST(BodyPublishers.ofString(body)));
  }

  private static URI uri(int port, String path) {
    return URI.create("http://127.0.0.1:" + port + path);
  }

  private HttpResponse<String> exchange(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofString());
  }

  /// The daemon of this project.
  public static final class Widerow extends HttpPeer {
    private static final Pattern EVENT =
        Pattern.compile("\"body\":\"([^\"]*)\".*\"n\":(\\d+).*\"s\":(\\d+)");

    public Widerow(String setting) {
      super(setting);
    }

    @Override
    public @Nullable String missing() {
      return null;
    }

    @Override
    public String promise() {
      return switch (setting) {
        case "disk" -> "its default: forced before it responds";
        default -> "the kernel has it; forced when it is a second old";
      };
    }

    @Override
    public List<String> command(Path data, int port, boolean again) {
      List<String> command = new ArrayList<>(QuickJvm.plain(List.of()));
      command.addAll(QuickJvm.DAEMON);
      command.addAll(List.of("--data", data.toString(), "--http", "127.0.0.1:" + port));
      command.addAll(List.of("--lanes", "2", "--set", "disk-reserve-bytes=16777216"));
      command.addAll(List.of("--set", "durability=" + setting));
      return command;
    }

    @Override
    public void ready(int port) throws IOException, InterruptedException {
      if (get(port, "/ready").statusCode() != 200) {
        throw new IOException("not ready");
      }
    }

    @Override
    public boolean send(int port, int sender, int batch) throws IOException, InterruptedException {
      StringBuilder body = new StringBuilder();
      for (int i = 0; i < LedgerLoad.EVENTS_PER_BATCH; i++) {
        int n = batch * LedgerLoad.EVENTS_PER_BATCH + i;
        body.append("{\"ts\":").append(LedgerLoad.timeNanos(n)).append(",\"type\":\"load\",\"n\":");
        body.append(n).append(",\"s\":").append(sender);
        body.append(",\"body\":\"").append(Peer.body(sender, n)).append("\"}\n");
      }
      String key = sender + "-" + batch;
      return post(port, "/v1/events", key, Http.NDJSON, body.toString()).statusCode() == 200;
    }

    @Override
    public void read(int port, Rows rows) throws IOException, InterruptedException {
      HttpResponse<String> answer = get(port, "/v1/query?type=load");
      if (answer.statusCode() != 200) {
        throw new IOException("read: " + answer.statusCode() + " " + answer.body());
      }
      for (String line : answer.body().lines().toList()) {
        Matcher event = EVENT.matcher(line);
        if (event.find()) {
          rows.row(
              Integer.parseInt(event.group(3)), Integer.parseInt(event.group(2)), event.group(1));
        }
      }
    }
  }

  /// QuestDB, over line protocol. Its table drops repeats: equal time and sender make one row.
  public static final class Quest extends HttpPeer {
    private static final long APPLY_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final String TABLE =
        "CREATE TABLE IF NOT EXISTS load (s LONG, n LONG, body VARCHAR, timestamp TIMESTAMP)"
            + " TIMESTAMP(timestamp) PARTITION BY HOUR WAL DEDUP UPSERT KEYS(timestamp, s)";

    public Quest(String setting) {
      super(setting);
    }

    @Override
    public @Nullable String missing() {
      return Peer.missing("questdb");
    }

    @Override
    public String promise() {
      return switch (setting) {
        case "nosync" -> "its default: the kernel has it; no promise for a power cut";
        default -> "cairo.commit.mode=sync: forced before it responds";
      };
    }

    @Override
    public List<String> command(Path data, int port, boolean again) {
      return Peer.script("questdb", data, port, setting, again);
    }

    private String sql(int port, String path, String query)
        throws IOException, InterruptedException {
      HttpResponse<String> answer =
          get(port, path + "?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
      if (answer.statusCode() != 200) {
        throw new IOException(query + ": " + answer.statusCode() + " " + answer.body());
      }
      return answer.body();
    }

    @Override
    public void ready(int port) throws IOException, InterruptedException {
      String _ = sql(port, "/exec", TABLE);
    }

    @Override
    public boolean send(int port, int sender, int batch) throws IOException, InterruptedException {
      StringBuilder body = new StringBuilder();
      for (int i = 0; i < LedgerLoad.EVENTS_PER_BATCH; i++) {
        int n = batch * LedgerLoad.EVENTS_PER_BATCH + i;
        body.append("load s=").append(sender).append("i,n=").append(n).append("i,body=\"");
        body.append(Peer.body(sender, n)).append("\" ").append(LedgerLoad.timeNanos(n));
        body.append('\n');
      }
      String path = "/write?precision=n";
      return post(port, path, "unused", Http.TEXT, body.toString()).statusCode() == 204;
    }

    @Override
    public void read(int port, Rows rows) throws IOException, InterruptedException {
      awaitApplied(port);
      String csv = sql(port, "/exp", "SELECT s, n, body FROM load");
      for (String line : csv.lines().skip(1).toList()) {
        String[] fields = line.split(",", 3);
        rows.row(
            number(fields[0]), fields.length < 3 ? -1 : number(fields[1]), unquoted(fields[2]));
      }
    }

    private static int number(String field) {
      return field.matches("\\d{1,9}") ? Integer.parseInt(field) : -1;
    }

    private static String unquoted(String field) {
      return field.length() < 2 ? field : field.substring(1, field.length() - 1);
    }

    /// Waits until everything in its write-ahead log is in the table.
    private void awaitApplied(int port) throws IOException, InterruptedException {
      long end = System.nanoTime() + APPLY_NANOS;
      while (true) {
        String state =
            sql(port, "/exp", "SELECT suspended, writerTxn = sequencerTxn FROM wal_tables()");
        List<String> lines = state.lines().skip(1).toList();
        if (lines.contains("true,true") || lines.contains("true,false")) {
          throw new IOException("the table is suspended");
        }
        if (lines.equals(List.of("false,true"))) {
          return;
        }
        if (System.nanoTime() > end) {
          throw new IOException("its log is not applied: " + state);
        }
        Await.pauseNanos(50_000_000);
      }
    }
  }
}
