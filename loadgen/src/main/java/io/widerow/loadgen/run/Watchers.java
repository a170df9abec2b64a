package io.widerow.loadgen.run;

import java.util.List;
import org.HdrHistogram.Histogram;

/// Several watchers as one.
///
/// @param all in the order of notification
public record Watchers(List<RunWatcher> all) implements RunWatcher {
  public Watchers {
    all = List.copyOf(all);
  }

  @Override
  public void measuringBegins() {
    all.forEach(RunWatcher::measuringBegins);
  }

  @Override
  public void measuringEnds() {
    all.forEach(RunWatcher::measuringEnds);
  }

  @Override
  public void second(RunResult.Second second) {
    all.forEach(watcher -> watcher.second(second));
  }

  @Override
  public void interval(Histogram response) {
    all.forEach(watcher -> watcher.interval(response));
  }
}
