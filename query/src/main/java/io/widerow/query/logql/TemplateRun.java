package io.widerow.query.logql;

import io.widerow.query.logql.Template.Command;
import io.widerow.query.logql.Template.Node;
import io.widerow.query.logql.Template.Operand;
import io.widerow.query.logql.Template.Pipe;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Runs a template on one line. Values are texts, whole numbers, fractions, truth values, times,
/// lists and maps; null is Go's `nil`.
///
/// - Threads: one.
/// - Memory: the caller counts each text before it is made.
public final class TemplateRun {
  private static final int STEPS_MAX = 100_000;
  private static final int CALLS_MAX = 500; // one inside the other

  /// Reading so many characters of texts counts as a step.
  private static final int CHARS_OF_STEP = 256;

  /// `$`, and `.` at the top: all labels.
  private static final AllLabels LABELS = new AllLabels();

  private record AllLabels() {}

  private final Source source;
  private final TemplateLibrary library;
  private final Map<String, List<Node>> defined;
  private @Nullable Object root;
  private final CountedText out;
  private Deque<Map<String, @Nullable Object>> scopes = new ArrayDeque<>();
  private int calls;
  private long steps;
  private boolean counted; // the function that runs has counted its result

  /// The line.
  public interface Source {
    /// The value of a label; null when the line does not have it.
    @Nullable String label(String name);

    Map<String, String> labels();

    String line();

    long timeNanos();

    /// The time of the query, nanoseconds since the Unix epoch.
    long nowNanos();

    /// Counts a text before it is made.
    ///
    /// @throws RuntimeException when it may not be
    void made(long chars);

    /// Counts a text that a function returns, and that is not longer than what it was given.
    default void held(long chars) {}

    /// A long text for a regular expression, which ends with the query.
    default CharSequence watched(String text) {
      return text;
    }
  }

  /// The template does not fit the line.
  public static class Failed extends Exception {
    private static final long serialVersionUID = 1L;
    private static final int SHOWN_CHARS = 20;

    private final String place; // of the command; empty when none has failed
    private final String command;

    Failed(String why) {
      this(why, "", "");
    }

    private Failed(String why, String place, String command) {
      super(why, null, false, false);
      this.place = place;
      this.command = command;
    }

    /// The message of the template with a name, as Go words it.
    public String of(String name) {
      String shown =
          command.length() > SHOWN_CHARS ? command.substring(0, SHOWN_CHARS) + "..." : command;
      String where = "%s: executing \"%s\" at <%s>".formatted(place, name, shown);
      return "template: %s:%s: %s".formatted(name, place.isEmpty() ? "1" : where, getMessage());
    }
  }

  /// How a list of nodes ends.
  private enum End {
    DONE,
    BREAK,
    CONTINUE
  }

  /// The template does too much work on a line.
  public static final class TooLong extends Failed {
    private static final long serialVersionUID = 1L;

    TooLong() {
      super("template ran more than %d steps".formatted(STEPS_MAX));
    }
  }

  private TemplateRun(Template template, Source source, TemplateLibrary library, Object root) {
    this.source = source;
    this.defined = template.defined();
    this.library = library;
    this.root = root;
    this.out = new CountedText(source::made);
  }

  public static String render(Template template, Source source) throws Failed {
    return render(template, source, TemplateFunctions.LIBRARY, LABELS);
  }

  /// @param root the value of `$`, and of `.` at the top
  static String render(Template template, Source source, TemplateLibrary library, Object root)
      throws Failed {
    TemplateRun run = new TemplateRun(template, source, library, root);
    run.scopes.push(new TreeMap<>());
    End _ = run.nodes(template.nodes(), root);
    return run.out.toString();
  }

  Source source() {
    return source;
  }

  private void step() throws Failed {
    work(1);
  }

  private void work(long more) throws TooLong {
    steps += more;
    if (steps > STEPS_MAX) {
      throw new TooLong();
    }
  }

  /// Counts the reading of texts.
  void reads(long chars) throws TooLong {
    work(chars / CHARS_OF_STEP);
  }

  /// Counts a text that a function is about to make.
  void makes(long chars) {
    source.made(chars);
    counted = true;
  }

  /// Begins the call of a function, which may read its arguments.
  void begin(List<@Nullable Object> arguments) throws TooLong {
    counted = false;
    long chars = 0;
    for (Object argument : arguments) {
      chars += argument instanceof String text ? text.length() : 0;
    }
    reads(chars);
  }

  /// Ends it.
  @Nullable Object end(@Nullable Object result) {
    if (!counted && result instanceof String text) {
      source.held(text.length());
    }
    return result;
  }

  private End nodes(List<Node> nodes, @Nullable Object dot) throws Failed {
    for (Node node : nodes) {
      step();
      switch (node) {
        case Node.Literal(String text) -> out.append(text);
        case Node.Show(Pipe pipe) -> {
          Object value = pipe(pipe, dot);
          if (pipe.variables().isEmpty()) {
            out.append(GoFormat.shown(plain(value)));
          }
        }
        case Node.Branch branch -> {
          scopes.push(new TreeMap<>());
          Object value = pipe(branch.pipe(), dot);
          boolean holds = isTrue(plain(value));
          End end =
              nodes(
                  holds ? branch.then() : branch.otherwise(),
                  holds && branch.setsDot() ? value : dot);
          scopes.pop();
          if (end != End.DONE) {
            return end;
          }
        }
        case Node.Loop loop -> {
          End end = loop(loop, dot);
          if (end != End.DONE) {
            return end;
          }
        }
        case Node.Jump(boolean ends) -> {
          return ends ? End.BREAK : End.CONTINUE;
        }
        case Node.Call(String name, var pipe) -> call(name, pipe == null ? null : pipe(pipe, dot));
      }
    }
    return End.DONE;
  }

  private void call(String name, @Nullable Object value) throws Failed {
    List<Node> body = defined.get(name);
    if (body == null) {
      throw new Failed("template \"%s\" not defined".formatted(name));
    }
    if (++calls > CALLS_MAX) {
      throw new Failed("exceeded maximum template depth (%d)".formatted(CALLS_MAX));
    }
    Object outerRoot = root;
    Deque<Map<String, @Nullable Object>> outer = scopes;
    root = value;
    scopes = new ArrayDeque<>();
    scopes.push(new TreeMap<>());
    End _ = nodes(body, value);
    root = outerRoot;
    scopes = outer;
    calls--;
  }

  /// Returns the end of the list in which the loop is.
  private End loop(Node.Loop loop, @Nullable Object dot) throws Failed {
    scopes.push(new TreeMap<>());
    Pipe pipe = loop.pipe();
    Object over = plain(pipe(new Pipe(List.of(), false, pipe.commands()), dot));
    long count =
        switch (over) {
          case null -> 0;
          case List<?> list -> list.size();
          case Map<?, ?> map -> map.size();
          case Long number -> number;
          default -> throw new Failed("range can't iterate over " + GoFormat.shown(over));
        };
    Iterator<?> members = over instanceof Map<?, ?> map ? map.entrySet().iterator() : null;
    for (long i = 0; i < count; i++) {
      step();
      Object key = i;
      Object item = over instanceof List<?> list ? list.get((int) i) : i;
      if (members != null && members.next() instanceof Map.Entry<?, ?> member) {
        key = member.getKey();
        item = member.getValue();
      }
      if (each(loop, key, item) == End.BREAK) {
        break;
      }
    }
    End end = count <= 0 ? nodes(loop.otherwise(), dot) : End.DONE;
    scopes.pop();
    return end;
  }

  private End each(Node.Loop loop, @Nullable Object key, @Nullable Object item) throws Failed {
    scopes.push(new TreeMap<>());
    List<String> names = loop.pipe().variables();
    if (names.size() == 2) {
      declare(names.getFirst(), key);
    }
    if (!names.isEmpty()) {
      declare(names.getLast(), item);
    }
    End end = nodes(loop.each(), item);
    scopes.pop();
    return end;
  }

  private void declare(String name, @Nullable Object value) {
    scopes.getFirst().put(name, value);
  }

  private void assign(String name, @Nullable Object value) {
    for (Map<String, @Nullable Object> scope : scopes) {
      if (scope.containsKey(name)) {
        scope.put(name, value);
        return;
      }
    }
  }

  private @Nullable Object pipe(Pipe pipe, @Nullable Object dot) throws Failed {
    Object value = null;
    boolean isFirst = true;
    for (Command command : pipe.commands()) {
      step();
      value = command(command, dot, isFirst ? List.of() : listOf(value));
      isFirst = false;
    }
    for (String name : pipe.variables()) {
      if (pipe.declares()) {
        declare(name, value);
      } else {
        assign(name, value);
      }
    }
    return value;
  }

  private static List<@Nullable Object> listOf(@Nullable Object value) {
    List<@Nullable Object> one = new ArrayList<>(1);
    one.add(value);
    return one;
  }

  /// @param last the value of the command before it, if there is one
  private @Nullable Object command(
      Command command, @Nullable Object dot, List<@Nullable Object> last) throws Failed {
    Operand first = command.operands().getFirst();
    if (!(first instanceof Operand.Function(String name))) {
      if (command.operands().size() > 1 || !last.isEmpty()) {
        throw new Failed("can't give argument to non-function");
      }
      return value(first, dot);
    }
    boolean all = name.equals("and") || name.equals("or");
    List<@Nullable Object> arguments = new ArrayList<>();
    for (int i = 1; i < command.operands().size(); i++) {
      Object argument = value(command.operands().get(i), dot);
      if (all && isTrue(plain(argument)) == name.equals("or")) {
        return argument; // the others are not looked at
      }
      arguments.add(plain(argument));
    }
    for (Object one : last) {
      arguments.add(plain(one));
    }
    try {
      return library.call(name, arguments, this);
    } catch (TooLong failed) {
      throw failed;
    } catch (Failed failed) {
      throw new Failed(String.valueOf(failed.getMessage()), command.place(), command.text());
    }
  }

  private @Nullable Object value(Operand operand, @Nullable Object dot) throws Failed {
    return switch (operand) {
      case Operand.Constant(Object value) -> value;
      case Operand.Dot(List<String> path) -> fields(dot, path);
      case Operand.Variable(String name, List<String> path) -> fields(variable(name), path);
      case Operand.Nested(Pipe pipe, List<String> path) -> fields(pipe(pipe, dot), path);
      case Operand.Function(String name) -> library.call(name, List.of(), this);
    };
  }

  private @Nullable Object variable(String name) {
    if (name.equals("$")) {
      return root;
    }
    for (Map<String, @Nullable Object> scope : scopes) {
      if (scope.containsKey(name)) {
        return scope.get(name);
      }
    }
    return null;
  }

  private @Nullable Object fields(@Nullable Object of, List<String> path) throws Failed {
    Object value = of;
    for (String name : path) {
      if (value instanceof AllLabels) {
        String label = source.label(name);
        value = label == null ? "" : label;
      } else if (value instanceof Map<?, ?> map) {
        value = map.get(name);
      } else {
        throw new Failed(
            "can't evaluate field %s in type %s".formatted(name, GoFormat.typed(plain(value))));
      }
    }
    return value;
  }

  /// All labels as a map, when they are the value.
  private @Nullable Object plain(@Nullable Object value) {
    return value instanceof AllLabels ? source.labels() : value;
  }

  /// False for what is empty.
  static boolean isTrue(@Nullable Object value) {
    return switch (value) {
      case null -> false;
      case String text -> !text.isEmpty();
      case Long number -> number != 0;
      case Double number -> number != 0;
      case Boolean truth -> truth;
      case List<?> list -> !list.isEmpty();
      case Map<?, ?> map -> !map.isEmpty();
      default -> true;
    };
  }
}
