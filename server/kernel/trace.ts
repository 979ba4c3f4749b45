import {
  type Attributes,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';

/**
 * The tracer of this process; absent while traces are exported nowhere, which costs nothing. Next bundles the pages
 * apart, so it lives where both find it. Don't register it with OpenTelemetry: Next would send spans of its own, whose
 * attributes contain addresses with their query.
 */
const holder = globalThis as { workCheckTracer?: Tracer };

/** Exports every `traced` span through this tracer from now on. */
export function traceWith(tracer: Tracer): void {
  holder.workCheckTracer = tracer;
}

export const isTracing = (): boolean => holder.workCheckTracer !== undefined;

interface SpanOptions {
  /** Client: calls a provider. Consumer: takes a message. */
  kind?: 'client' | 'consumer' | 'server';
  /** Names, codes, keys and numbers: never content, an address with its query, or a secret. */
  attributes?: Attributes;
  /** A `traceparent` (W3C Trace Context) of ours to continue; by default the span's parent is the current one. */
  parent?: string | null;
}

const kinds = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER, server: SpanKind.SERVER } as const;

/** Runs `work` in a span, which fails with it. */
export function traced<T>(name: string, { kind, attributes, parent }: SpanOptions, work: () => Promise<T>): Promise<T> {
  const tracer = holder.workCheckTracer;
  if (!tracer) return work();
  const around = parent ? withParent(parent) : context.active();
  return tracer.startActiveSpan(
    name,
    { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes: attributes ?? {} },
    around,
    async (span) => {
      try {
        return await work();
      } catch (error) {
        // A message can quote input; an error's name cannot.
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

/** Adds attributes to the current span. */
export function noteOnSpan(attributes: Attributes): void {
  if (holder.workCheckTracer) trace.getActiveSpan()?.setAttributes(attributes);
}

/** The `traceparent` with which another process continues the current span; null without one. */
export function traceparent(): string | null {
  const span = holder.workCheckTracer ? trace.getActiveSpan()?.spanContext() : undefined;
  if (!span || !isSpanContextValid(span)) return null;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

function withParent(parent: string) {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(parent) ?? [];
  if (!traceId || !spanId || !flags) return ROOT_CONTEXT;
  const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return trace.setSpanContext(ROOT_CONTEXT, span);
}
