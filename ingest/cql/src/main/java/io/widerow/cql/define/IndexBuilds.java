package io.widerow.cql.define;

import io.widerow.cql.change.IndexFill;
import io.widerow.cql.change.IndexWriter;
import io.widerow.cql.change.TableWriter;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.store.Mutations;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The builds of indexes: each fills a new index with the rows that its table has, in the
/// background. A build continues after a restart where it was.
///
/// - Threads: any.
final class IndexBuilds {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final TableWriter writer;
  private final TableSchema schema;
  private final Map<Integer, Build> builds = new ConcurrentHashMap<>(); // by number of the index
  private volatile boolean ended;

  /// One build.
  private static final class Build {
    private final byte[] from;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final AtomicBoolean started = new AtomicBoolean();
    private volatile boolean runs;
    private final AtomicLong rows = new AtomicLong();

    Build(byte[] from) {
      this.from = from;
    }
  }

  /// @param left numbers and positions of builds that have not ended
  IndexBuilds(TableWriter writer, TableSchema schema, Map<Integer, byte[]> left) {
    this.writer = writer;
    this.schema = schema;
    left.forEach((number, from) -> builds.put(number, new Build(from)));
  }

  /// Adds the build of a new index, which begins with [#start].
  void add(int number) {
    builds.put(number, new Build(new byte[0]));
  }

  boolean isBuilt(int number) {
    return !builds.containsKey(number);
  }

  /// Rows that the build of an index has read; 0 when none runs.
  long rowsRead(int number) {
    Build build = builds.get(number);
    return build == null ? 0 : build.rows.get();
  }

  /// Starts all builds that have not ended.
  void startAll(Executor executor) {
    builds
        .keySet()
        .forEach(number -> {
          var _ = start(number, executor);
        });
  }

  /// Ends all builds after the rows that they write now, and waits for that. The next start
  /// continues them.
  void end() {
    ended = true;
    builds.values().stream()
        .filter(build -> build.runs)
        .forEach(build -> build.done.handle((_, _) -> true).join());
  }

  /// Starts a build, once.
  ///
  /// @return its end, also that of a build that has failed
  CompletableFuture<Void> start(int number, Executor executor) {
    Build build = builds.get(number);
    if (build == null) {
      return CompletableFuture.completedFuture(null);
    }
    if (build.started.compareAndSet(false, true)) {
      executor.execute(() -> run(number, build));
    }
    return build.done;
  }

  private void run(int number, Build build) {
    build.runs = true; // before the look at the end, so that the end waits for it
    try {
      if (ended) {
        return;
      }
      TableSchema.Indexed indexed = schema.indexed(number);
      boolean whole = true;
      if (indexed != null) {
        IndexFill fill = new IndexFill(writer, schema, new Target(number));
        whole =
            fill.run(
                new IndexWriter(indexed.table(), indexed.index()),
                TableKeys.of(indexed.table()),
                build.from,
                build.rows::addAndGet,
                () -> ended);
      } else if (schema.schema().unreadable().isEmpty()) {
        boolean _ =
            writer.write((_, out) -> {
              new Target(number).end(out);
              return true;
            });
      } else {
        whole = false; // the index may be in a keyspace that cannot be read, and is repaired later
      }
      if (whole) {
        builds.remove(number);
      }
    } catch (RuntimeException failed) { // as of a full disk
      LOG.log(
          Level.WARNING,
          failed,
          () ->
              "cql: %s is not built; the next start continues, or drop it".formatted(name(number)));
    } finally {
      build.done.complete(null);
    }
  }

  private String name(int number) {
    TableSchema.Indexed indexed = schema.indexed(number);
    return indexed == null
        ? "a dropped index"
        : "index %s.%s".formatted(indexed.table().keyspace(), indexed.index().name());
  }

  /// The index of a build in the schema, and the record of the build.
  private final class Target implements IndexFill.Target {
    private final int number;

    Target(int number) {
      this.number = number;
    }

    @Override
    public @Nullable IndexWriter index() {
      TableSchema.Indexed indexed = schema.indexed(number);
      return indexed == null ? null : new IndexWriter(indexed.table(), indexed.index());
    }

    @Override
    public void proceed(byte[] from, Mutations out) {
      StoredSchema.writeBuild(number, from, out, writer.timestamp());
    }

    @Override
    public void end(Mutations out) {
      StoredSchema.deleteBuild(number, out, writer.timestamp());
    }
  }
}
