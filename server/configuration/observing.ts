import { z } from 'zod';

/** Where the process is watched from. The variables of OpenTelemetry keep the names that its specification gives them. */
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
  /** Where figures for Prometheus are served, apart from what the world reaches; null when nowhere. */
  metrics: { host: string; port: number; token: string | null } | null;
  /** Where traces are sent to, over OTLP/HTTP; null when nowhere. */
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

/** What no single variable shows: figures leave the machine for those alone who have the token. */
export function observingFaults({ METRICS_HOST: host, METRICS_PORT, METRICS_TOKEN }: ObservingVariables): string[] {
  if (METRICS_PORT === undefined || METRICS_TOKEN !== undefined || loopback.test(host)) return [];
  return ['METRICS_TOKEN is missing: METRICS_HOST is no loopback address, so others could read the figures'];
}
