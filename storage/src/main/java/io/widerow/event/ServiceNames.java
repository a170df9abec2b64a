package io.widerow.event;

import java.util.List;

/// The labels that name the service of a stream, by precedence: the first one that a stream has
/// becomes the type of its events.
///
/// Source: grafana/loki, `pkg/validation/limits.go`, `discover_service_name`.
public final class ServiceNames {
  public static final List<String> LABELS =
      List.of(
          "service_name",
          "service",
          "app",
          "application",
          "app_name",
          "name",
          "app_kubernetes_io_name",
          "container",
          "container_name",
          "k8s_container_name",
          "component",
          "workload",
          "job",
          "k8s_job_name");

  private ServiceNames() {}
}
