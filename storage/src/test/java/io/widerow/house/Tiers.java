package io.widerow.house;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.MethodModel;
import java.lang.reflect.AccessFlag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/// The tests of a module that start a process, read from its class files, and the tags that keep
/// them out of the first tier.
final class Tiers {
  private static final Set<String> TESTS =
      Set.of("Test", "ParameterizedTest", "RepeatedTest", "TestFactory");
  private static final Set<String> AROUND =
      Set.of("BeforeAll", "BeforeEach", "AfterEach", "AfterAll");
  private static final Set<String> TAGS = Set.of("process", "browser", "deep", "faults", "cluster");
  private static final Set<String> STARTS =
      Set.of("java/lang/ProcessBuilder.start", "java/lang/Runtime.exec");

  /// These methods start git to find the commit for a report, and work without git.
  private static final Set<String> REPORTS =
      Set.of("io/widerow/faults/FaultRecords.commit", "io/widerow/loadgen/report/Machine.git");

  private final Reach reach =
      new Reach(call -> STARTS.contains(call.name()), call -> !REPORTS.contains(call.name()));
  private final List<ClassModel> types = new ArrayList<>();
  private final List<String> findings = new ArrayList<>();

  private Tiers() {}

  /// Each untagged test that reaches the start of a process, with the way there, and each tag that
  /// is none of the tiers'.
  ///
  /// @param testClasses where the class files are
  static List<String> findings(Path testClasses) throws IOException {
    Tiers tiers = new Tiers();
    try (var files = Files.walk(testClasses)) {
      files.filter(Tiers::isOfTests).sorted().forEach(tiers::add);
    }
    tiers.types.forEach(tiers::look);
    return tiers.findings;
  }

  private static boolean isOfTests(Path file) {
    return file.toString().endsWith(".class") && !file.toString().contains("jmh_generated");
  }

  private void add(Path file) {
    try {
      ClassModel type = ClassFile.of().parse(file);
      types.add(type);
      if (tests(type).isEmpty()) { // a test calls overriding methods of no other test
        reach.add(type);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void look(ClassModel type) {
    Set<String> tags = tags(type);
    tags.stream()
        .filter(tag -> !TAGS.contains(tag))
        .forEach(tag -> findings.add(name(type) + ": no tier has the tag " + tag));
    if (type.flags().has(AccessFlag.ABSTRACT)) {
      return; // its tests are looked at in each class that extends it
    }
    String owner = type.thisClass().asInternalName();
    Map<String, MethodModel> tests = tests(type);
    List<Reach.Call> around = new ArrayList<>(List.of(new Reach.Call(owner, "<clinit>()V")));
    for (ClassModel at = type; at != null; at = parent(at).orElse(null)) {
      boolean overrides = at == type && parent(at).isPresent();
      for (MethodModel method : at.methods()) {
        String name = Reach.name(method);
        if (!tests.containsKey(name) && (overrides || runsAround(method))) {
          around.add(new Reach.Call(at.thisClass().asInternalName(), name));
        }
      }
    }
    tests.forEach((name, method) -> {
      List<Reach.Call> from = new ArrayList<>(around);
      from.add(new Reach.Call(owner, name));
      Set<String> all = new TreeSet<>(tags);
      all.addAll(tagsOf(method));
      List<Reach.Call> way = all.isEmpty() ? reach.way(from) : List.of();
      if (!way.isEmpty()) {
        findings.add(name(type) + "." + method.methodName() + " starts a process: " + way);
      }
    });
  }

  private static boolean runsAround(MethodModel method) {
    return method.methodName().equalsString("<init>")
        || annotations(method).stream().anyMatch(AROUND::contains);
  }

  /// The tests of a class and its superclasses, by name and descriptor.
  private Map<String, MethodModel> tests(ClassModel type) {
    Map<String, MethodModel> tests = new LinkedHashMap<>();
    for (ClassModel at = type; at != null; at = parent(at).orElse(null)) {
      for (MethodModel method : at.methods()) {
        if (annotations(method).stream().anyMatch(TESTS::contains)) {
          tests.putIfAbsent(Reach.name(method), method);
        }
      }
    }
    return tests;
  }

  private Optional<ClassModel> parent(ClassModel type) {
    return type.superclass().flatMap(parent -> reach.model(parent.asInternalName()));
  }

  /// Of the class, its superclasses and the classes around it, as JUnit has it.
  private Set<String> tags(ClassModel type) {
    Set<String> tags = new TreeSet<>(tagsOf(type));
    parent(type).ifPresent(parent -> tags.addAll(tags(parent)));
    String name = type.thisClass().asInternalName();
    int nested = name.lastIndexOf('$');
    if (nested > 0) {
      reach.model(name.substring(0, nested)).ifPresent(around -> tags.addAll(tags(around)));
    }
    return tags;
  }

  private static Set<String> tagsOf(AttributedElement element) {
    Set<String> tags = new TreeSet<>();
    element
        .findAttribute(Attributes.runtimeVisibleAnnotations())
        .ifPresent(all ->
            all.annotations()
                .forEach(annotation -> {
                  String type = annotation.className().stringValue();
                  if (type.endsWith("/api/Tag;")) {
                    annotation.elements().forEach(part -> value(part, tags));
                  } else if (type.endsWith("/api/Tags;")) {
                    annotation.elements().forEach(part -> nested(part, tags));
                  }
                }));
    return tags;
  }

  private static void nested(AnnotationElement part, Set<String> tags) {
    if (part.value() instanceof AnnotationValue.OfArray array) {
      for (AnnotationValue value : array.values()) {
        if (value instanceof AnnotationValue.OfAnnotation tag) {
          tag.annotation().elements().forEach(element -> value(element, tags));
        }
      }
    }
  }

  private static void value(AnnotationElement part, Set<String> tags) {
    if (part.value() instanceof AnnotationValue.OfString text) {
      tags.add(text.stringValue());
    }
  }

  private static Set<String> annotations(MethodModel method) {
    Set<String> names = new TreeSet<>();
    method
        .findAttribute(Attributes.runtimeVisibleAnnotations())
        .ifPresent(all ->
            all.annotations()
                .forEach(annotation -> {
                  String type = annotation.className().stringValue();
                  names.add(type.substring(type.lastIndexOf('/') + 1, type.length() - 1));
                }));
    return names;
  }

  private static String name(ClassModel type) {
    String name = type.thisClass().asInternalName();
    return name.substring(name.lastIndexOf('/') + 1);
  }
}
