package io.widerow.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Class loader for mutation tests: it loads this project's classes again, with some calls removed
/// or redirected. So a test can break a rule of the product without a switch in the product.
/// Assertions of the product are off, as in production, so only a test can find the broken rule.
///
/// - Threads: any.
public class PlantLoader extends ClassLoader {
  private static final String OURS = "io.widerow.";

  private final ClassDesc hooks;
  private final Map<String, List<Cut>> cuts = new HashMap<>();
  private final Map<Cut, Integer> done = new HashMap<>();

  /// Calls to remove or redirect in a method and in its lambdas.
  ///
  /// @param in name of the method's class
  /// @param owner class or interface of the called method
  /// @param nth which of the calls, from 0; -1 for all
  /// @param hook static method of the loader's hooks to call instead, with the object as first
  ///   argument; null for none, and the result is then null, zero or false
  public record Cut(
      String in, String method, Class<?> owner, String call, int nth, @Nullable String hook) {
    public static Cut out(Class<?> in, String method, Class<?> owner, String call) {
      return new Cut(in.getName(), method, owner, call, -1, null);
    }

    public static Cut to(Class<?> in, String method, Class<?> owner, String call, String hook) {
      return to(in.getName(), method, owner, call, hook);
    }

    /// The same for a class that is not accessible where the bug is planted.
    public static Cut to(String in, String method, Class<?> owner, String call, String hook) {
      return new Cut(in, method, owner, call, -1, hook);
    }

    public Cut only(int n) {
      return new Cut(in, method, owner, call, n, hook);
    }

    boolean isIn(String name) {
      return name.equals(method) || name.startsWith("lambda$" + method + "$");
    }

    boolean matches(InvokeInstruction call) {
      return call.name().equalsString(this.call)
          && call.owner().asSymbol().equals(ClassDesc.of(owner.getName()));
    }
  }

  /// @param hooks class whose methods replace others
  @SuppressWarnings("this-escape") // setDefaultAssertionStatus, which no subclass overrides
  public PlantLoader(Class<?> hooks, List<Cut> cuts) {
    super(PlantLoader.class.getClassLoader());
    this.hooks = ClassDesc.of(hooks.getName());
    setDefaultAssertionStatus(false);
    for (Cut cut : cuts) {
      this.cuts.merge(
          cut.in(), List.of(cut), (a, b) -> Stream.concat(a.stream(), b.stream()).toList());
    }
  }

  /// Number of calls removed or redirected in the classes loaded so far.
  public synchronized int done(Cut cut) {
    return done.getOrDefault(cut, 0);
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (!name.startsWith(OURS)) {
      return super.loadClass(name, resolve);
    }
    synchronized (getClassLoadingLock(name)) {
      Class<?> loaded = findLoadedClass(name);
      return loaded == null ? define(name) : loaded;
    }
  }

  private Class<?> define(String name) throws ClassNotFoundException {
    byte[] bytes;
    try (InputStream in = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
      if (in == null) {
        throw new ClassNotFoundException(name);
      }
      bytes = in.readAllBytes();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    List<Cut> here = cuts.getOrDefault(name, List.of());
    byte[] changed = here.isEmpty() ? bytes : changed(bytes, here);
    return defineClass(name, changed, 0, changed.length);
  }

  private byte[] changed(byte[] bytes, List<Cut> here) {
    var file =
        ClassFile.of(
            ClassFile.ClassHierarchyResolverOption.of(
                ClassHierarchyResolver.ofResourceParsing(getParent())
                    .orElse(ClassHierarchyResolver.defaultResolver())));
    byte[] result = bytes;
    for (Cut cut : here) {
      int[] seen = {0};
      CodeTransform code =
          (builder, element) -> {
            if (element instanceof InvokeInstruction call
                && cut.matches(call)
                && (cut.nth() < 0 || cut.nth() == seen[0]++)) {
              count(cut);
              replace(builder, call, cut.hook());
            } else {
              CodeElement same = element;
              builder.with(same);
            }
          };
      result =
          file.transformClass(
              file.parse(result),
              ClassTransform.transformingMethodBodies(
                  method -> cut.isIn(method.methodName().stringValue()), code));
    }
    return result;
  }

  private synchronized void count(Cut cut) {
    done.merge(cut, 1, Integer::sum);
  }

  private void replace(CodeBuilder builder, InvokeInstruction call, @Nullable String hook) {
    MethodTypeDesc type = call.typeSymbol();
    boolean isStatic = call.opcode() == Opcode.INVOKESTATIC;
    if (hook != null) {
      MethodTypeDesc full = isStatic ? type : type.insertParameterTypes(0, call.owner().asSymbol());
      builder.invokestatic(hooks, hook, full);
      return;
    }
    for (ClassDesc parameter : type.parameterList().reversed()) {
      if (TypeKind.from(parameter).slotSize() == 2) {
        builder.pop2();
      } else {
        builder.pop();
      }
    }
    if (!isStatic) {
      builder.pop();
    }
    if (!type.returnType().equals(ConstantDescs.CD_void)) {
      switch (TypeKind.from(type.returnType())) {
        case LONG -> builder.lconst_0();
        case DOUBLE -> builder.dconst_0();
        case FLOAT -> builder.fconst_0();
        case REFERENCE -> builder.aconst_null();
        default -> builder.iconst_0();
      }
    }
  }
}
