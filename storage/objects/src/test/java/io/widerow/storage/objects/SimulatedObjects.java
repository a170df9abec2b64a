package io.widerow.storage.objects;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Objects in memory, which survive a crash of the store. From a seed it answers nothing, or makes
/// the change and loses the answer, ends a stream early, or lists what was there some calls ago.
/// [#killAt] ends the process that uses it at one of its calls.
///
/// - Threads: one.
final class SimulatedObjects implements ObjectStore {
  private static final int LATE_CALLS = 20;

  private final SplittableRandom random;
  private final TreeMap<String, byte[]> all = new TreeMap<>();
  private final TreeMap<String, Long> versions = new TreeMap<>();
  private final TreeMap<String, byte[]> deleted = new TreeMap<>();
  private final TreeMap<String, Long> counts = new TreeMap<>();
  private List<String> late = List.of();
  private int faultOneIn; // 0 for never
  private int wrongOneIn; // 0 for never
  private long calls;
  private long killAt = Long.MAX_VALUE;
  private long version;
  private long faults;

  /// The process died in a call: before or after its effect.
  static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  SimulatedObjects(SplittableRandom random) {
    this.random = random;
  }

  /// One call of so many fails; 0 for none.
  void failOneIn(int calls) {
    faultOneIn = calls;
  }

  /// One object of so many is stored with a wrong byte, and the answer is as ever; 0 for none.
  void putWrongOneIn(int puts) {
    wrongOneIn = puts;
  }

  /// The process dies after so many calls.
  void killAfter(int more) {
    killAt = calls + more;
  }

  void kill(boolean never) {
    killAt = never ? Long.MAX_VALUE : killAt;
  }

  long faults() {
    return faults;
  }

  long calls() {
    return calls;
  }

  /// Calls by kind.
  Map<String, Long> counts() {
    return counts;
  }

  Map<String, byte[]> all() {
    return all;
  }

  /// Objects that are there no more.
  Map<String, byte[]> deleted() {
    return deleted;
  }

  /// The same objects with those that were deleted, without faults.
  ///
  /// @param without name of one that it lacks
  SimulatedObjects withDeleted(String without) {
    var whole = new SimulatedObjects(new SplittableRandom(0));
    deleted.forEach(whole::store);
    all.forEach(whole::store);
    whole.all.remove(without);
    return whole;
  }

  /// A call with an effect. Either the effect or the answer may be missing.
  private void change(String kind, Runnable effect) {
    counts.merge(kind, 1L, Long::sum);
    boolean first = random.nextBoolean();
    calls++;
    if (calls % LATE_CALLS == 0) {
      late = List.copyOf(all.keySet());
    }
    if (calls >= killAt) {
      if (first) {
        effect.run();
      }
      throw new Killed();
    }
    if (faultOneIn > 0 && random.nextInt(faultOneIn) == 0) {
      faults++;
      if (first) {
        effect.run();
      }
      throw new ObjectsException.Away("simulated: no answer");
    }
    effect.run();
  }

  @Override
  public void put(String name, Content content) {
    byte[] bytes;
    try (InputStream in = content.open()) {
      bytes = in.readAllBytes();
    } catch (IOException failure) {
      throw new AssertionError(failure);
    }
    if (bytes.length != content.bytes()) {
      throw new AssertionError("%s: %d of %d".formatted(name, bytes.length, content.bytes()));
    }
    if (wrongOneIn > 0 && name.startsWith("segments/") && random.nextInt(wrongOneIn) == 0) {
      bytes[random.nextInt(bytes.length)] ^= 1;
    }
    change("put", () -> store(name, bytes));
  }

  private void store(String name, byte[] bytes) {
    all.put(name, bytes.clone());
    versions.put(name, ++version);
  }

  private @Nullable String tag(String name) {
    Long now = versions.get(name);
    return now == null ? null : "v" + now;
  }

  @Override
  public @Nullable String putIf(String name, byte[] bytes, @Nullable String tag) {
    boolean[] done = {false};
    change(
        "putIf",
        () -> {
          if (Objects.equals(tag(name), tag)) {
            store(name, bytes);
            done[0] = true;
          }
        });
    return done[0] ? tag(name) : null;
  }

  @Override
  public @Nullable Read get(String name) {
    change("get", () -> {});
    byte[] bytes = all.get(name);
    return bytes == null ? null : new Read(bytes.clone(), Objects.requireNonNull(tag(name)));
  }

  @Override
  public byte @Nullable [] read(String name, long offset, int bytes) {
    change("read", () -> {});
    byte[] all = this.all.get(name);
    return all == null
        ? null
        : Arrays.copyOfRange(all, (int) offset, (int) Math.min(all.length, offset + bytes));
  }

  @Override
  public @Nullable InputStream open(String name) {
    change("open", () -> {});
    byte[] bytes = all.get(name);
    boolean breaks = faultOneIn > 0 && random.nextInt(faultOneIn) == 0;
    return bytes == null ? null : breaks ? new Torn(bytes) : new ByteArrayInputStream(bytes);
  }

  /// A stream that ends in the middle.
  private static final class Torn extends ByteArrayInputStream {
    Torn(byte[] bytes) {
      super(bytes, 0, bytes.length / 2);
    }

    @Override
    public int read(byte[] target) throws IOException {
      int got = super.read(target);
      if (got < 0) {
        throw new IOException("simulated: reset");
      }
      return got;
    }
  }

  @Override
  public @Nullable Found head(String name) {
    change("head", () -> {});
    byte[] bytes = all.get(name);
    return bytes == null ? null : new Found(bytes.length, Objects.requireNonNull(tag(name)));
  }

  @Override
  public List<String> list(String prefix) {
    change("list", () -> {});
    List<String> shown = faultOneIn > 0 && random.nextBoolean() ? late : List.copyOf(all.keySet());
    return shown.stream().filter(name -> name.startsWith(prefix)).toList();
  }

  @Override
  public void delete(String name) {
    change(
        "delete",
        () -> {
          byte[] bytes = all.remove(name);
          if (bytes != null) {
            deleted.put(name, bytes);
          }
          versions.remove(name);
        });
  }

  @Override
  public void tidy() {
    change("tidy", () -> {});
  }

  @Override
  public String toString() {
    return "simulated:";
  }
}
