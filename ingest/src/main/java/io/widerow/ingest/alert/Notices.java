package io.widerow.ingest.alert;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// Hands the alerts of groups to the Alertmanagers.
///
/// - Threads: any.
record Notices(Alertmanagers alertmanagers, AlertEngine.Settings settings) {
  private static final int EXTENT = 4; // intervals for which a firing alert is good

  /// Sends the alerts that fire, or fired lately.
  void send(RuleGroup group, GroupState state, long nowMillis) {
    long from = Math.max(state.at(), nowMillis); // one that is made up for ends no alert
    long until = from + EXTENT * Math.max(group.intervalMillis(), settings.resendMillis());
    List<Notice> notices = new ArrayList<>();
    for (int i = 0; i < group.rules().size(); i++) {
      String source = source(group.rules().get(i));
      GroupState.OfRule rule = state.rules().get(i);
      for (LateAlert late : rule.late()) {
        if (!late.delivered() || nowMillis - late.since() < settings.resendMillis()) {
          notices.add(Notice.late(late.alert(), source));
        }
      }
      for (ActiveAlert alert : rule.alerts().values()) {
        boolean resolved = alert.state() == ActiveAlert.State.INACTIVE;
        if (alert.state() != ActiveAlert.State.PENDING) {
          notices.add(
              new Notice(
                  alert.labels(),
                  alert.annotations(),
                  alert.firedAt(),
                  resolved ? alert.resolvedAt() : until,
                  resolved ? Notice.Kind.RESOLVED : Notice.Kind.FIRING,
                  source));
        }
      }
    }
    alertmanagers.offer(notices);
  }

  private String source(Rule rule) {
    return settings.externalUrl().isEmpty()
        ? ""
        : settings.externalUrl()
            + "/ui/?expr="
            + URLEncoder.encode(rule.expr().text(), StandardCharsets.UTF_8);
  }

  /// A state without alerts that were found late and have been sent for long enough.
  ///
  /// @param at of the next evaluation
  GroupState withoutDelivered(GroupState state, long at) {
    List<GroupState.OfRule> rules = new ArrayList<>();
    for (GroupState.OfRule rule : state.rules()) {
      List<LateAlert> left =
          rule.late().stream()
              .map(each -> each.withDelivered(alertmanagers.haveTaken(each.alert())))
              .filter(each -> at - each.since() <= keptMillis(each))
              .toList();
      rules.add(rule.withLate(left));
    }
    return new GroupState(state.at(), state.arrived(), rules);
  }

  private long keptMillis(LateAlert late) {
    return late.delivered() ? settings.resendMillis() : AlertSteps.KEPT_MILLIS;
  }
}
