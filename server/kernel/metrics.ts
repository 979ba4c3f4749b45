import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Prefix of all names except those of Node and its process. */
const prefix = 'work_check_';

/** Seconds. A check must be done after 600; long polls of up to 25 are not observed. */
const operationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const checkBuckets = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * What this process measures, in Prometheus' terms. Labels are words of the code (an operation, a state, a provider, a
 * network), never keys, addresses or content, so their number is bounded.
 */
export interface Metrics {
  readonly registry: Registry;
  readonly requests: Counter<'kind' | 'status'>;
  readonly operations: Counter<'operation' | 'status'>;
  readonly operationSeconds: Histogram<'operation'>;
  readonly reads: Counter<'server'>;
  readonly checks: Counter<'result'>;
  readonly checksFailed: Counter<'why'>;
  readonly checkSeconds: Histogram;
  readonly providerCalls: Counter<'provider' | 'result'>;
  readonly archiveCalls: Counter<'call' | 'result'>;
  readonly archiveAnswered: Gauge<'call'>;
  readonly roundFailures: Counter<'round'>;
  readonly roundEnded: Gauge<'round'>;
}

/** Next bundles the pages apart from the server that starts them: both use the process's one registry. */
const holder = globalThis as { workCheckMetrics?: Metrics };

holder.workCheckMetrics ??= openMetrics();
export const metrics: Metrics = holder.workCheckMetrics;

function openMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    requests: new Counter({
      name: `${prefix}http_requests_total`,
      help: 'Answered HTTP requests, by kind of address and status.',
      labelNames: ['kind', 'status'],
      registers,
    }),
    operations: new Counter({
      name: `${prefix}operations_total`,
      help: 'Operations requested over REST, MCP and pages, by status.',
      labelNames: ['operation', 'status'],
      registers,
    }),
    operationSeconds: new Histogram({
      name: `${prefix}operation_duration_seconds`,
      help: 'How long operations took, without those that waited for a change.',
      labelNames: ['operation'],
      buckets: operationBuckets,
      registers,
    }),
    reads: new Counter({
      name: `${prefix}replica_reads_total`,
      help: 'Reads that a replica may answer, by who did: replica, or primary.',
      labelNames: ['server'],
      registers,
    }),
    checks: new Counter({
      name: `${prefix}checks_total`,
      help: 'Checks this worker ran, by result: done, or broken and left to another worker.',
      labelNames: ['result'],
      registers,
    }),
    checksFailed: new Counter({
      name: `${prefix}checks_failed_total`,
      help: 'Checks that ended without a report, by why: a code of the check, or time, memory, error.',
      labelNames: ['why'],
      registers,
    }),
    checkSeconds: new Histogram({
      name: `${prefix}check_duration_seconds`,
      help: 'Duration of a check, from taking the job to delivering it.',
      buckets: checkBuckets,
      registers,
    }),
    providerCalls: new Counter({
      name: `${prefix}provider_calls_total`,
      help: 'Calls of this process to a provider, by result: answered, or failed.',
      labelNames: ['provider', 'result'],
      registers,
    }),
    ...archiveMetrics(registers),
    roundFailures: new Counter({
      name: `${prefix}round_failures_total`,
      help: 'Rounds of this worker that failed, by name.',
      labelNames: ['round'],
      registers,
    }),
    roundEnded: new Gauge({
      name: `${prefix}round_last_success_timestamp_seconds`,
      help: 'When a round of this worker last succeeded, by name.',
      labelNames: ['round'],
      registers,
    }),
  };
}

function archiveMetrics(registers: Registry[]): Pick<Metrics, 'archiveCalls' | 'archiveAnswered'> {
  return {
    archiveCalls: new Counter({
      name: `${prefix}archive_calls_total`,
      help: 'Reads and writes of the archive by this process, by result: answered, failed, or damaged once looked at.',
      labelNames: ['call', 'result'],
      registers,
    }),
    archiveAnswered: new Gauge({
      name: `${prefix}archive_last_success_timestamp_seconds`,
      help: 'When the archive last did for this process what it was asked: a read, or a write.',
      labelNames: ['call'],
      registers,
    }),
  };
}

/** Counts a call of a provider: failed if it rejects, or if `isAnswer` says so of what came. */
export async function counted<Came>(
  provider: string,
  call: Promise<Came>,
  isAnswer: (came: Came) => boolean = () => true,
): Promise<Came> {
  let result = 'failed';
  try {
    const came = await call;
    if (isAnswer(came)) result = 'answered';
    return came;
  } finally {
    metrics.providerCalls.inc({ provider, result });
  }
}

/** Whether a status of HTTP is an answer of a provider that works. */
export const isAnswer = (status: number): boolean => status < 500 && status !== 429;

/** A gauge that is computed when scraped. */
export function openGauge<Label extends string>(name: string, help: string, labelNames: Label[]): Gauge<Label> {
  return new Gauge({ name: `${prefix}${name}`, help, labelNames, registers: [metrics.registry] });
}
