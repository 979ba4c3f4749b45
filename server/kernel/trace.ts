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
 * The tracer of this process; none while traces are sent nowhere, and then nothing is measured. Next bundles the pages
 * apart, so it stands where both find it. It is not registered with OpenTelemetry: Next would send spans of its own, whose
 * attributes hold addresses with their query.
 */
const holder = globalThis as { workCheckTracer?: Tracer };

/** From now on what is `traced` becomes spans of this tracer. */
export function traceWith(tracer: Tracer): void {
  holder.workCheckTracer = tracer;
}

export const isTracing = (): boolean => holder.workCheckTracer !== undefined;

interface SpanOptions {
  /** What calls somebody else is a client; what takes a message is a consumer. */
  kind?: 'client' | 'consumer' | 'server';
  /** Names, codes, keys and numbers: never content, an address with its query, or a secret. */
  attributes?: Attributes;
  /** A `traceparent` (W3C Trace Context) of ours that goes on; without it the span belongs to the one it is made in. */
  parent?: string | null;
}

const kinds = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER, server: SpanKind.SERVER } as const;

/** Does `work` as a span, which fails as it does. */
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
        // A message can quote input; the name of an error cannot.
        span.setStatus({ code: SpanStatusCode.ERROR });
        span.setAttribute('error.type', error instanceof Error ? error.name : typeof error);
        throw error;
      } finally {
        span.end();
      }
    },
  );
}

/** Says something more about the span that is under way. */
export function noteOnSpan(attributes: Attributes): void {
  if (holder.workCheckTracer) trace.getActiveSpan()?.setAttributes(attributes);
}

/** What has the span under way go on in another process; null while there is none. */
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
