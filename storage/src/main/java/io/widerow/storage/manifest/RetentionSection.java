package io.widerow.storage.manifest;

import io.widerow.event.RetentionPolicy;
import io.widerow.event.RetentionPolicy.Source;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The manifest's section about retention: the current policies, and the earlier policies that
/// still keep events that a change hid.
///
/// ```
///   count (2) of policies, then each:
///     source (1): 0 configuration, 1 set while open | bytes of glob (1) | glob, UTF-8 |
///     age in ns (8), 0 for ever | bytes (8), the greatest long for no limit | grace in ns (8)
///   the policies that decide: count (2), then for each its number above (2)
///   count (2) of older lists, oldest first, then each: until when (8), count (2), numbers (2)
/// ```
///
/// @param policies the current policies, in the order in which they were set
/// @param held older lists: events that one of them keeps are not dropped yet
public record RetentionSection(List<RetentionPolicy> policies, List<Held> held) {
  /// The most policies, and the most older lists.
  public static final int COUNT_MAX = 1_024;

  private static final int SOURCE_CONFIG = 0;
  private static final int SOURCE_API = 1;

  /// A list of policies that decided before.
  ///
  /// @param untilNanos the time until which it protects events that a change hid, nanoseconds since
  ///   the Unix epoch
  public record Held(List<RetentionPolicy> policies, long untilNanos) {
    public Held {
      policies = List.copyOf(policies);
    }
  }

  public RetentionSection {
    policies = List.copyOf(policies);
    held = List.copyOf(held);
  }

  /// The section of a manifest; null when it has none.
  ///
  /// @throws IOException when the bytes are no such section
  static @Nullable RetentionSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(ManifestSections.RETENTION);
    return bytes == null ? null : of(bytes);
  }

  public ManifestSections toSections() {
    return ManifestSections.of(ManifestSections.RETENTION, toBytes());
  }

  byte[] toBytes() {
    Set<RetentionPolicy> distinct = new LinkedHashSet<>(policies);
    held.forEach(list -> distinct.addAll(list.policies));
    List<RetentionPolicy> table = List.copyOf(distinct);
    return SectionBytes.of(out -> {
      out.writeShort(table.size());
      for (RetentionPolicy policy : table) {
        write(out, policy);
      }
      write(out, policies, table);
      out.writeShort(held.size());
      for (Held list : held) {
        out.writeLong(list.untilNanos);
        write(out, list.policies, table);
      }
    });
  }

  private static void write(DataOutputStream out, RetentionPolicy policy) throws IOException {
    Duration age = policy.age();
    out.writeByte(policy.source() == Source.API ? SOURCE_API : SOURCE_CONFIG);
    SectionBytes.putShort(policy.glob(), out);
    out.writeLong(age == null ? 0 : age.toNanos());
    out.writeLong(policy.bytes());
    out.writeLong(policy.grace().toNanos());
  }

  private static void write(
      DataOutputStream out, List<RetentionPolicy> list, List<RetentionPolicy> table)
      throws IOException {
    out.writeShort(list.size());
    for (RetentionPolicy policy : list) {
      out.writeShort(table.indexOf(policy));
    }
  }

  static RetentionSection of(byte[] bytes) throws IOException {
    return SectionBytes.read("retention", bytes, RetentionSection::read);
  }

  private static RetentionSection read(DataInputStream in) throws IOException {
    List<RetentionPolicy> table =
        SectionBytes.list(in, in.readUnsignedShort(), RetentionSection::policy);
    List<RetentionPolicy> policies = list(in, table);
    List<Held> held = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      long until = in.readLong();
      held.add(new Held(list(in, table), until));
    }
    return new RetentionSection(policies, held);
  }

  private static RetentionPolicy policy(DataInputStream in) throws IOException {
    int source = in.readUnsignedByte();
    if (source != SOURCE_CONFIG && source != SOURCE_API) {
      throw new IOException("retention: source " + source);
    }
    String glob = SectionBytes.shortText(in);
    long age = in.readLong();
    return new RetentionPolicy(
        glob,
        age == 0 ? null : Duration.ofNanos(age),
        in.readLong(),
        Duration.ofNanos(in.readLong()),
        source == SOURCE_API ? Source.API : Source.CONFIG);
  }

  private static List<RetentionPolicy> list(DataInputStream in, List<RetentionPolicy> table)
      throws IOException {
    List<RetentionPolicy> list = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      int number = in.readUnsignedShort();
      if (number >= table.size()) {
        throw new IOException("retention: policy %d of %d".formatted(number, table.size()));
      }
      list.add(table.get(number));
    }
    return list;
  }
}
