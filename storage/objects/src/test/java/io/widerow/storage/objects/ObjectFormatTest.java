package io.widerow.storage.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.storage.embedded.BackupCut;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/// Goal: objects that were written by a release stay readable, and no damaged one is taken for
/// another. Method: golden files, which `-Dwrite=golden` writes again before 0.1.0; each byte is
/// flipped, and each end cut off.
class ObjectFormatTest {
  private static final Path GOLDEN = Path.of("src/test/resources/golden");
  private static final UUID STORE = new UUID(0x0123456789abcdefL, 0xfedcba9876543210L);
  private static final FrameObject.Key KEY = new FrameObject.Key(STORE, 7, 0x1a);

  private static FrameObject.Built frames() {
    var object = new FrameObject.Builder();
    object.begin(List.of(0L, 0L, 0L)); // an earlier object, whose arrays are used again
    object.add(1, MemorySegment.ofArray(new byte[1000]));
    object.begin(List.of(4L, 9L, BackupCut.NONE));
    object.add(0, MemorySegment.ofArray("five".getBytes(StandardCharsets.US_ASCII)));
    object.add(0, MemorySegment.ofArray("number six".getBytes(StandardCharsets.US_ASCII)));
    object.add(1, MemorySegment.ofArray("ten".getBytes(StandardCharsets.US_ASCII)));
    object.add(new BackupCut(1_700_000_000_000_000_001L, 3, List.of(5L, 9L, BackupCut.NONE)));
    object.add(new BackupCut(1_700_000_001_000_000_002L, 3, List.of(6L, 10L, BackupCut.NONE)));
    return object.build(KEY, 0x12345678);
  }

  private static byte[] bytes(ObjectStore.Content content) throws IOException {
    try (InputStream in = content.open()) {
      byte[] all = in.readAllBytes();
      assertEquals(content.bytes(), all.length);
      return all;
    }
  }

  private static Checkpoint checkpoint() {
    return new Checkpoint(
        7,
        2,
        1_700_000_000_500_000_000L,
        3,
        0x19,
        List.of(4L, 9L, BackupCut.NONE),
        List.of(
            new Checkpoint.Entry("FORMAT", 3, ContentDigest.of(new byte[] {1, 2, 3})),
            new Checkpoint.Entry(
                "segments/0000000000000001.seg", 1, ContentDigest.of(new byte[] {4}))));
  }

  private static byte[] golden(String name, byte[] now) throws IOException {
    Path file = GOLDEN.resolve(name);
    if ("golden".equals(System.getProperty("write"))) {
      Files.createDirectories(GOLDEN);
      Files.write(file, now);
    }
    return Files.readAllBytes(file);
  }

  @Test
  void goldenFramesAreRead() throws IOException {
    byte[] bytes = golden("frames.wj", bytes(frames()));
    assertArrayEquals(bytes, bytes(frames()));
    FrameObject read = FrameObject.read(KEY, bytes);
    assertEquals(frames().cuts(), read.cuts());
    assertEquals(0x12345678, read.crcBefore());
    List<String> shown = new ArrayList<>();
    read.frames((journal, frame) ->
        shown.add(
            journal
                + " "
                + new String(frame.toArray(ValueLayout.JAVA_BYTE), StandardCharsets.US_ASCII)));
    assertEquals(List.of("0 five", "0 number six", "1 ten"), shown);
    assertEquals(5, read.parts().get(0).lsnFirst());
    assertEquals(6, read.parts().get(0).lsnLast());
    assertEquals(0, read.parts().get(2).lsnFirst());
    assertEquals(BackupCut.NONE, read.parts().get(2).lsnLast());
  }

  @Test
  void aDamagedObjectOfFramesIsRefused() throws IOException {
    byte[] bytes = bytes(frames());
    for (int i = 0; i < bytes.length; i++) {
      byte[] bad = bytes.clone();
      bad[i] ^= 0x10;
      assertThrows(ObjectsException.Damaged.class, () -> FrameObject.read(KEY, bad));
      byte[] cut = java.util.Arrays.copyOf(bytes, i);
      assertThrows(ObjectsException.Damaged.class, () -> FrameObject.read(KEY, cut));
    }
    for (FrameObject.Key other :
        List.of(
            new FrameObject.Key(STORE, 7, 0x1b),
            new FrameObject.Key(STORE, 8, 0x1a),
            new FrameObject.Key(new UUID(1, 2), 7, 0x1a))) {
      var refused =
          assertThrows(ObjectsException.Damaged.class, () -> FrameObject.read(other, bytes));
      assertTrue(String.valueOf(refused.getMessage()).startsWith(other.object()));
    }
  }

  @Test
  void aGoldenCheckpointIsRead() throws IOException {
    byte[] bytes = golden("checkpoint.wc", checkpoint().toBytes());
    assertArrayEquals(bytes, checkpoint().toBytes());
    assertEquals(checkpoint(), Checkpoint.read(checkpoint().name(), bytes));
    assertEquals(
        List.of("state/FORMAT-039058c6f2c0cb49", "segments/0000000000000001-e52d9c508c502347.seg"),
        checkpoint().files().stream().map(Checkpoint.Entry::object).toList());
  }

  @Test
  void aDamagedCheckpointIsRefused() {
    byte[] bytes = checkpoint().toBytes();
    for (int i = 0; i < bytes.length; i++) {
      byte[] bad = bytes.clone();
      bad[i] ^= 0x01;
      assertThrows(ObjectsException.Damaged.class, () -> Checkpoint.read(checkpoint().name(), bad));
      byte[] cut = java.util.Arrays.copyOf(bytes, i);
      assertThrows(ObjectsException.Damaged.class, () -> Checkpoint.read(checkpoint().name(), cut));
    }
    assertThrows(
        ObjectsException.Damaged.class, () -> Checkpoint.read(Checkpoint.name(7, 3), bytes));
  }

  @Test
  void noFileIsWrittenOutsideOfTheStore() {
    for (String path : List.of("/etc/x", "../x", "a/../../x", "a//b", "./x")) {
      var forged =
          new Checkpoint(
              1,
              0,
              0,
              0,
              0,
              List.of(0L, BackupCut.NONE),
              List.of(new Checkpoint.Entry(path, 0, ContentDigest.of(new byte[0]))));
      assertThrows(
          ObjectsException.Damaged.class,
          () -> Checkpoint.read(forged.name(), forged.toBytes()),
          path);
    }
  }

  @Test
  void thePageHasTheLayout() throws IOException {
    String page = Files.readString(Path.of("../FORMAT-OBJECTS.md"));
    assertTrue(page.contains("| 58 | 6 | zero |"));
    assertEquals(64, FrameObject.HEAD_BYTES);
    byte[] magic = java.util.Arrays.copyOf(bytes(frames()), 8);
    assertEquals("WROWTAIL", new String(magic, StandardCharsets.US_ASCII));
    assertTrue(page.contains("the text `WROWTAIL`"));
    assertTrue(page.contains(Owner.FORMAT_TEXT.lines().findFirst().orElse("")));
  }
}
