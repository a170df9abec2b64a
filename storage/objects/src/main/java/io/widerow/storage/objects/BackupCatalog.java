package io.widerow.storage.objects;

import io.widerow.storage.embedded.BackupCut;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// What is under a prefix: checkpoints, and which of them with which objects of frames leads to a
/// time.
///
/// - Threads: one.
public final class BackupCatalog {
  private static final Pattern HEAD =
      Pattern.compile("\\{\"epoch\":\\d+,\"checkpoint\":\"([^\"]+)\",\"journal\":(\\d+)}\n");
  private static final long GAP_NANOS = 60_000_000_000L;
  private static final Pattern STORE_ID = Pattern.compile("(?s).*\\nid ([0-9a-f-]{36})\\n.*");

  private final ObjectStore objects;
  private final List<String> names; // of checkpoints after which each second counts, oldest first
  private final Kept kept;
  private final @Nullable String keptTag;
  private long headJournal = -1;
  private @Nullable String headCheckpoint;

  /// The way to a time.
  ///
  /// @param untilNanos cuts from this time on do not count
  /// @param frames number of the object after the last one of frames that must be there
  record Plan(Checkpoint checkpoint, UUID store, long untilNanos, long frames) {}

  /// A time between two spans in which something was acknowledged, and of which no second can be
  /// restored.
  public record Gap(String from, String until) {}

  /// A span of time that can be restored.
  ///
  /// @param checkpoints names of those in it
  /// @param from the first moment
  /// @param until the last cut
  /// @param bytes of the files of its last checkpoint
  public record Span(int epoch, List<String> checkpoints, String from, String until, long bytes) {}

  /// @throws ObjectsException.NotThere when there is no backup
  public BackupCatalog(ObjectStore objects) {
    this(objects, Set.of());
  }

  /// @param own checkpoints that are there, even if a list does not have them yet
  BackupCatalog(ObjectStore objects, Set<String> own) {
    this.objects = objects;
    Owner.requireBackup(objects);
    TreeSet<String> found = new TreeSet<>(own);
    objects.list(Checkpoint.DIRECTORY).stream().filter(Checkpoint::isName).forEach(found::add);
    ObjectStore.Read head = objects.get(CheckpointWriter.HEAD);
    if (head != null) {
      Matcher text = HEAD.matcher(new String(head.bytes(), StandardCharsets.US_ASCII));
      if (!text.matches() || !Checkpoint.isName(text.group(1))) {
        throw new ObjectsException.Damaged(CheckpointWriter.HEAD, "it names no checkpoint");
      }
      found.add(text.group(1)); // a list may be late
      headCheckpoint = text.group(1);
      headJournal = Long.parseLong(text.group(2));
    }
    ObjectStore.Read read = objects.get(Kept.OBJECT);
    kept = read == null ? Kept.ALL : Kept.read(read.bytes());
    keptTag = read == null ? null : read.tag();
    names = found.stream().filter(kept::isFrom).toList();
  }

  Kept kept() {
    return kept;
  }

  @Nullable String keptTag() {
    return keptTag;
  }

  /// Names of the checkpoints after which each second can be restored, oldest first.
  List<String> names() {
    return names;
  }

  /// The newest checkpoint; null when there is none.
  @Nullable Checkpoint newest() {
    return names.isEmpty() ? null : checkpoint(names.getLast());
  }

  /// Moment of the first of them; empty when there is none.
  String oldest() {
    return names.isEmpty() ? "" : checkpoint(names.getFirst()).at();
  }

  /// Moment of a checkpoint.
  String oldestOf(String name) {
    return checkpoint(name).at();
  }

  /// Single moments before the first span, oldest first.
  public List<String> points() {
    return kept.points().stream().map(point -> Checkpoint.Times.text(point.cutNanos())).toList();
  }

  Checkpoint checkpoint(String name) {
    ObjectStore.Read read = objects.get(name);
    if (read == null) {
      throw new ObjectsException.Damaged(name, "it is missing");
    }
    return Checkpoint.read(name, read.bytes());
  }

  /// The spans that can be restored, oldest first. Seconds between two are a gap.
  public List<Span> spans() {
    List<Span> spans = new ArrayList<>();
    for (int epoch : names.stream().map(Checkpoint::epochOf).distinct().toList()) {
      List<String> own = of(epoch);
      Checkpoint first = checkpoint(own.getFirst());
      Checkpoint last = checkpoint(own.getLast());
      BackupCut end = end(new Plan(last, store(last), untilOf(epoch), limitOf(last)));
      spans.add(
          new Span(
              epoch,
              own,
              first.at(),
              end == null ? last.at() : Checkpoint.Times.text(end.nanos()),
              last.bytes()));
    }
    return spans;
  }

  private List<String> of(int epoch) {
    return names.stream().filter(name -> Checkpoint.epochOf(name) == epoch).toList();
  }

  /// The last cut that a checkpoint leads to; null when there is none yet.
  private @Nullable BackupCut end(Plan plan) {
    BackupCut[] last = {null};
    for (long seq = plan.frames() - 1; seq >= plan.checkpoint().journal(); seq--) {
      FrameObject object = frames(plan, seq);
      for (BackupCut cut : object == null ? List.<BackupCut>of() : object.cuts()) {
        last[0] = reaches(plan, cut) ? cut : last[0];
      }
      if (last[0] != null) {
        return last[0];
      }
    }
    return null;
  }

  private long lastSeq(Checkpoint checkpoint) {
    List<String> listed = objects.list(FrameObject.directory(checkpoint.epoch()));
    long last = -1;
    if (!listed.isEmpty()) {
      String name = listed.getLast();
      String seq = name.substring(name.lastIndexOf('/') + 1, name.lastIndexOf('.'));
      last = Long.parseLong(seq, 16);
    }
    return isHeadOf(checkpoint) ? Math.max(last, headJournal - 1) : last;
  }

  private boolean isHeadOf(Checkpoint checkpoint) {
    return headCheckpoint != null && Checkpoint.epochOf(headCheckpoint) == checkpoint.epoch();
  }

  /// Number of the objects of frames that must exist.
  private long limitOf(Checkpoint checkpoint) {
    return lastSeq(checkpoint) + 1;
  }

  /// Cuts of an epoch count before the first checkpoint of a later one.
  private long untilOf(int epoch) {
    return names.stream()
        .filter(name -> Checkpoint.epochOf(name) > epoch)
        .findFirst()
        .map(name -> checkpoint(name).nanos())
        .orElse(Long.MAX_VALUE);
  }

  /// The best way to a time.
  ///
  /// @param atNanos the time; [Long#MAX_VALUE] for the newest state
  /// @throws ObjectsException.NotThere when the backup does not reach it
  Plan plan(long atNanos) {
    Plan plan = planOrNull(atNanos);
    if (plan == null) {
      plan = planOfPoint(atNanos);
    }
    if (plan != null) {
      return plan;
    }
    String oldest = names.isEmpty() ? "no checkpoint is there yet" : firstText();
    throw new ObjectsException.NotThere(
        "%s: nothing can be restored as of that time: %s".formatted(objects, oldest));
  }

  private String firstText() {
    return "the first checkpoint is of " + checkpoint(names.getFirst()).at();
  }

  /// The best way to a time within the span of which each second is kept; null when there is none.
  @Nullable Plan planOrNull(long atNanos) {
    int epoch = -1;
    long until = Long.MAX_VALUE;
    long frames = 0;
    for (String name : names.reversed()) {
      Checkpoint checkpoint = checkpoint(name);
      if (checkpoint.epoch() != epoch) {
        epoch = checkpoint.epoch();
        until = untilOf(epoch);
        frames = limitOf(checkpoint);
      }
      if (checkpoint.nanos() <= atNanos && checkpoint.nanos() < until) {
        long limit = atNanos == Long.MAX_VALUE ? until : Math.min(until, atNanos + 1);
        var plan = new Plan(checkpoint, store(checkpoint), limit, frames);
        if (first(plan) != null) {
          return plan;
        }
      }
    }
    return null;
  }

  private @Nullable Plan planOfPoint(long atNanos) {
    for (Kept.Point point : kept.points().reversed()) {
      if (point.cutNanos() <= atNanos) {
        Checkpoint checkpoint = checkpoint(point.checkpoint());
        return new Plan(checkpoint, store(checkpoint), point.cutNanos() + 1, point.frames());
      }
    }
    return null;
  }

  /// The first moment that a checkpoint leads to; null when there is none.
  Kept.@Nullable Point point(Checkpoint made) {
    return first(new Plan(made, store(made), untilOf(made.epoch()), limitOf(made)));
  }

  private Kept.@Nullable Point first(Plan plan) {
    var chain = new FrameChain(this, plan);
    for (FrameObject object = chain.next(); object != null; object = chain.next()) {
      for (BackupCut cut : object.cuts()) {
        if (reaches(plan, cut)) {
          return new Kept.Point(plan.checkpoint().name(), chain.seq(), cut.nanos());
        }
        if (cut.nanos() >= plan.untilNanos()) {
          return null;
        }
      }
    }
    return null;
  }

  /// The first checkpoint at or after a time; null when there is none.
  @Nullable String firstAt(long nanos) {
    return names.stream()
        .filter(name -> checkpoint(name).nanos() >= nanos)
        .findFirst()
        .orElse(null);
  }

  /// Times between two spans in which something was acknowledged, if they are long.
  List<Gap> gaps() {
    List<Gap> gaps = new ArrayList<>();
    BackupCut before = null;
    for (int epoch : names.stream().map(Checkpoint::epochOf).distinct().toList()) {
      Checkpoint last = checkpoint(of(epoch).getLast());
      Checkpoint first = checkpoint(of(epoch).getFirst());
      BackupCut begin = firstCut(new Plan(first, store(first), untilOf(epoch), limitOf(first)));
      if (before != null
          && begin != null
          && !begin.lsns().equals(before.lsns())
          && first.nanos() - before.nanos() > GAP_NANOS) {
        gaps.add(new Gap(Checkpoint.Times.text(before.nanos()), first.at()));
      }
      BackupCut end = end(new Plan(last, store(last), untilOf(epoch), limitOf(last)));
      before = end == null ? before : end;
    }
    return gaps;
  }

  private @Nullable BackupCut firstCut(Plan plan) {
    FrameObject first = frames(plan, plan.checkpoint().journal());
    return first == null || first.cuts().isEmpty() ? null : first.cuts().getFirst();
  }

  static boolean reaches(Plan plan, BackupCut cut) {
    return cut.nanos() < plan.untilNanos()
        && cut.follows(plan.checkpoint().changes(), plan.checkpoint().sealed());
  }

  /// An object of frames; null when there is none.
  @Nullable FrameObject frames(Plan plan, long seq) {
    var key = new FrameObject.Key(plan.store(), plan.checkpoint().epoch(), seq);
    ObjectStore.Read read = objects.get(key.object());
    return read == null ? null : FrameObject.read(key, read.bytes());
  }

  private UUID store(Checkpoint checkpoint) {
    Checkpoint.Entry format =
        checkpoint.files().stream()
            .filter(file -> file.path().equals("FORMAT"))
            .findFirst()
            .orElseThrow(
                () -> new ObjectsException.Damaged(checkpoint.name(), "it does not name FORMAT"));
    ObjectStore.Read read = objects.get(format.object());
    Matcher text =
        STORE_ID.matcher(read == null ? "" : new String(read.bytes(), StandardCharsets.US_ASCII));
    if (read == null
        || !ContentDigest.of(read.bytes()).equals(format.sha256())
        || !text.matches()) {
      throw new ObjectsException.Damaged(
          format.object(), read == null ? "it is missing" : "its contents are not what was put");
    }
    return UUID.fromString(text.group(1));
  }
}
