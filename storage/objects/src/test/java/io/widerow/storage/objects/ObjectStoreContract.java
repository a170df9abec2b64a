package io.widerow.storage.objects;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What each kind of object store does, for the tests of each to call.
public final class ObjectStoreContract {
  private static final int NAMES = 6;
  private static final String NONE = "";
  private static final int DELETE = 2; // and those before it change something

  private ObjectStoreContract() {}

  /// Each call, one after the other, on a place without objects.
  public static void eachCall(ObjectStore objects) throws IOException {
    assertNull(objects.get("a/b"));
    assertNull(objects.head("a/b"));
    assertNull(objects.open("a/b"));
    objects.delete("a/b");
    assertEquals(List.of(), objects.list(""));
    assertNull(objects.putIf("a/b", new byte[] {3}, "\"0123456789abcdef0123456789abcdef\""));
    String first = objects.putIf("a/b", new byte[] {1}, null);
    assertNotNull(first);
    assertNull(objects.putIf("a/b", new byte[] {2}, null), "there is one");
    assertNull(
        objects.putIf("a/b", new byte[] {2}, "\"0123456789abcdef0123456789abcdef\""),
        "it has another tag");
    String second = objects.putIf("a/b", new byte[] {2}, first);
    assertNotNull(second);
    assertNotEquals(first, second);
    assertNull(objects.putIf("a/b", new byte[] {4}, first), "it was replaced");
    ObjectStore.Read read = objects.get("a/b");
    assertNotNull(read);
    assertArrayEquals(new byte[] {2}, read.bytes());
    assertNotNull(objects.putIf("a/b", new byte[] {5, 6}, read.tag()));
    ObjectStore.Found found = objects.head("a/b");
    assertNotNull(found);
    assertEquals(2, found.bytes());
    byte[] large = new byte[3 << 20];
    new SplittableRandom(1).nextBytes(large);
    objects.put("a/c-0123.seg", new BytesContent(large));
    assertArrayEquals(large, all(objects, "a/c-0123.seg"));
    assertArrayEquals(
        Arrays.copyOfRange(large, 1_000, 3_000), objects.read("a/c-0123.seg", 1_000, 2_000));
    assertArrayEquals(
        Arrays.copyOfRange(large, large.length - 10, large.length),
        objects.read("a/c-0123.seg", large.length - 10, 100));
    assertArrayEquals(new byte[0], objects.read("a/c-0123.seg", large.length + 5, 10));
    assertNull(objects.read("a/none", 0, 10));
    objects.put("a/d", new BytesContent(new byte[0]));
    assertArrayEquals(new byte[0], all(objects, "a/d"));
    objects.put("b/e", new BytesContent(new byte[1]));
    assertEquals(List.of("a/b", "a/c-0123.seg", "a/d"), objects.list("a/"));
    assertEquals(List.of("a/b", "a/c-0123.seg", "a/d", "b/e"), objects.list(""));
    objects.delete("a/b");
    assertNull(objects.get("a/b"));
    objects.tidy();
    for (String left : objects.list("")) {
      objects.delete(left);
    }
    assertEquals(List.of(), objects.list(""));
  }

  private static byte[] all(ObjectStore objects, String name) throws IOException {
    try (InputStream in = objects.open(name)) {
      assertNotNull(in, name);
      return in.readAllBytes();
    }
  }

  /// Random calls, any of which may fail. What a call that failed has done is not known; every
  /// other result is that of a map. Lists are not compared.
  ///
  /// @return calls that failed
  public static int random(ObjectStore objects, SplittableRandom random, int calls) {
    Map<String, Set<String>> may = new HashMap<>(); // contents that an object may have
    Map<String, String> tags = new HashMap<>(); // of the content that was read last
    int failed = 0;
    for (int call = 0; call < calls; call++) {
      String name = "r/" + random.nextInt(NAMES);
      Set<String> now = may.computeIfAbsent(name, _ -> new HashSet<>(Set.of(NONE)));
      String text = "%d-%s".formatted(call, "x".repeat(random.nextInt(3_000)));
      int kind = random.nextInt(6);
      try {
        call(kind, objects, name, now, text, tags);
      } catch (ObjectsException.Away away) {
        failed++;
        if (kind <= DELETE) {
          now.add(kind == DELETE ? NONE : text);
          tags.remove(name);
        }
      } catch (IOException broken) {
        failed++;
      }
    }
    return failed;
  }

  private static void call(
      int kind,
      ObjectStore objects,
      String name,
      Set<String> now,
      String text,
      Map<String, String> tags)
      throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    switch (kind) {
      case 0 -> {
        objects.put(name, new BytesContent(bytes));
        is(now, text);
        tags.remove(name);
      }
      case DELETE -> {
        objects.delete(name);
        is(now, NONE);
        tags.remove(name);
      }
      case 1 -> putIf(objects, name, bytes, now, text, tags);
      case 3 -> {
        ObjectStore.Read read = objects.get(name);
        seen(name, now, read == null ? null : read.bytes());
        if (read != null) {
          tags.put(name, read.tag());
        }
      }
      case 4 -> {
        try (InputStream in = objects.open(name)) {
          seen(name, now, in == null ? null : in.readAllBytes());
        }
      }
      default -> {
        ObjectStore.Found found = objects.head(name);
        long length = found == null ? 0 : found.bytes();
        assertTrue(
            now.stream().anyMatch(each -> each.length() == length),
            () ->
                "%s has %d bytes, expected one of %s".formatted(name, length, new TreeSet<>(now)));
      }
    }
  }

  private static void putIf(
      ObjectStore objects,
      String name,
      byte[] bytes,
      Set<String> now,
      String text,
      Map<String, String> tags) {
    String tag = tags.get(name);
    String put = objects.putIf(name, bytes, tag);
    boolean mayBeNone = now.contains(NONE);
    boolean mayBeSome = now.size() > (mayBeNone ? 1 : 0);
    if (put == null) {
      assertTrue(tag != null || mayBeSome, () -> name + ": there was none");
      assertTrue(tag == null || now.size() > 1, () -> name + ": it has that tag");
      if (tag == null) {
        now.remove(NONE);
      }
    } else {
      assertTrue(tag != null || mayBeNone, () -> name + ": there was one");
      is(now, text);
      tags.put(name, put);
    }
  }

  private static void is(Set<String> now, String text) {
    now.clear();
    now.add(text);
  }

  private static void seen(String name, Set<String> now, byte @Nullable [] read) {
    String text = read == null ? NONE : new String(read, StandardCharsets.US_ASCII);
    assertTrue(now.contains(text), () -> "%s is '%.20s'".formatted(name, text));
    is(now, text);
  }
}
