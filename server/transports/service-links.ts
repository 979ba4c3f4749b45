/** Leads from any public document to the descriptions of the interfaces (RFC 8631, RFC 9727). */
export const serviceLinks =
  '</openapi.json>; rel="service-desc"; type="application/json", </docs>; rel="service-doc"; type="text/html", ' +
  '</.well-known/api-catalog>; rel="api-catalog"';
