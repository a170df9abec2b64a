package io.widerow.query.logql;

import java.time.DateTimeException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The functions of a language of templates.
///
/// - Threads: any.
interface TemplateLibrary {
  boolean has(String name);

  /// @throws TemplateRun.Failed when there is no such function, or the values do not fit it
  @Nullable Object call(String name, List<@Nullable Object> values, TemplateRun run)
      throws TemplateRun.Failed;

  /// A function.
  @FunctionalInterface
  interface Function {
    @Nullable Object of(TemplateFunctions.Arguments arguments) throws TemplateRun.Failed;
  }

  /// Functions by name.
  record Named(Map<String, Function> all) implements TemplateLibrary {
    @Override
    public boolean has(String name) {
      return all.containsKey(name);
    }

    @Override
    public @Nullable Object call(String name, List<@Nullable Object> values, TemplateRun run)
        throws TemplateRun.Failed {
      Function function = all.get(name);
      if (function == null) {
        throw new TemplateRun.Failed("function \"%s\" not defined".formatted(name));
      }
      run.begin(values);
      try {
        return run.end(function.of(new TemplateFunctions.Arguments(name, values, run)));
      } catch (ArithmeticException | DateTimeException wrong) {
        String why = String.valueOf(wrong.getMessage());
        why = why.equals("/ by zero") ? "runtime error: integer divide by zero" : why;
        throw new TemplateRun.Failed("error calling %s: %s".formatted(name, why));
      }
    }
  }
}
