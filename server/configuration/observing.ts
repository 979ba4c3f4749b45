import { z } from 'zod';

/** How the process is observed. OpenTelemetry's variables keep their standard names. */
export const observingVariables = {
  METRICS_PORT: z.coerce.number().int().min(1).max(65_535).optional(),
  METRICS_HOST: z.string().min(1).default('127.0.0.1'),
  METRICS_TOKEN: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43,}$/, 'must be at least 32 random bytes in base64url (43 characters or more)')
    .optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an http:// or https:// address' })
    .optional(),
};
const ObservingVariables = z.object(observingVariables);
type ObservingVariables = z.infer<typeof ObservingVariables>;

export interface Observing {
  /** Where Prometheus metrics are served, apart from the public port; null for nowhere. */
  metrics: { host: string; port: number; token: string | null } | null;
  /** Where traces go, over OTLP/HTTP; null for nowhere. */
  tracesUrl: string | null;
}

export function observingOf(variables: ObservingVariables): Observing {
  const { METRICS_HOST: host, METRICS_PORT: port, METRICS_TOKEN: token = null } = variables;
  const endpoint = variables.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  return {
    metrics: port === undefined ? null : { host, port, token },
    tracesUrl: endpoint ? `${endpoint}/v1/traces` : null,
  };
}

const loopback = /^(?:127(?:\.\d+){3}|localhost|::1)$/;

/** A fault of several variables: metrics leave the machine only with a token. */
export function observingFaults({ METRICS_HOST: host, METRICS_PORT, METRICS_TOKEN }: ObservingVariables): string[] {
  if (METRICS_PORT === undefined || METRICS_TOKEN !== undefined || loopback.test(host)) return [];
  return ['METRICS_TOKEN is missing: METRICS_HOST is not a loopback address, so others could read the metrics'];
}
