package io.widerow.cli.backup;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.TimeText;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.RemoteDocument;
import io.widerow.storage.objects.Backup;
import io.widerow.storage.objects.BackupCatalog;
import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.ObjectsException;
import io.widerow.storage.objects.Restore;
import io.widerow.storage.objects.Verification;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// `widerow backup`: lists, verifies and restores backups. It reads the place itself, without a
/// daemon.
@Command(
    description = {
      "A daemon with the key `backup` ships its store as it grows. These commands read what it"
          + " shipped; only take-over and forget write there."
    },
    footer = {
      "Examples:",
      "  widerow backup list --from file:/mnt/backup/w",
      "  widerow backup verify --from file:/mnt/backup/w",
      "  widerow backup restore --from file:/mnt/backup/w --data DIR \\",
      "      --at 2026-11-20T19:15:00Z",
      "  widerow backup now",
      "Exit codes: 0 ok, 1 verify: damage found, 64 usage, 65 a damaged object, 66 no such backup,"
          + " or DIR exists, 69 no answer, 73 disk full, 74 input/output, 75 store in use."
    })
public final class BackupCommand {
  private static final long SECOND = 1_000_000_000L;
  private static final int CONNECTIONS = 8;

  private final Shell shell;

  /// The place of a backup.
  static final class Source {
    @Option(
        names = "--from",
        paramLabel = "URL",
        required = true,
        description = "Where the backup is: file:/DIRECTORY or s3://BUCKET/PREFIX.")
    String from = "";

    @Mixin S3Arguments s3 = new S3Arguments();

    ObjectStore open() {
      return s3.open("from", from);
    }
  }

  public BackupCommand(Shell shell) {
    this.shell = shell;
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description =
          "Prints the single moments and the spans of time that can be restored, oldest first."
              + " Between two of them the state at the end of the earlier one can be restored, and"
              + " nothing later.")
  int list(@Mixin Source source) {
    return run(() -> {
      OutputBuffer out = new OutputBuffer(1 << 10);
      var catalog = new BackupCatalog(source.open());
      catalog.points().forEach(at -> out.put("moment   %s%n".formatted(at)));
      List<BackupCatalog.Span> spans = catalog.spans();
      for (BackupCatalog.Span span : spans) {
        out.put(
            "epoch %d  %s to %s  %d checkpoints, %d bytes of files in the last one%n"
                .formatted(
                    span.epoch(),
                    span.from(),
                    span.until(),
                    span.checkpoints().size(),
                    span.bytes()));
      }
      if (spans.isEmpty()) {
        out.put("no checkpoint is there yet\n");
      }
      shell.write(out);
      return ExitCode.OK;
    });
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description = "Checks every object that a restore needs, and names the bad ones.")
  int verify(
      @Mixin Source source,
      @Option(
              names = "--at",
              paramLabel = "TIME",
              description = "The time as of which a restore would be made. Default: the newest.")
          @Nullable String at,
      @Option(
              names = "--quick",
              description = "Look only at which objects there are, and at the sizes of files.")
          boolean quick) {
    return run(() -> {
      Verification.Report found = new Verification(source.open()).run(nanos(at), quick);
      OutputBuffer out = new OutputBuffer(1 << 10);
      found.damaged().forEach(sentence -> out.put(sentence + "\n"));
      out.put(
          "%s: checked %d objects, %d bytes: %s%n"
              .formatted(
                  found.checkpoint(),
                  found.objects(),
                  found.bytes(),
                  found.damaged().isEmpty() ? "no damage" : found.damaged().size() + " damaged"));
      shell.write(out);
      return found.damaged().isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND;
    });
  }

  @Command(
      name = "restore",
      mixinStandardHelpOptions = true,
      description = {
        "Makes a store of a backup, as of a time, and prints the moment that it reached: it has"
            + " everything that was acknowledged before that. A restore that was cut off goes on.",
        "The restored store has the id of the original and backs up to no place until it takes one"
            + " over."
      })
  int restore(
      @Mixin Source source,
      @Option(
              names = "--data",
              paramLabel = "DIR",
              required = true,
              description = "A new directory; its parent exists.")
          Path data,
      @Option(
              names = "--at",
              paramLabel = "TIME",
              description = "The last moment at or before this time. Default: the newest.")
          @Nullable String at) {
    return run(() -> {
      Restore.Result made;
      try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
        made =
            new Restore(source.open(), data.toAbsolutePath(), threads, CONNECTIONS).run(nanos(at));
      }
      OutputBuffer out = new OutputBuffer(1 << 8);
      out.put(
          "%s: as of %s, %d files, %d bytes%n"
              .formatted(made.directory(), made.cut(), made.files(), made.bytes()));
      shell.write(out);
      return ExitCode.OK;
    });
  }

  @Command(
      name = "forget",
      mixinStandardHelpOptions = true,
      description =
          "Lets go of everything that is from before a time, earlier than backup-keep says: after a"
              + " deletion, for example. The daemon that owns the place deletes it a day later.")
  int forget(
      @Mixin Source source,
      @Option(
              names = "--before",
              paramLabel = "TIME",
              required = true,
              description = "A time; a checkpoint of then or later must be there.")
          String before) {
    return run(() -> {
      String oldest = Backup.forget(source.open(), TimeText.parse("before", before, nowNanos()));
      OutputBuffer out = new OutputBuffer(1 << 8);
      out.put("each second from %s on is kept%n".formatted(oldest));
      shell.write(out);
      return ExitCode.OK;
    });
  }

  @Command(
      name = "now",
      mixinStandardHelpOptions = true,
      description = "Asks a daemon to ship everything and to make a checkpoint.")
  int now(@Mixin DaemonOptions daemon) {
    OutputBuffer out = new OutputBuffer(1 << 8);
    out.put(
        RemoteDocument.ask(daemon.address(shell), "POST", "/v1/admin/backup").text().strip()
            + "\n");
    shell.write(out);
    return ExitCode.OK.number;
  }

  @Command(
      name = "take-over",
      mixinStandardHelpOptions = true,
      description =
          "Makes the directory of a stopped store the owner of a place, which another one may own"
              + " now. That one then writes nothing there any more.")
  int takeOver(
      @Option(
              names = "--to",
              paramLabel = "URL",
              required = true,
              description = "The place: file:/DIRECTORY or s3://BUCKET/PREFIX.")
          String to,
      @Mixin S3Arguments s3,
      @Option(
              names = "--data",
              paramLabel = "DIR",
              required = true,
              description = "Directory of a stopped store.")
          Path data) {
    return run(() -> {
      ObjectStore objects = s3.open("to", to);
      int epoch = Backup.takeOver(objects, data.toAbsolutePath(), "widerow-backup", nowNanos());
      OutputBuffer out = new OutputBuffer(1 << 8);
      out.put("%s belongs to %s now, epoch %d%n".formatted(objects, data, epoch));
      shell.write(out);
      return ExitCode.OK;
    });
  }

  private static long nanos(@Nullable String at) {
    return at == null ? Long.MAX_VALUE : TimeText.parse("at", at, nowNanos());
  }

  private static long nowNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * SECOND + now.getNano();
  }

  private int run(Supplier<ExitCode> work) {
    try {
      return work.get().number;
    } catch (ObjectsException failure) {
      shell.err().println("widerow backup: " + failure.getMessage());
      return code(failure).number;
    }
  }

  private static ExitCode code(ObjectsException failure) {
    return switch (failure) {
      case ObjectsException.Away _ -> ExitCode.UNAVAILABLE;
      case ObjectsException.Damaged _ -> ExitCode.CORRUPT;
      case ObjectsException.NotThere _ -> ExitCode.NO_STORE;
      case ObjectsException.OtherOwner _ -> ExitCode.UNAVAILABLE;
    };
  }
}
