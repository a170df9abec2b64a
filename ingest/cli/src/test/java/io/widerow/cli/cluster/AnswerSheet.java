package io.widerow.cli.cluster;

import io.widerow.query.QueryException;
import io.widerow.questions.Question;
import io.widerow.storage.EventStore;
import io.widerow.storage.StoreView;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.StringJoiner;

/// Answers of one store to many questions, by their hashes, to compare with those of other stores.
///
/// - Threads: one.
final class AnswerSheet {
  private static final int SHOWN_BYTES = 300;

  private final List<Question> questions;
  private final EventStore right;
  private final String position;
  private final Path directory;
  private final List<String> answers = new ArrayList<>();
  private final StringJoiner told = new StringJoiner(", ");

  /// @param right gives the right answers; asked again when an answer differs
  /// @param position of it, for tails
  /// @param directory gets what differs
  AnswerSheet(List<Question> questions, EventStore right, String position, Path directory) {
    this.questions = questions;
    this.right = right;
    this.position = position;
    this.directory = directory;
    for (Question question : questions) {
      answers.add(hash(question, right, position));
    }
  }

  /// How many different answers there are.
  int distinct() {
    return new HashSet<>(answers).size();
  }

  /// How many answers the other sheet has otherwise.
  int differences(AnswerSheet other) {
    int count = 0;
    for (int i = 0; i < answers.size(); i++) {
      count += answers.get(i).equals(other.answers.get(i)) ? 0 : 1;
    }
    return count;
  }

  /// Asks another store the first questions.
  ///
  /// @param state of that store, for people
  void compare(String state, EventStore store, String itsPosition, int count) throws IOException {
    long began = System.nanoTime();
    for (int i = 0; i < count; i++) {
      Question question = questions.get(i);
      String answer = hash(question, store, itsPosition);
      if (!answer.equals(answers.get(i))) {
        throw new AssertionError(
            "%s: question %d, %s: %s"
                    .formatted(state, i, question, difference(i, store, itsPosition))
                + "; right is "
                + answers.get(i)
                + ", got "
                + answer);
      }
    }
    String line =
        "%s: %d answers the same, %d s"
            .formatted(state, count, (System.nanoTime() - began) / 1_000_000_000);
    System.out.println(line);
    told.add(line);
  }

  private static String hash(Question question, EventStore store, String position) {
    Hash hash = new Hash();
    try (StoreView view = store.view()) {
      question.ask(view, position, hash);
      return hash.toString();
    } catch (QueryException refused) {
      return hash + ", then " + refused.getMessage();
    }
  }

  /// Asks both again, into files.
  private String difference(int index, EventStore store, String itsPosition) throws IOException {
    Path one = directory.resolve("right-" + index);
    Path two = directory.resolve("other-" + index);
    write(one, questions.get(index), right, position);
    write(two, questions.get(index), store, itsPosition);
    long at = Files.mismatch(one, two);
    return at < 0
        ? "asked again it is the same"
        : "first difference at byte %d:%n%s%n%s".formatted(at, around(one, at), around(two, at));
  }

  private static void write(Path file, Question question, EventStore store, String position)
      throws IOException {
    try (StoreView view = store.view();
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
      question.ask(view, position, out);
    } catch (QueryException refused) {
      Files.writeString(file.resolveSibling(file.getFileName() + ".refused"), refused.toString());
    }
  }

  private static String around(Path file, long at) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "r")) {
      bytes.seek(Math.max(0, at - SHOWN_BYTES));
      byte[] some = new byte[2 * SHOWN_BYTES];
      int read = Math.max(0, bytes.read(some));
      return new String(some, 0, read, StandardCharsets.UTF_8);
    }
  }

  @Override
  public String toString() {
    return told.toString();
  }

  private static final class Hash extends OutputStream {
    private final MessageDigest digest;
    private long bytes;

    Hash() {
      try {
        digest = MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException missing) {
        throw new IllegalStateException(missing);
      }
    }

    @Override
    public void write(int b) {
      digest.update((byte) b);
      bytes++;
    }

    @Override
    public void write(byte[] from, int offset, int length) {
      digest.update(from, offset, length);
      bytes += length;
    }

    @Override
    public String toString() {
      return bytes + " bytes, " + HexFormat.of().formatHex(digest.digest());
    }
  }
}
