import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.regex.Pattern;

/** A purchase with what Java 17 brings: java.net.http as it comes, and no reader of JSON. */
class Buy {
  static final HttpClient client = HttpClient.newHttpClient();
  static final String baseUrl = System.getenv("BASE_URL");
  static final String owner = System.getenv("OWNER_URL");
  static final String rail = System.getenv("RAIL");

  static HttpRequest.Builder at(String path) {
    return HttpRequest.newBuilder(URI.create(baseUrl + "/api/agent/v1" + path))
        .header("authorization", "Bearer " + System.getenv("TOKEN"))
        .header("content-type", "application/json");
  }

  static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    var answer = client.send(request.build(), BodyHandlers.ofString());
    if (answer.statusCode() > 202 && answer.statusCode() != 402) {
      throw new Exception(answer.statusCode() + " " + answer.body());
    }
    return answer;
  }

  static String get(String path) throws Exception {
    return send(at(path).header("prefer", "wait=25").GET()).body();
  }

  static String post(String path, String body) throws Exception {
    return send(at(path).POST(BodyPublishers.ofString(body))).body();
  }

  /** The owner's wallet signs, or the owner's card pays. */
  static String ask(String path, String body) throws Exception {
    return send(HttpRequest.newBuilder(URI.create(owner + path)).POST(BodyPublishers.ofString(body))).body();
  }

  /** The first member of that name that is a string. */
  static String member(String json, String name) throws Exception {
    var found = Pattern.compile("\"" + name + "\":\\s*\"([^\"]*)\"").matcher(json);
    if (!found.find()) throw new Exception("no " + name + " in " + json);
    return found.group(1);
  }

  public static void main(String[] args) throws Exception {
    var quote = post("/checks", """
        {"request": "Say in one sentence how sales developed.",
         "work_product": "Sales rose 12% in 2025, from 100 to 112.",
         "evidence": [{"source": "annual report", "text": "Sales were 100 in 2024 and 112 in 2025."}],
         "max_price_microcents": 500000000,
         "idempotency_key": "{key}"}""".replace("{key}", java.util.UUID.randomUUID().toString()));
    var terms = "{\"terms_version\": \"" + member(quote, "terms_version") + "\"}";
    var job = "/jobs/" + member(post("/purchases/" + member(quote, "quote_key") + "/authorize", terms), "job_key");

    var order = "{\"rail\": \"" + rail + "\", \"idempotency_key\": \"" + rail + job + "\"}";
    var asked = send(at(job + "/payments").POST(BodyPublishers.ofString(order)));
    if (asked.statusCode() == 402) {
      var signature = ask("/sign", asked.body());
      send(at(job + "/payments").header("payment-signature", signature).POST(BodyPublishers.ofString(order)));
    } else {
      ask("/show", member(asked.body(), "continuation_url"));
    }

    while (member(get(job), "state").matches("queued|running")) {}
    var verdict = member(get(job + "/report"), "verdict");
    post(job + "/review", "{\"decision\": \"accept\"}");
    var paidBy = member(get(job + "/receipt"), "rail");
    if (!paidBy.equals(rail)) throw new Exception("the receipt names " + paidBy);
    System.out.println("The verdict is " + verdict + ".");
  }
}
