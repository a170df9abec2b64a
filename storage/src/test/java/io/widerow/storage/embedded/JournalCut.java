package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventBatch;
import io.widerow.faults.DiskAround;
import io.widerow.faults.DiskFileAround;
import io.widerow.faults.PlantLoader;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.ChronicleFile;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.FrameEncoder;
import io.widerow.storage.journal.FreshFile;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.NativeFile;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.journal.WitnessFile;
import io.widerow.storage.recovery.JournalRecovery;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Simulator of power cuts under the real journal, on any file system and without a device. Every
/// force of a file or directory records what is durable from then on. A cut builds a directory of
/// just that, plus any unforced pages and names, and recovery reads it. It runs in classes of a
/// [PlantLoader], which records the forces.
///
/// - Threads: one.
final class JournalCut {
  /// Hooks that record the forces of the journal's files.
  static final List<PlantLoader.Cut> NOTED =
      List.of(
          PlantLoader.Cut.to(ChronicleFile.class, "force", NativeFile.class, "force", "forced"),
          PlantLoader.Cut.to(FreshFile.class, "finish", NativeFile.class, "force", "forced"));

  private static final UUID STORE = new UUID(7, 11);
  private static final int LANE = 0;
  private static final long FILE_BYTES = 1 << 20;
  private static final int PAGE_BYTES = 4 << 10;
  private static final int GROUPS = 24;
  private static Consumer<Path> onForce = _ -> {};

  private final Path work;
  private final SplittableRandom random;
  private final Node root = new Node(true);
  private final Disk disk = new NotingDisk();
  private long promised;
  private long trimmed;
  private boolean begun;
  private int cuts;
  private @Nullable AssertionError found;

  /// A file or a directory.
  private static final class Node {
    final boolean directory;
    final Map<String, Node> entries = new TreeMap<>();
    final Map<String, Node> durable = new TreeMap<>();
    byte[] bytes = {}; // durable ones

    Node(boolean directory) {
      this.directory = directory;
    }
  }

  private JournalCut(Path work, long seed) {
    this.work = work;
    this.random = new SplittableRandom(seed);
  }

  /// Called instead of [NativeFile#force].
  static void forced(NativeFile file) {
    file.force();
    try {
      Field field = NativeFile.class.getDeclaredField("descriptor");
      field.setAccessible(true);
      onForce.accept(Files.readSymbolicLink(Path.of("/proc/self/fd", field.get(file).toString())));
    } catch (IOException | ReflectiveOperationException failure) {
      throw new IllegalStateException(failure);
    }
  }

  /// Writes groups, trims sometimes, and cuts the power before each disk operation, between write
  /// and force, and after each force.
  ///
  /// @param work an empty directory
  /// @return number of cuts
  static int run(Path work, long seed) {
    var run = new JournalCut(work, seed);
    onForce = run::noteForce;
    try {
      run.write();
    } catch (RuntimeException | Error made) { // by the journal, because of what it found
      AssertionError found = run.found;
      if (found != null) {
        throw found;
      }
      throw made;
    } finally {
      onForce = _ -> {};
    }
    assertEquals(null, run.found);
    return run.cuts;
  }

  private Path journals() {
    return work.resolve("journal");
  }

  private void write() {
    var factory = new ChronicleJournalFactory(disk, journals(), STORE, FILE_BYTES, Runnable::run);
    try (EventBatch batch = new EventBatch(1 << 19, 1 << 19);
        FrameEncoder encoder = new FrameEncoder(STORE, LANE, false);
        Journal journal = factory.create(LANE, 1);
        WitnessFile witness = new WitnessFile(disk, work, STORE)) {
      begun = true;
      for (long lsn = 1; lsn <= GROUPS; lsn++) {
        fill(batch, 100 + random.nextInt(1_300));
        journal.append(
            lsn,
            encoder.encode(
                lsn,
                promised,
                0,
                0,
                batch.memory().asSlice(0, batch.bytes()),
                batch.count(),
                JournalFrame.STARTS_GROUP | JournalFrame.ENDS_GROUP));
        cut();
        if (random.nextInt(3) == 0) {
          continue; // the next force is for both
        }
        journal.force();
        promised = lsn;
        cut();
        if (random.nextInt(3) == 0) {
          witness.write(List.of(Witness.Lane.of(promised, journal)));
          cut();
        }
        if (random.nextInt(6) == 0) {
          trimmed = random.nextLong(trimmed, promised + 1);
          journal.trim(trimmed);
        }
      }
    }
  }

  private void fill(EventBatch batch, int events) {
    byte[] type = "app".getBytes(StandardCharsets.UTF_8);
    byte[] body = new byte[100];
    batch.clear();
    for (int event = 0; event < events; event++) {
      random.nextBytes(body);
      batch.begin(type, 0, type.length, event);
      batch.putBytes(type, 0, type.length, body, 0, body.length);
      assertEquals(null, batch.end());
    }
  }

  private void cut() {
    if (!begun || found != null) {
      return;
    }
    for (boolean lucky : new boolean[] {false, true}) {
      Path image = work.resolve("image");
      try {
        Files.createDirectory(image);
        restore(root, work, image, lucky);
        look(image);
        delete(image);
      } catch (AssertionError failure) {
        found = failure;
        throw failure;
      } catch (IOException failure) {
        found = new AssertionError(failure);
        throw found;
      }
      cuts++;
    }
  }

  private void look(Path image) {
    Path journal = image.resolve("journal");
    assertTrue(Files.isDirectory(journal), "the directory of the journals is lost");
    var factory =
        new ChronicleJournalFactory(new RealDisk(), journal, STORE, FILE_BYTES, Runnable::run);
    Witness witness = Witness.read(new RealDisk(), image, STORE);
    assertEquals(null, witness.damage());
    try (var recovery = new JournalRecovery(factory, STORE, Map.of(LANE, trimmed))) {
      assertEquals(List.of(), recovery.check(journal, LANE + 1, witness), "after " + promised);
      long counted = recovery.lsnCounted(LANE);
      assertTrue(counted >= promised, counted + " are there and " + promised + " were promised");
    }
  }

  /// @param lucky whether what was not forced may have survived
  private void restore(Node from, @Nullable Path now, Path image, boolean lucky)
      throws IOException {
    boolean newer = lucky && random.nextBoolean();
    for (var entry : (newer ? from.entries : from.durable).entrySet()) {
      Node node = entry.getValue();
      Path target = image.resolve(entry.getKey());
      Path live =
          now != null && from.entries.get(entry.getKey()) == node
              ? now.resolve(entry.getKey())
              : null;
      if (node.directory) {
        Files.createDirectory(target);
        restore(node, live, target, lucky);
      } else {
        Files.write(target, lucky && live != null ? mixed(node.bytes, live) : node.bytes);
      }
    }
  }

  private byte[] mixed(byte[] durable, Path live) throws IOException {
    byte[] left = Files.readAllBytes(live);
    for (int at = 0; at < Math.min(left.length, durable.length); at += PAGE_BYTES) {
      if (random.nextBoolean()) {
        int bytes = Math.min(PAGE_BYTES, Math.min(left.length, durable.length) - at);
        System.arraycopy(durable, at, left, at, bytes);
      }
    }
    return left;
  }

  private static void delete(Path tree) throws IOException {
    try (var paths = Files.walk(tree)) {
      for (Path path : paths.toList().reversed()) {
        Files.delete(path);
      }
    }
  }

  private void noteForce(Path file) {
    Node node = find(file);
    if (node != null) {
      try {
        node.bytes = Files.readAllBytes(file);
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }
  }

  private @Nullable Node find(Path path) {
    Node at = root;
    for (Path name : work.relativize(path)) {
      Node next = at.entries.get(name.toString());
      if (next == null) {
        return name.toString().isEmpty() ? at : null; // created by the queue itself
      }
      at = next;
    }
    return at;
  }

  private Node parent(Path path) {
    Node parent = find(path.resolveSibling("").normalize());
    if (parent == null) {
      throw new IllegalStateException("the directory of " + path + " was never made");
    }
    return parent;
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  /// The real disk, with the power cut before each operation.
  private final class NotingDisk extends DiskAround {
    NotingDisk() {
      super(new RealDisk());
    }

    @Override
    public DiskFile create(Path file) {
      cut();
      Node node = new Node(false);
      DiskFile created = new NotingFile(super.create(file), node);
      parent(file).entries.put(name(file), node);
      return created;
    }

    @Override
    public void createDirectory(Path directory) {
      cut();
      super.createDirectory(directory);
      parent(directory).entries.putIfAbsent(name(directory), new Node(true));
    }

    @Override
    public void rename(Path source, Path target) {
      cut();
      super.rename(source, target);
      Node moved = parent(source).entries.remove(name(source));
      parent(target).entries.put(name(target), java.util.Objects.requireNonNull(moved));
    }

    @Override
    public void delete(Path path) {
      cut();
      super.delete(path);
      parent(path).entries.remove(name(path));
    }

    @Override
    public void forceDirectory(Path directory) {
      cut();
      super.forceDirectory(directory);
      Node node = find(directory);
      if (node != null) {
        node.durable.clear();
        node.durable.putAll(node.entries);
      }
    }
  }

  /// A file that is written through the disk: the witness.
  private final class NotingFile extends DiskFileAround {
    private final Node node;

    NotingFile(DiskFile file, Node node) {
      super(file);
      this.node = node;
    }

    @Override
    public void write(MemorySegment source, long offset) {
      cut();
      super.write(source, offset);
    }

    @Override
    public void force() {
      cut();
      super.force();
      byte[] bytes = new byte[(int) size()];
      super.read(MemorySegment.ofArray(bytes), 0);
      node.bytes = bytes;
    }
  }
}
