package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.embedded.StoreSnapshot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// `POST /v1/admin/snapshot?name=NAME`: makes a snapshot of the store, a directory of this name in
/// `snapshot-dir`. A name is one word of letters, digits, `.`, `_` and `-`, so that it cannot lead
/// out of that directory. A store on a cluster is copied whole, and compared; what was cut off goes
/// on under the same name.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public final class SnapshotService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");
  private static final String TEMPORARY = ".tmp";
  private static final String NONE = "this store has no snapshots";

  private final MaintenanceRoutes<Snapshots> routes;
  private final Path directory;

  public SnapshotService(EventStore store, Path directory) {
    this.routes = new MaintenanceRoutes<>("/v1/admin/snapshot", () -> snapshots(store), NONE);
    this.directory = directory;
  }

  public List<HttpRoute> routes() {
    return List.of(routes.work("", this::snapshot)); // a slow disk may take long
  }

  /// Makes snapshots of a kind of store.
  private interface Snapshots {
    /// @return the response
    String make(Path target);
  }

  private static @Nullable Snapshots snapshots(EventStore store) {
    if (store instanceof EmbeddedStore embedded) {
      return target -> linked(embedded, target);
    }
    EventStore.Copier copier = store.copier();
    return copier == null ? null : target -> copied(copier, target);
  }

  private static String linked(EmbeddedStore store, Path target) {
    StoreSnapshot.Report made = store.snapshot(target);
    LOG.log(
        Level.INFO,
        "snapshot {0}: {1} segments linked, {2} bytes of the journals copied, {3} ms",
        new Object[] {
          target,
          Integer.toString(made.segments()),
          Long.toString(made.journalBytesCopied()),
          Long.toString(made.millis())
        });
    return json(made);
  }

  private static String copied(EventStore.Copier copier, Path target) {
    long began = System.nanoTime();
    long events = copier.copy(target);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    LOG.log(
        Level.INFO,
        "snapshot {0}: {1} events copied, {2} ms",
        new Object[] {target, Long.toString(events), Long.toString(millis)});
    StringBuilder json = new StringBuilder("{\"directory\":");
    HttpResponses.appendString(json, target.toString());
    return json.append(",\"events\":%d,\"millis\":%d}\n".formatted(events, millis)).toString();
  }

  private HttpResponse snapshot(Snapshots snapshots, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of("name"));
    String name = given.get("name", "");
    if (!NAME.matcher(name).matches() || name.endsWith(TEMPORARY)) {
      throw new IllegalArgumentException(
          "name: one word of up to 100 letters, digits, '.', '_' and '-', got '%s'"
              .formatted(name.substring(0, Math.min(name.length(), 200))));
    }
    Path target = directory.resolve(name);
    try {
      Files.createDirectories(
          directory,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      return HttpResponses.json(HttpStatus.OK, snapshots.make(target));
    } catch (StorageException failure) {
      LOG.log(Level.WARNING, "snapshot {0}: {1}", new Object[] {target, failure.getMessage()});
      return HttpResponses.error(status(failure), String.valueOf(failure.getMessage()));
    } catch (IOException failure) {
      LOG.log(Level.WARNING, "snapshot {0}: {1}", new Object[] {target, failure});
      return HttpResponses.error(
          HttpStatus.INTERNAL_SERVER_ERROR, "cannot make %s: %s".formatted(directory, failure));
    }
  }

  private static String json(StoreSnapshot.Report made) {
    StringBuilder json = new StringBuilder("{\"directory\":");
    HttpResponses.appendString(json, made.directory().toString());
    json.append(",\"segments\":").append(made.segments());
    json.append(",\"journalBytesCopied\":").append(made.journalBytesCopied());
    return json.append(",\"millis\":").append(made.millis()).append("}\n").toString();
  }

  private static HttpStatus status(StorageException failure) {
    return switch (failure) {
      case StorageException.Incompatible _ -> HttpStatus.CONFLICT; // a snapshot of this name exists
      case StorageException.DiskFull _ -> HttpStatus.INSUFFICIENT_STORAGE;
      case StorageException.ReadOnly _, StorageException.Unreachable _ ->
          HttpStatus.SERVICE_UNAVAILABLE;
      case StorageException.Corrupt _,
          StorageException.AcknowledgedDataDamaged _,
          StorageException.Locked _,
          StorageException.Failed _,
          StorageException.ClockWrong _ ->
          HttpStatus.INTERNAL_SERVER_ERROR;
    };
  }
}
