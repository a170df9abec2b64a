package io.widerow.house;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeElement;
import java.lang.classfile.MethodModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The calls between methods of this project, read from class files as they are needed: whether a
/// method reaches a call, and over which methods.
///
/// A lambda counts as called where it is made, and the initializer of a class where the class is
/// instantiated or one of its static members is used. A call of a method that test classes override
/// reaches the overriding ones of the classes that [#add] was given.
final class Reach {
  private static final String ROOT = "io/widerow/";
  private static final String INITIALIZER = "<clinit>()V";

  private final Map<String, Optional<ClassModel>> classes = new HashMap<>();
  private final Map<String, Set<String>> below = new HashMap<>();
  private final Map<Call, List<Call>> calls = new HashMap<>();
  private final Map<String, Map<String, MethodModel>> methods = new HashMap<>();

  private final Set<Call> without = new HashSet<>(); // searched before: none of them reaches [#to]
  private final Predicate<Call> to;
  private final Predicate<Call> followed;

  /// @param to the methods to find
  /// @param followed which methods are looked into
  Reach(Predicate<Call> to, Predicate<Call> followed) {
    this.to = to;
    this.followed = followed;
  }

  /// A method, as call sites name it.
  ///
  /// @param owner internal name of the class
  /// @param method name and descriptor
  record Call(String owner, String method) {
    /// Class and method, without the descriptor.
    String name() {
      return owner + "." + method.substring(0, method.indexOf('('));
    }

    @Override
    public String toString() {
      return name().substring(owner.lastIndexOf('/') + 1);
    }
  }

  /// Makes a class known as one that may override methods of its superclass and interfaces.
  void add(ClassModel model) {
    String name = model.thisClass().asInternalName();
    classes.put(name, Optional.of(model));
    Deque<ClassModel> up = new ArrayDeque<>(List.of(model));
    while (!up.isEmpty()) {
      for (String parent : parents(up.pop())) {
        if (below.computeIfAbsent(parent, p -> new HashSet<>()).add(name)) {
          model(parent).ifPresent(up::push);
        }
      }
    }
  }

  /// A class of this project, none for one of a library.
  Optional<ClassModel> model(String name) {
    if (!name.startsWith(ROOT)) {
      return Optional.empty();
    }
    return classes.computeIfAbsent(name, unread -> Optional.ofNullable(read(unread)));
  }

  private static @Nullable ClassModel read(String name) {
    try (InputStream in = Reach.class.getResourceAsStream("/" + name + ".class")) {
      return in == null ? null : ClassFile.of().parse(in.readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<String> parents(ClassModel model) {
    return Stream.concat(model.superclass().stream(), model.interfaces().stream())
        .map(ClassEntry::asInternalName)
        .toList();
  }

  /// The shortest path from one of some methods to one of the methods to find; empty when there is
  /// none.
  List<Call> way(List<Call> from) {
    Map<Call, Call> before = new HashMap<>();
    Deque<Call> open = new ArrayDeque<>(from);
    Set<Call> seen = new HashSet<>(from);
    while (!open.isEmpty()) {
      Call call = open.poll();
      if (to.test(call)) {
        List<Call> way = new ArrayList<>();
        for (Call step = call; step != null; step = before.get(step)) {
          way.addFirst(step);
        }
        return way;
      }
      for (Call next : calls.computeIfAbsent(call, this::follow)) {
        if (!without.contains(next) && seen.add(next)) {
          before.put(next, call);
          open.add(next);
        }
      }
    }
    without.addAll(seen);
    return List.of();
  }

  /// What runs, or may, when a method is called.
  private List<Call> follow(Call call) {
    List<Call> next = new ArrayList<>();
    ClassModel model = model(call.owner()).orElse(null);
    if (model == null || !followed.test(call)) {
      return next;
    }
    Optional<MethodModel> declared = declared(model, call.method());
    if (declared.isPresent()) {
      declared.get().code().ifPresent(code -> code.forEach(element -> note(element, next)));
    } else {
      parents(model).forEach(parent -> next.add(new Call(parent, call.method())));
    }
    for (String under : below.getOrDefault(call.owner(), Set.of())) {
      if (!call.method().startsWith("<")
          && model(under).flatMap(known -> declared(known, call.method())).isPresent()) {
        next.add(new Call(under, call.method()));
      }
    }
    return next;
  }

  private Optional<MethodModel> declared(ClassModel model, String method) {
    String type = model.thisClass().asInternalName();
    return Optional.ofNullable(
        methods
            .computeIfAbsent(
                type, _ -> model.methods().stream().collect(Collectors.toMap(Reach::name, m -> m)))
            .get(method));
  }

  static String name(MethodModel method) {
    return method.methodName().stringValue() + method.methodType().stringValue();
  }

  private static void note(CodeElement element, List<Call> next) {
    switch (element) {
      case InvokeInstruction invoke -> {
        String owner = invoke.owner().asInternalName();
        next.add(new Call(owner, invoke.name().stringValue() + invoke.type().stringValue()));
        next.add(new Call(owner, INITIALIZER));
      }
      case InvokeDynamicInstruction dynamic -> {
        for (ConstantDesc argument : dynamic.bootstrapArgs()) {
          if (argument instanceof DirectMethodHandleDesc handle
              && handle.lookupDescriptor().startsWith("(")) { // others read a field
            String owner = handle.owner().descriptorString();
            next.add(
                new Call(
                    owner.substring(1, owner.length() - 1),
                    handle.methodName() + handle.lookupDescriptor()));
          }
        }
      }
      case FieldInstruction field ->
          next.add(new Call(field.owner().asInternalName(), INITIALIZER));
      case NewObjectInstruction made ->
          next.add(new Call(made.className().asInternalName(), INITIALIZER));
      default -> {}
    }
  }
}
