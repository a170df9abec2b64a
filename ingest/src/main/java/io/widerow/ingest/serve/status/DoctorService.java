package io.widerow.ingest.serve.status;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.config.Tokens;
import io.widerow.ingest.doctor.Diagnosis;
import io.widerow.ingest.doctor.Doctor;
import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.doctor.TypeState;
import io.widerow.ingest.http.HttpResponses;
import io.widerow.ingest.http.HttpRoute;
import io.widerow.ingest.http.Parameters;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.query.sizing.TypePlan;
import io.widerow.storage.BuildVersion;
import io.widerow.storage.StoreVersions;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// `GET /v1/admin/doctor`: the findings for the operator, the worst first; and `GET
/// /v1/admin/plan`: each type's partitions compared with the layout that they would get now.
///
/// - Threads: any event loop.
public record DoctorService(Doctor doctor) {
  private static final String OF_CLUSTER =
      "the partitions of a store on a cluster are not planned through one of its daemons; widerow"
          + " layout plan --rows or --rate computes a described one";

  public List<HttpRoute> routes() {
    return List.of(
        HttpRoute.get("/v1/admin/doctor", Tokens.Scope.ADMIN, this::findings),
        HttpRoute.get("/v1/admin/plan", Tokens.Scope.ADMIN, this::plan));
  }

  private HttpResponse findings(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of());
    StringBuilder json = new StringBuilder("{\"version\":\"").append(BuildVersion.value());
    json.append("\",");
    appendVersions(json, doctor.versions());
    Finding.appendAll(json, doctor.findings());
    return HttpResponses.json(HttpStatus.OK, json.append("}\n").toString());
  }

  /// Appends the members `created` and `written`, each with a comma after it.
  ///
  /// @param versions of the store; null for a store that records none, which gets no members
  static void appendVersions(StringBuilder json, @Nullable StoreVersions versions) {
    if (versions != null) {
      HttpResponses.appendString(json.append("\"created\":"), versions.created());
      HttpResponses.appendString(json.append(",\"written\":"), versions.written()).append(',');
    }
  }

  private HttpResponse plan(ServiceRequestContext context, HttpRequest request)
      throws RequestRefused {
    Parameters.requireKnown(context.queryParams(), List.of());
    if (!doctor.plans()) {
      return HttpResponses.error(HttpStatus.NOT_IMPLEMENTED, OF_CLUSTER);
    }
    List<TypeState> types = doctor.types();
    StringBuilder json = new StringBuilder("{\"types\":[");
    String comma = "";
    for (TypeState type : types) {
      append(json.append(comma), type);
      comma = ",";
    }
    Finding.appendAll(json.append("],"), Diagnosis.ofPartitions(types));
    return HttpResponses.json(HttpStatus.OK, json.append("}\n").toString());
  }

  private static void append(StringBuilder json, TypeState type) {
    TypePlan plan = type.plan();
    HttpResponses.appendString(json.append("{\"type\":"), plan.type());
    json.append(",\"events\":").append(plan.events());
    json.append(",\"bytes\":").append(plan.bytes());
    json.append(",\"partitions\":").append(plan.partitions());
    json.append(",\"weight\":").append(decimals(plan.weight(), 3));
    json.append(",\"rate\":").append(decimals(type.perSecond(), 1));
    json.append(",\"width\":").append(plan.widthMinutes());
    json.append(",\"shards\":").append(plan.shards());
    json.append(",\"plannedWidth\":").append(plan.planned().widthMinutes());
    json.append(",\"plannedShards\":").append(plan.planned().shards());
    json.append(",\"verdict\":\"").append(type.verdict().text).append("\"}");
  }

  private static String decimals(double value, int digits) {
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
