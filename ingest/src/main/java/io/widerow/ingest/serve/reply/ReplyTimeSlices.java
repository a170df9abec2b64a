package io.widerow.ingest.serve.reply;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import org.jspecify.annotations.Nullable;

/// The length of a thread's time slices (`sched_setattr`, Linux 6.12). A thread that wakes up takes
/// the processor of one with longer slices at once, unless it has had more than its share; else it
/// waits until the slice of the other is over, which is seen at a tick of up to 4 ms. The share of
/// the processor does not depend on the length. Older kernels ignore it.
///
/// ```
///   query     computes ...................|         | goes on
///   event loop                    wakes up | answers |
/// ```
public final class ReplyTimeSlices {
  private static final long LONGEST_NANOS = 100_000_000; // the kernel takes no longer ones
  private static final long SHORTEST_NANOS = 100_000; // and no shorter ones
  private static final int NICE_MIN = -20;
  private static final int POLICY_NORMAL = 0;
  private static final int CALLER = 0;
  private static final long CALL_X86_64 = 314; // numbers of sched_setattr
  private static final long CALL_GENERIC = 274;
  private static final int MACHINE_AT = 4 * 65; // in `struct utsname`
  private static final int NAMES_BYTES = 6 * 65;

  private static final StructLayout ATTRIBUTES =
      MemoryLayout.structLayout(
          JAVA_INT.withName("size"),
          JAVA_INT.withName("policy"),
          JAVA_LONG.withName("flags"),
          JAVA_INT.withName("nice"),
          JAVA_INT.withName("priority"),
          JAVA_LONG.withName("slice"),
          JAVA_LONG.withName("deadline"),
          JAVA_LONG.withName("period"));

  private static final @Nullable MemorySegment SYSCALL = SystemCalls.find("syscall");
  private static final long CALL = callNumber();

  private ReplyTimeSlices() {}

  /// Gives the calling thread the longest slices. Returns false where the system cannot do it.
  ///
  /// @param niceLeast the least niceness of the thread from now on; it is never lowered
  public static boolean lengthen(int niceLeast) {
    return set(LONGEST_NANOS, niceLeast);
  }

  /// Gives the calling thread the shortest slices. Returns false where the system cannot do it.
  static boolean shorten() {
    return set(SHORTEST_NANOS, NICE_MIN);
  }

  private static boolean set(long nanos, int niceLeast) {
    Integer now = Niceness.ofCaller();
    if (SYSCALL == null || now == null || CALL == 0) {
      return false;
    }
    try (Arena arena = Arena.ofConfined()) {
      int nice = Math.max(niceLeast, now);
      MemorySegment attributes = arena.allocate(ATTRIBUTES);
      attributes.set(JAVA_INT, at("size"), Math.toIntExact(ATTRIBUTES.byteSize()));
      attributes.set(JAVA_INT, at("policy"), POLICY_NORMAL);
      attributes.set(JAVA_INT, at("nice"), nice);
      attributes.set(JAVA_LONG, at("slice"), nanos);
      return SystemCalls.call(SYSCALL, CALL, CALLER, attributes.address(), 0) == 0;
    }
  }

  private static long at(String field) {
    return ATTRIBUTES.byteOffset(MemoryLayout.PathElement.groupElement(field));
  }

  /// The number of the call on this machine; 0 when it is not known.
  private static long callNumber() {
    MemorySegment uname = SystemCalls.find("uname");
    if (uname == null) {
      return 0;
    }
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment names = arena.allocate(NAMES_BYTES);
      if (SystemCalls.call(uname, names.address(), 0, 0) != 0
          || !names.getString(0).equals("Linux")) {
        return 0;
      }
      return switch (names.getString(MACHINE_AT)) {
        case "x86_64" -> CALL_X86_64;
        case "aarch64", "riscv64" -> CALL_GENERIC;
        default -> 0;
      };
    }
  }
}
