package io.widerow.faults;

import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.StructLayout;
import java.util.stream.Collectors;

/// A layout as the format pages show it: a row for each field, with offset, size and name.
public final class LayoutRows {
  private LayoutRows() {}

  public static String of(StructLayout layout) {
    return layout.memberLayouts().stream()
        .map(field -> row(layout, field))
        .collect(Collectors.joining("\n"));
  }

  private static String row(StructLayout layout, MemoryLayout field) {
    String name = field.name().orElseThrow();
    long offset = layout.byteOffset(PathElement.groupElement(name));
    return "| %d | %d | `%s` |".formatted(offset, field.byteSize(), name);
  }
}
