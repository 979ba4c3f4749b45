import { setTimeout as sleep } from 'node:timers/promises';
import { log } from './kernel/log.ts';
import { traceWith } from './kernel/trace.ts';

/** The collector may hang; a stopping process does not wait for it. */
const patienceMs = 1_000;

/**
 * Exports this process's spans to `tracesUrl` over OTLP/HTTP, in background batches; without it, loads nothing.
 * Resolves to a function that flushes and stops.
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
