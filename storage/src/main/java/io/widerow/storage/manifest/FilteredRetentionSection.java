package io.widerow.storage.manifest;

import io.widerow.event.RetentionPolicy;
import io.widerow.storage.FilteredRetention;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/// The manifest's section of retention policies with a filter. A program that does not know it must
/// refuse the store: it would show events that a policy hides.
///
/// ```
///   count (2) of policies, in the order in which they were set, then each:
///     glob | age in ns (8) | grace in ns (8) | set at, ns since the Unix epoch (8) |
///     text of the filter | filter                      texts and filter as in FilterBytes
/// ```
///
/// @param policies in the order in which they were set
public record FilteredRetentionSection(List<FilteredRetention> policies) {
  public static final FilteredRetentionSection NONE = new FilteredRetentionSection(List.of());

  /// The most policies.
  public static final int COUNT_MAX = 256;

  private static final int TAG = ManifestSections.FILTERED_RETENTION | ManifestSections.REQUIRED;

  /// @throws IllegalArgumentException when there are too many
  public FilteredRetentionSection {
    policies = List.copyOf(policies);
    if (policies.size() > COUNT_MAX) {
      throw new IllegalArgumentException(
          "where: %d policies have a filter, and at most %d can"
              .formatted(policies.size(), COUNT_MAX));
    }
  }

  /// The section of a manifest.
  ///
  /// @throws IOException when the bytes are no such section
  static FilteredRetentionSection of(ManifestSections sections) throws IOException {
    byte[] bytes = sections.get(TAG);
    return bytes == null ? NONE : of(bytes);
  }

  /// @throws IllegalArgumentException when a part of a filter is opaque, such as a regular
  ///   expression
  public ManifestSections toSections() {
    return ManifestSections.of(TAG, toBytes());
  }

  /// @throws IllegalArgumentException as [#toSections]
  public byte[] toBytes() {
    return SectionBytes.of(out -> {
      out.writeShort(policies.size());
      for (FilteredRetention each : policies) {
        write(each, out);
      }
    });
  }

  private static void write(FilteredRetention each, DataOutputStream out) throws IOException {
    FilterBytes.write(each.glob(), out);
    out.writeLong(each.age().toNanos());
    out.writeLong(each.policy().grace().toNanos());
    out.writeLong(each.setNanos());
    FilterBytes.write(each.where(), out);
    FilterBytes.write(each.filter(), out);
  }

  /// @throws IOException when the bytes are no such section
  public static FilteredRetentionSection of(byte[] bytes) throws IOException {
    return SectionBytes.read(
        "filtered retention",
        bytes,
        in ->
            new FilteredRetentionSection(
                SectionBytes.list(in, in.readUnsignedShort(), FilteredRetentionSection::read)));
  }

  private static FilteredRetention read(DataInputStream in) throws IOException {
    String glob = FilterBytes.text(in);
    var age = Duration.ofNanos(in.readLong());
    var grace = Duration.ofNanos(in.readLong());
    long setNanos = in.readLong();
    return new FilteredRetention(
        new RetentionPolicy(
            glob, age, RetentionPolicy.UNLIMITED, grace, RetentionPolicy.Source.API),
        FilterBytes.text(in),
        FilterBytes.read(in),
        setNanos);
  }
}
