package io.widerow.cli;

import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.TextWriter;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.storage.embedded.StoreSnapshot;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow snapshot`: copies a store by hard links, one on a cluster by reading it. It copies a
/// stopped store itself and asks the daemon for a store in use.
@Command(
    description = {
      "The copy is made fast at any size and takes disk space only for files that the store deletes"
          + " later. It is a complete store: copy it to another disk for a backup."
    },
    footer = {
      "Examples:",
      "  widerow snapshot --to NAME                    of the daemon's store",
      "  widerow snapshot --data DIR --to DIR2         of a stopped store",
      "Exit codes: 0 ok, 64 usage, 66 no store, or DIR2 exists, 69 daemon unavailable or refusing,"
          + " 73 disk full, 74 input/output, 75 store in use (use --url)."
    })
public final class SnapshotCommand implements Callable<Integer> {
  private final Shell shell;

  @Mixin final ClusterDirectory cluster = new ClusterDirectory();

  @Option(names = "--data", paramLabel = "DIR", description = "Directory of a stopped store.")
  @Nullable Path data;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Option(
      names = "--to",
      paramLabel = "TARGET",
      required = true,
      description =
          "With --data: a new directory on the same file system. Otherwise: a name in the daemon's"
              + " snapshot-dir.")
  String to = "";

  public SnapshotCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    OutputBuffer out = new OutputBuffer(1 << 10);
    Path directory = data;
    if (directory == null) {
      out.put(ask());
    } else {
      ClusterDirectory.refuse(directory.toAbsolutePath(), ClusterDirectory.SNAPSHOT);
      StoreSnapshot.Report made =
          StoreSnapshot.ofStopped(directory.toAbsolutePath(), Path.of(to).toAbsolutePath());
      out.put(
          "%s: %d segments linked, %d ms%n"
              .formatted(made.directory(), made.segments(), made.millis()));
    }
    shell.write(out);
    return ExitCode.OK.number;
  }

  private String ask() {
    String query = RemoteResponse.encode(Map.of("name", List.of(to)));
    DaemonAddress asked = daemon.address(shell);
    try (HttpClient client = asked.client()) {
      HttpRequest.Builder request = asked.request("/v1/admin/snapshot?" + query);
      HttpResponse<String> answer =
          asked.send(
              client, request.POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
      if (answer.statusCode() != 200) {
        throw asked.refused(answer.statusCode(), answer.body().strip());
      }
      Map<String, Object> made = JsonLine.parse(answer.body());
      if (made.containsKey("events")) {
        return "%s: %s events copied, %s ms%n"
            .formatted(
                TextWriter.escaped("" + made.get("directory")),
                made.get("events"),
                made.get("millis"));
      }
      return "%s: %s segments linked, %s bytes of the journals copied, %s ms%n"
          .formatted(
              TextWriter.escaped("" + made.get("directory")),
              made.get("segments"),
              made.get("journalBytesCopied"),
              made.get("millis"));
    } catch (IOException unreachable) {
      throw asked.unreachable(unreachable);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new QueryException.Stopped("interrupted while waiting for " + asked);
    }
  }
}
