package io.widerow.cql.server;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.parse.Parser;
import io.widerow.cql.parse.Statement;
import io.widerow.cql.plan.Planner;
import io.widerow.cql.plan.Prepared;
import io.widerow.cql.plan.QueryRows;
import io.widerow.cql.plan.StatementExecution;
import io.widerow.cql.schema.RequestKey;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.Trace;
import io.widerow.cql.store.WriteTooLargeException;
import io.widerow.cql.system.Traces;
import io.widerow.cql.type.WireCodec;
import io.widerow.ingest.config.TokenFile;
import io.widerow.query.HeldMemory;
import io.widerow.query.QueryException;
import io.widerow.query.QueryMemory;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Answers the statements of all connections.
///
/// - Threads: any; each execution has a virtual thread, `widerow-cql-<n>`, and so many at a time
///   run as there is memory for.
final class CqlService {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final int RUNNING_MAX = 64;
  private static final long END_SECONDS = 10;
  private static final long RUNNING_BYTES = 1 << 20;
  private static final long BYTES_A_CHAR = 64; // of a statement: its words and its expressions
  private static final long BYTES_A_LATER_CHAR = 4; // of a long constant

  private final Planner planner;
  private final QueryMemory memory;
  private final @Nullable TokenFile tokens;
  private final Traces traces;
  private final PageSeal seal;
  private final PreparedStatements statements = new PreparedStatements();
  private final Semaphore places;
  private final AtomicLong number = new AtomicLong();
  private final AtomicLong active = new AtomicLong(); // executions that have begun
  private final AtomicLong requests = new AtomicLong();

  /// @param memory that all queries of the daemon share
  /// @param tokens of clients; null when they need none
  /// @param traces where requests that are traced are kept
  CqlService(
      EventStore store,
      Planner planner,
      QueryMemory memory,
      @Nullable TokenFile tokens,
      Traces traces) {
    this.traces = traces;
    this.planner = planner;
    this.memory = memory;
    this.tokens = tokens;
    this.seal = new PageSeal(store.secret());
    this.places = new Semaphore(Math.clamp(memory.bytesMax() / RUNNING_BYTES, 1, RUNNING_MAX));
  }

  @Nullable TokenFile tokens() {
    return tokens;
  }

  Traces traces() {
    return traces;
  }

  PreparedStatements statements() {
    return statements;
  }

  /// Parses a statement. What parsing makes counts while it is made.
  Prepared prepare(String statement, @Nullable String keyspace) {
    try (HeldMemory held = new HeldMemory(memory)) {
      long dense = Math.min(statement.length(), Parser.WORDS_MAX); // more are refused
      held.accept(BYTES_A_CHAR * dense + BYTES_A_LATER_CHAR * (statement.length() - dense));
      return planner.prepare(statement, keyspace);
    }
  }

  Prepared batch(Statement.Batch.Kind kind, List<Prepared> statements) {
    return planner.batch(kind, statements);
  }

  /// Requests so far.
  long requests() {
    return requests.get();
  }

  void counted() {
    requests.incrementAndGet();
  }

  /// Runs what may wait on a thread of its own.
  void start(Runnable work) {
    active.incrementAndGet();
    Thread.ofVirtual()
        .name("widerow-cql-" + number.incrementAndGet())
        .start(() -> {
          places.acquireUninterruptibly();
          try {
            work.run();
          } finally {
            places.release();
            active.decrementAndGet();
          }
        });
  }

  /// Waits until nothing runs. All of it must have been cancelled before.
  void awaitEnd() {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(END_SECONDS);
    while (active.get() > 0 && System.nanoTime() < until) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
  }

  /// Gives back the memory of a response.
  void release(ExecutionHandle running) {
    running.release(memory);
  }

  /// A response, and the position of its next page, sealed; null when there is none.
  ///
  /// @param repeats whether it is the one that a request with a key had before
  record Page(QueryRows answer, @Nullable ByteBuffer sealed, boolean repeats) {}

  /// The client of a request.
  ///
  /// @param local the address of this server that the client has reached
  /// @param address of the client, without its port
  /// @param name of its token; empty when it needs none
  /// @param key of its request, when that is to be done once; null for none
  record Client(InetSocketAddress local, String address, String name, @Nullable ByteBuffer key) {}

  /// Executes a statement, on a thread that may wait.
  ///
  /// @param id of the statement
  /// @param running counts the memory that the execution holds
  /// @param trace takes what is done; null when nobody asks for it
  Page execute(
      StatementId id,
      Prepared prepared,
      QueryOptions options,
      Client client,
      ExecutionHandle running,
      @Nullable Trace trace) {
    running.requireGoingOn();
    List<@Nullable ByteBuffer> values = options.valuesOf(prepared.variables());
    byte[] statement = withValues(id, values);
    ByteBuffer sealed = options.sealed();
    ByteBuffer position = sealed == null ? null : seal.open(statement, sealed);
    RequestPrincipal asker =
        new RequestPrincipal(
            client.local,
            client.address,
            bytes -> running.hold(memory, bytes),
            running::onCancel,
            trace);
    ByteBuffer key = client.key;
    RequestKey request =
        key == null ? null : RequestKey.of(client.name, WireCodec.bytes(key), statement);
    QueryRows answer =
        prepared.execute(
            new StatementExecution(
                values, options.pageSize(), position, asker, options.timestamp(), request));
    if (answer instanceof QueryRows.Repeat(QueryRows first)) {
      return new Page(first, null, true);
    }
    ByteBuffer next = answer instanceof QueryRows.Rows rows ? rows.position() : null;
    return new Page(answer, next == null ? null : seal.seal(statement, next), false);
  }

  /// The identity of a statement with its values: positions and keys of requests belong to it.
  private static byte[] withValues(StatementId id, List<@Nullable ByteBuffer> values) {
    MessageDigest digest = StatementId.digest();
    digest.update(id.bytes());
    for (ByteBuffer value : values) {
      boolean isUnset = StatementExecution.isUnset(value);
      digest.update((byte) (value == null ? 0 : isUnset ? 2 : 1));
      if (value != null && !isUnset) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(value.remaining()).flip());
        digest.update(value.duplicate());
      }
    }
    return digest.digest();
  }

  /// The client's error for a failure.
  static CqlException told(Throwable failure) {
    return switch (failure) {
      case CqlException known -> known;
      case WriteTooLargeException large ->
          new CqlException(Code.INVALID, String.valueOf(large.getMessage()));
      case QueryException.OverBudget budget ->
          new CqlException(Code.OVERLOADED, String.valueOf(budget.getMessage()));
      case QueryException.Stopped stopped ->
          new CqlException(Code.OVERLOADED, String.valueOf(stopped.getMessage()));
      case QueryException refused ->
          new CqlException(Code.INVALID, String.valueOf(refused.getMessage()));
      case StorageException.Unreachable away ->
          new CqlException(Code.OVERLOADED, String.valueOf(away.getMessage()));
      case StorageException.DiskFull full ->
          new CqlException(Code.OVERLOADED, String.valueOf(full.getMessage()));
      case StorageException failed ->
          new CqlException(Code.SERVER, String.valueOf(failed.getMessage()));
      default -> {
        LOG.log(Level.SEVERE, "cql: a statement failed", failure);
        yield new CqlException(Code.SERVER, "an error of the server; its log has the reason");
      }
    };
  }
}
