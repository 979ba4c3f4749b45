import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** Test files of more than 20 seconds, the longest first: `npm test` prints the slowest. */
export const longest = [
  'e2e/money-survives-crashes.e2e.ts',
  'e2e/customer-reads.e2e.ts',
  'e2e/operator-console.e2e.ts',
  'commands/demo.e2e.ts',
  'e2e/customer-confirms.e2e.ts',
  'e2e/purchase-model.e2e.ts',
  'e2e/operator-money.e2e.ts',
  'e2e/several-processes.e2e.ts',
  'e2e/customer-pays.e2e.ts',
  'e2e/customer-journey.e2e.ts',
  'sandbox/sandbox.e2e.ts',
  'e2e/customer-wallet.e2e.ts',
  'commands/postgres.e2e.ts',
  'e2e/doors.e2e.ts',
  'e2e/registration-model.e2e.ts',
  'commands/operator.integration.test.ts',
  'server/door/perform.integration.test.ts',
  'e2e/parallel.integration.test.ts',
  'server/worker/worker.integration.test.ts',
  'server/environment-faults.integration.test.ts',
  'e2e/restore.integration.test.ts',
  'server/purchases/archive/archive-operator.integration.test.ts',
  'client/work-check.integration.test.ts',
  'commands/rotate-keys.integration.test.ts',
  'server/purchases/work/remedies.integration.test.ts',
  'server/transports/metrics.integration.test.ts',
  'e2e/failover/failover.integration.test.ts',
  'server/payments/card/faults.integration.test.ts',
  'server/purchases/work/language-model.integration.test.ts',
  'server/worker/fairness.integration.test.ts',
  'server/worker/readiness.integration.test.ts',
  'server/transports/ways-to-pay.integration.test.ts',
  'server/wrong-clock.integration.test.ts',
  'server/purchases/receipt/receipt-keys.integration.test.ts',
  'server/payments/card/crossing.integration.test.ts',
  'server/purchases/work/turns.integration.test.ts',
  'server/worker/spare-place.integration.test.ts',
  'e2e/conformance.integration.test.ts',
  'e2e/examples.integration.test.ts',
  'e2e/fuzz/fuzz.integration.test.ts',
];

const placeOf = ({ moduleId }: TestSpecification): number => {
  const place = longest.findIndex((file) => moduleId.endsWith(`/${file}`));
  return place < 0 ? longest.length : place;
};

/**
 * Starts the longest files first, so that all processes end together. A fresh clone has no times of earlier runs, and
 * the size of a file says nothing: the longest one has four lines.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    // Projects stay apart, as the base leaves them.
    const projects = [...new Set(sorted.map(({ project }) => project.name))];
    return projects.flatMap((name) =>
      sorted.filter(({ project }) => project.name === name).sort((one, other) => placeOf(one) - placeOf(other)),
    );
  }
}
