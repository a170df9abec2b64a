package io.widerow.ingest.serve.page;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// Joins the modules of the page into one script, when the daemon starts: a browser sends one
/// request, not one for each level of imports, and one file compresses better than thirty.
///
/// ```
///   import { a, b as c } from "./x.js";    const x_js = (() => {
///   export const element = ...       ->      const { a, b: c } = y_js;
///                                            const element = ...
///                                            return { element };
///                                          })();
/// ```
///
/// A module follows its imports. Modules import by name or as a whole, each import and export is on
/// one line, and imports have no cycle; anything else is refused.
///
/// A script may be loaded after another one, by `await import("./later.js")`: it has the modules
/// that the first one lacks, imports the others from it, and exports what its last module exports.
final class PageScript {
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:\\* as (\\w+)|(\\{[^}]*})) from \"\\./([\\w-]+\\.js)\";$");
  private static final Pattern EXPORT =
      Pattern.compile("(?m)^export ((?:const|function|async function|class) (\\w+))");
  private static final Pattern LEFT = Pattern.compile("(?m)^(import|export)\\b.*$");

  private final UnaryOperator<String> read;
  private final Set<String> open = new LinkedHashSet<>();
  private final Set<String> done = new LinkedHashSet<>();
  private final StringBuilder script = new StringBuilder();

  private List<String> exported = List.of(); // by the module that was joined last

  private PageScript(UnaryOperator<String> read) {
    this.read = read;
  }

  /// Returns modules and all their imports as one script.
  ///
  /// @param modules in this order, except modules that are imported earlier
  /// @param read the text of a module by its name
  static String of(List<String> modules, UnaryOperator<String> read) {
    PageScript made = new PageScript(read);
    modules.forEach(made::add);
    return made.script.toString();
  }

  /// Returns two scripts: of a module and its imports, and of a module that is loaded after them.
  ///
  /// @param modules those of the first script, in this order; its last one is the name of the
  ///   script
  /// @param later those of the second script
  static List<String> inTwo(List<String> modules, List<String> later, UnaryOperator<String> read) {
    PageScript made = new PageScript(read);
    modules.forEach(made::add);
    String shared = made.done.stream().map(PageScript::variable).collect(Collectors.joining(", "));
    String first = made.script + "export { " + shared + " };\n";
    made.script.setLength(0);
    made.script.append("import { %s } from \"./%s\";\n".formatted(shared, modules.getLast()));
    later.forEach(made::add);
    String names = String.join(", ", made.exported);
    String last = variable(later.getLast());
    made.script.append("export const { %s } = %s;\n".formatted(names, last));
    return List.of(first, made.script.toString());
  }

  private void add(String name) {
    if (done.contains(name)) {
      return;
    }
    if (!open.add(name)) {
      throw new IllegalStateException("modules import each other: " + open + ", " + name);
    }
    String text = read.apply(name);
    Matcher imports = IMPORT.matcher(text);
    StringBuilder body = new StringBuilder();
    while (imports.find()) {
      add(imports.group(3));
      String of = imports.group(1) == null ? imports.group(2) : imports.group(1);
      imports.appendReplacement(
          body,
          Matcher.quoteReplacement(
              "const %s = %s;".formatted(of.replace(" as ", ": "), variable(imports.group(3)))));
    }
    imports.appendTail(body);
    List<String> names = new ArrayList<>();
    Matcher exports = EXPORT.matcher(body);
    String kept = exports.replaceAll(found -> declared(found.group(1), found.group(2), names));
    Matcher left = LEFT.matcher(kept);
    if (left.find()) {
      throw new IllegalStateException(name + " cannot be joined: " + left.group());
    }
    script.append("const ").append(variable(name)).append(" = (() => {\n").append(kept);
    script.append("return { ").append(String.join(", ", names)).append(" };\n})();\n");
    exported = names;
    open.remove(name);
    done.add(name);
  }

  private static String declared(String declaration, String name, List<String> names) {
    names.add(name);
    return Matcher.quoteReplacement(declaration);
  }

  private static String variable(String module) {
    return module.replace('-', '_').replace('.', '_');
  }
}
