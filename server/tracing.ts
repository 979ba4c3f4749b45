import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './kernel/log.ts';
import { traceWith } from './kernel/trace.ts';

/** What receives them may hang; a process that is told to stop does not wait for it. */
const patienceMs = 1_000;

/**
 * Has the spans of this process sent to `tracesUrl` over OTLP/HTTP, in batches and beside the work; without it nothing is
 * loaded. Resolves to what sends the last ones and ends it.
 */
export async function startTracing(tracesUrl: string | null, role: 'web' | 'worker'): Promise<() => Promise<void>> {
  if (tracesUrl === null) return async () => {};
  const [api, sdk, hooks, { resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  api.context.setGlobalContextManager(new hooks.AsyncLocalStorageContextManager().enable());
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      'service.name': process.env.OTEL_SERVICE_NAME ?? 'work-check',
      'service.instance.id': `${role}:${process.pid}`,
    }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: tracesUrl }) })],
  });
  traceWith(provider.getTracer('work-check'));
  log('tracing_ready', { role });
  return () => Promise.race([provider.shutdown().catch(() => {}), sleep(patienceMs, undefined, { ref: false })]);
}
