import { errorFields, log } from './log.ts';

/** Logs when a failure begins and ends, not each occurrence. */
export interface Outage {
  /** Notes that it has failed. */
  failed(error: unknown): void;
  /** Notes that it works. */
  works(): void;
}

/** Logs `${name}` at the first failure, and `${name}_over` with their number once it works again. */
export function outage(name: string): Outage {
  let failures = 0;
  return {
    failed(error) {
      failures += 1;
      if (failures === 1) log(name, errorFields(error));
    },
    works() {
      if (failures === 0) return;
      log(`${name}_over`, { failures });
      failures = 0;
    },
  };
}

/** The database of this process. */
export const databaseOutage: Outage = outage('database_unreachable');
