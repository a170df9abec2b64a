package io.widerow.cql.engine;

import io.widerow.cql.fragment.MutationGroup;
import io.widerow.cql.store.KeySpan;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.TableWrite;
import io.widerow.storage.Damage;
import io.widerow.storage.Durability;
import io.widerow.storage.StorageException;
import io.widerow.storage.embedded.ExtensionContext;
import io.widerow.storage.embedded.StoreExtension;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The tables of an embedded store. Writes wait in a queue; one task takes all that wait, and makes
/// them durable with one force.
///
/// The first write creates the directory of the tables. Before it nothing on the disk differs from
/// a store without them.
///
/// - Threads: any.
/// - Memory: two memtables, and older ones that views still read.
public final class TableEngine implements TableStore, StoreExtension {
  private final ExtensionContext context;
  private final TableOpening opening;
  private final TableContents contents;
  private final TableUpkeep upkeep;
  private final boolean readOnly;
  private final MutationGroup group;
  private final ArrayDeque<Waiting<?>> queue = new ArrayDeque<>(); // guarded by itself
  private boolean running; // guarded by queue
  private boolean closed; // guarded by queue
  private volatile @Nullable TableLane lane; // made by the running task
  private volatile Durability durability = Durability.DISK;
  private volatile Executor writers; // runs the writes, one at a time
  private volatile List<Damage> reported = List.of();
  private volatile boolean sealRequested;
  private volatile boolean forceRequested;
  private volatile boolean restRequested;

  /// The key spans to forget after a force.
  private final AtomicReference<@Nullable ObsoleteKeys> toForget = new AtomicReference<>();

  /// A write that waits.
  private static final class Waiting<T> {
    private final TableWrite<T> write;
    private final CompletableFuture<T> done = new CompletableFuture<>();
    private @Nullable T answer;

    Waiting(TableWrite<T> write) {
      this.write = write;
    }

    void run(LeasedView before, MutationGroup out) {
      answer = write.run(before, out);
      out.end();
      if (write.derives()) {
        try (TableView after = before.with(new UnwrittenGroup(out))) {
          write.derive(before, after, out);
        }
        out.end();
      }
    }

    @SuppressWarnings("NullAway") // a result may be null when the write's type allows it
    void complete() {
      done.complete(answer);
    }
  }

  private TableEngine(ExtensionContext context, TableOpening opening, boolean readOnly) {
    this.context = context;
    this.opening = opening;
    this.contents = opening.contents();
    this.writers = context.background();
    this.upkeep = new TableUpkeep(contents);
    this.readOnly = readOnly;
    this.group = new MutationGroup(TableLane.recordBytesMax(context.store().config()));
  }

  /// Opens the tables of a store for reading; changes nothing. [#begin] opens them for writing.
  ///
  /// @param acceptsLoss to continue without acknowledged groups that the journal lost
  /// @throws StorageException.AcknowledgedDataDamaged when it lost some
  static TableEngine open(ExtensionContext context, boolean readOnly, boolean acceptsLoss) {
    return new TableEngine(context, new TableOpening(context, acceptsLoss || readOnly), readOnly);
  }

  @Override
  public List<Damage> damage() {
    return Stream.concat(opening.damage().stream(), reported.stream()).toList();
  }

  /// Sets damage that is no damage of files: stored statements of the schema that the reader of the
  /// rows cannot parse. Replaces the last report.
  public void report(List<Damage> found) {
    reported = List.copyOf(found);
  }

  @Override
  public List<String> remarks() {
    return opening.remarks();
  }

  /// Groups that only the journal had.
  public long groupsReplayed() {
    return opening.groups();
  }

  /// Flushes replayed records and creates a new journal, if there are tables. On a full disk the
  /// next write, or [#maintain], tries again.
  @Override
  public void begin() {
    if (!readOnly && opening.isThere() && lane == null) {
      var _ = lane();
    }
  }

  /// Runs writes on another executor from now on, so that they do not wait for work in the
  /// background. The caller ends it, after this store.
  public void writeOn(Executor executor) {
    writers = executor;
  }

  /// Acknowledges from now on when a write is as durable as this; forced to disk at first.
  public void acknowledge(Durability level) {
    durability = level;
  }

  @Override
  public TableView view() {
    return contents.view();
  }

  @Override
  public <T> CompletableFuture<T> write(TableWrite<T> write) {
    var waiting = new Waiting<>(write);
    if (readOnly) {
      waiting.done.completeExceptionally(
          new StorageException.ReadOnly("the store was opened for reading"));
      return waiting.done;
    }
    synchronized (queue) {
      if (closed) {
        waiting.done.completeExceptionally(new StorageException.ReadOnly("the store is closed"));
        return waiting.done;
      }
      queue.add(waiting);
    }
    wake();
    return waiting.done;
  }

  @Override
  public void forget(List<KeySpan> spans) {
    if (!readOnly) {
      toForget.set(new ObsoleteKeys(spans));
      forceRequested = true;
      wake();
    }
  }

  /// Starts the task that writes, unless it runs.
  private void wake() {
    synchronized (queue) {
      if (running) {
        return;
      }
      running = true;
    }
    boolean handedOver = false;
    try {
      writers.execute(this::drain);
      handedOver = true;
    } finally {
      if (!handedOver) {
        stopped();
      }
    }
  }

  private void stopped() {
    synchronized (queue) {
      running = false;
      queue.notifyAll();
    }
  }

  private void drain() {
    boolean ended = false;
    try {
      while (!ended) {
        List<Waiting<?>> taken;
        synchronized (queue) {
          taken = new ArrayList<>(queue);
          queue.clear();
          if (taken.isEmpty() && !sealRequested && !forceRequested && !restRequested) {
            running = false;
            queue.notifyAll();
            ended = true;
            continue;
          }
        }
        process(taken);
      }
    } finally {
      if (!ended) {
        stopped();
      }
    }
  }

  /// Runs writes and makes them durable together.
  private void process(List<Waiting<?>> taken) {
    List<Waiting<?>> left = new ArrayList<>(taken);
    try {
      if (!taken.isEmpty()) {
        write(taken, left);
      }
      TableLane now = lane;
      if (forceRequested) {
        forceRequested = false;
        if (now != null) {
          now.commit(durability);
        }
      }
      if (now != null) {
        forget(now);
      }
      if (sealRequested) {
        sealRequested = false;
        if (now != null) {
          now.seal();
        }
      }
      if (restRequested) {
        restRequested = false;
        if (now != null) {
          now.rest();
        }
      }
    } catch (RuntimeException failure) {
      if (left.isEmpty()) {
        sealFailed(failure);
      }
      left.forEach(each -> each.done.completeExceptionally(failure));
    } catch (Error failure) {
      left.forEach(each -> each.done.completeExceptionally(failure));
      throw failure;
    }
  }

  private void forget(TableLane now) {
    ObsoleteKeys next = toForget.get();
    if (next != null) {
      now.commit(Durability.DISK);
      upkeep.forget(next);
      toForget.compareAndSet(next, null); // another one that was set in between stays
    }
  }

  /// The memory stays as it is, and is sealed later.
  private void sealFailed(RuntimeException failure) {
    if (failure instanceof StorageException known) {
      context.store().backgroundFailed(known);
    } else {
      throw failure;
    }
  }

  private void write(List<Waiting<?>> taken, List<Waiting<?>> left) {
    context.store().requireLock();
    context.room().require();
    TableLane now = lane();
    List<Waiting<?>> written = new ArrayList<>();
    for (Waiting<?> each : taken) {
      if (append(now, each)) {
        written.add(each);
      } else {
        left.remove(each);
      }
    }
    now.commit(durability);
    left.removeAll(written);
    written.forEach(Waiting::complete);
  }

  /// False when the write was refused; its caller knows.
  private boolean append(TableLane now, Waiting<?> each) {
    group.clear();
    try {
      try (LeasedView before = now.view()) {
        each.run(before, group);
      }
      if (group.count() > 0) {
        now.append(group);
      }
      return true;
    } catch (RuntimeException refused) {
      each.done.completeExceptionally(refused);
      return false;
    }
  }

  /// The lane; it is made when there is none yet.
  private synchronized TableLane lane() {
    TableLane now = lane;
    if (now == null) {
      now = opening.begin(upkeep);
      lane = now;
    }
    return now;
  }

  /// Writes the witness, too.
  @Override
  public void maintain(Duration openAge) {
    if (readOnly || context.store().hasEnded()) {
      return;
    }
    try {
      begin();
      TableLane now = lane;
      if (now != null) {
        if (now.isOlderThan(context.clock().monotonicNanos() - openAge.toNanos())) {
          requestSeal();
        } else if (durability.compareTo(Durability.DISK) < 0 || toForget.get() != null) {
          forceRequested = true; // acknowledged groups are forced after a second
          wake();
        }
        if (now.wantsRest()) {
          restRequested = true;
          wake();
        }
        context.store().tidy(() -> upkeep.trimTo(0)); // files that the journal let go of
        opening.witness().write(List.of(now.witness()));
        context.store().tidy(contents::keepRoom);
        upkeep.start();
      }
    } catch (StorageException failure) {
      context.store().backgroundFailed(failure);
    }
  }

  private void requestSeal() {
    sealRequested = true;
    wake();
  }

  @Override
  public void flush() {
    if (lane != null) {
      requestSeal();
      awaitLane();
      upkeep.flushUntil(1);
    }
  }

  /// Merges all files into one, on this thread: for tests, and for owners that measure.
  public void mergeAll() {
    upkeep.mergeAll();
  }

  /// @throws StorageException when they could not begin, for lack of room
  @Override
  public StoreExtension.Moment snapshot() {
    if (!opening.isThere()) {
      return StoreExtension.Moment.NONE;
    }
    begin();
    return new TableSnapshot.Moment(context, contents);
  }

  @Override
  public @Nullable Lane openLane() {
    return lane;
  }

  /// Bytes of the memtables.
  @Override
  public long memoryBytes() {
    return contents.state().memories().stream().mapToLong(TableMemory::usedBytes).sum();
  }

  private void awaitLane() {
    boolean interrupted = false;
    synchronized (queue) {
      while (running) {
        try {
          queue.wait();
        } catch (InterruptedException wait) {
          interrupted = true; // the task uses memory that is freed next
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  TableContents contents() {
    return contents;
  }

  @Override
  public void close() {
    synchronized (queue) {
      closed = true;
    }
    awaitLane();
    TableLane now = lane;
    try {
      if (now != null && !context.store().hasEnded() && context.store().holdsLock()) {
        flush();
        opening.witness().write(List.of(now.witness()));
      }
    } catch (StorageException left) {
      context.store().backgroundFailed(left); // the journal has it
    } finally {
      upkeep.end();
    }
  }

  @Override
  public void free() {
    TableLane now = lane;
    if (now != null) {
      now.close();
    }
    opening.close();
  }
}
