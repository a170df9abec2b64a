package io.widerow.cli;

import io.widerow.event.NearestName;
import io.widerow.event.TimeUuid;
import io.widerow.query.QueryException;
import io.widerow.query.RangeQuery;
import io.widerow.query.TypeGlobs;
import io.widerow.query.output.TextWriter;
import io.widerow.query.result.TypesResult;
import io.widerow.storage.Filter;
import io.widerow.storage.TypeInfo;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/// Hints for a query without results: the type does not exist, or its events are at other times.
///
/// @param types all types of the store
record EmptyResultHints(List<TypeInfo> types, ZoneId zone) {
  private static final int NAMED_MAX = 5;

  /// Tells a reader on standard error. A daemon that does not tell its types, because it is of an
  /// earlier version or has stopped since, is no failure of the query.
  ///
  /// @param nothing whether the query found no event
  /// @param types asks for all types of the store
  static void give(
      RangeQuery query, boolean nothing, Supplier<List<TypeInfo>> types, ZoneId zone, Shell shell) {
    if (!nothing && query.types().globs().size() < 2) {
      return;
    }
    try {
      EmptyResultHints advice = new EmptyResultHints(types.get(), zone);
      List<String> sentences = nothing ? advice.ofNothing(query) : advice.ofTypes(query.types());
      sentences.forEach(sentence -> shell.err().println("widerow query: " + sentence));
    } catch (QueryException.Remote unknown) {
      return;
    }
  }

  /// Warns a client that follows types that such a type does not exist yet.
  static void give(TypeGlobs followed, Supplier<List<TypeInfo>> types, Shell shell) {
    if (followed.globs().isEmpty()) {
      return;
    }
    try {
      new EmptyResultHints(types.get(), ZoneOffset.UTC)
          .ofTypes(followed)
          .forEach(
              sentence -> shell.err().println("widerow tail: " + sentence + "; waiting for it"));
    } catch (QueryException.Remote unknown) {
      return; // the first result will say why, if it is to be said
    }
  }

  /// A sentence for each type or glob of a query that no type of the store is.
  List<String> ofTypes(TypeGlobs asked) {
    List<String> sentences = new ArrayList<>();
    for (String glob : asked.globs()) {
      TypeGlobs one = new TypeGlobs(List.of(glob));
      if (types.stream().noneMatch(type -> one.test(type.type()))) {
        boolean pattern = glob.indexOf('*') >= 0 || glob.indexOf('?') >= 0;
        sentences.add(
            "%s %s%s"
                .formatted(
                    pattern ? "there is no type like" : "there is no type",
                    TextWriter.escaped(glob),
                    meant(glob)));
      }
    }
    return sentences;
  }

  private String meant(String glob) {
    List<String> names = types.stream().map(TypeInfo::type).toList();
    if (names.isEmpty()) {
      return "; no events are stored yet";
    }
    String nearest = NearestName.of(glob, names);
    if (nearest != null) {
      return "; the nearest is " + TextWriter.escaped(nearest);
    }
    String some =
        TextWriter.escaped(String.join(", ", names.subList(0, Math.min(NAMED_MAX, names.size()))));
    return names.size() > NAMED_MAX
        ? "; there are %d, such as %s: see `widerow explore types`".formatted(names.size(), some)
        : "; there is " + some;
  }

  /// The sentences for a query without events: those of [#ofTypes], or where the events are.
  List<String> ofNothing(RangeQuery query) {
    List<String> sentences = ofTypes(query.types());
    if (!sentences.isEmpty() || query.after() != null) {
      return sentences;
    }
    TypeInfo all = null;
    int count = 0;
    for (TypeInfo type : types) {
      if (query.types().test(type.type())) {
        all = all == null ? type : all.and(type);
        count++;
      }
    }
    if (all == null) {
      return List.of("no events are stored yet");
    }
    boolean beside =
        all.timeLastNanos() < query.fromNanos() || all.timeFirstNanos() >= query.untilNanos();
    boolean bounded =
        query.fromNanos() > TimeUuid.NANOS_MIN || query.untilNanos() < TimeUuid.NANOS_LIMIT;
    boolean certain = beside || (bounded && query.filter() instanceof Filter.Everything);
    return certain ? List.of(elsewhere(all, count, query)) : List.of();
  }

  private String elsewhere(TypeInfo all, int count, RangeQuery query) {
    String of =
        query.types().globs().isEmpty()
            ? ""
            : " of " + TextWriter.escaped(String.join(", ", query.types().globs()));
    return "no events%s %s; %s lie between %s and %s"
        .formatted(
            of,
            range(query),
            of.isEmpty() ? "the stored events" : count == 1 ? "its events" : "their events",
            TypesResult.time(all.timeFirstNanos(), zone),
            TypesResult.time(all.timeLastNanos(), zone));
  }

  private String range(RangeQuery query) {
    String from = TypesResult.time(query.fromNanos(), zone);
    if (query.untilNanos() == TimeUuid.NANOS_LIMIT) {
      return "since " + from;
    }
    String to = TypesResult.time(query.untilNanos(), zone);
    return query.fromNanos() == TimeUuid.NANOS_MIN
        ? "before " + to
        : "between %s and %s".formatted(from, to);
  }
}
