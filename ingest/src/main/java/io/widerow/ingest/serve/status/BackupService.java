package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.QueryParams;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.storage.StorageException;
import io.widerow.storage.objects.Backup;
import io.widerow.storage.objects.ObjectsException;
import io.widerow.storage.objects.RunningBackup;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// `POST /v1/admin/backup`: ships everything and makes a checkpoint. Without the key `backup`: 501.
///
/// - Threads: any event loop; the work is done on the server's blocking executor.
public record BackupService(Supplier<@Nullable RunningBackup> backup) {
  private static final String NONE = "there is no backup: set the key backup";
  private static final double NANOS_PER_SECOND = 1e9;

  public List<HttpRoute> routes() {
    return List.of(
        new MaintenanceRoutes<>("/v1/admin/backup", backup, NONE).work("", BackupService::now));
  }

  private static HttpResponse now(RunningBackup backup, QueryParams given) throws RequestRefused {
    Parameters.requireKnown(given, List.of());
    try {
      Backup.Made made = backup.now();
      return HttpResponses.json(
          HttpStatus.OK,
          "{\"checkpoint\":\"%s\",\"at\":\"%s\"}\n".formatted(made.checkpoint(), made.at()));
    } catch (ObjectsException | StorageException failure) {
      return HttpResponses.error(
          HttpStatus.SERVICE_UNAVAILABLE, String.valueOf(failure.getMessage()));
    }
  }

  /// The member of `/v1/status`; empty without a backup.
  String summary() {
    RunningBackup shown = backup.get();
    if (shown == null) {
      return "";
    }
    Backup.Status now = shown.status();
    StringBuilder json = new StringBuilder(",\"backup\":{\"state\":\"").append(now.state());
    HttpResponses.appendString(json.append("\",\"to\":"), now.to());
    json.append(
        String.format(
            Locale.ROOT,
            ",\"epoch\":%d,\"behindSeconds\":%.3f,\"pendingBytes\":%d,\"sentBytes\":%d",
            now.epoch(),
            now.behindNanos() / NANOS_PER_SECOND,
            now.pendingBytes(),
            now.sentBytes()));
    HttpResponses.appendString(json.append(",\"checkpoint\":"), now.checkpoint());
    HttpResponses.appendString(json.append(",\"oldest\":"), now.oldest());
    json.append(
        now.gaps().stream()
            .map(gap -> "{\"from\":\"%s\",\"until\":\"%s\"}".formatted(gap.from(), gap.until()))
            .collect(Collectors.joining(",", ",\"gaps\":[", "]")));
    HttpResponses.appendString(json.append(",\"reason\":"), now.reason());
    return json.append('}').toString();
  }
}
