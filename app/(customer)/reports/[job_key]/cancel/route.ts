import { submit } from '../../../submit.ts';
import { reportOf } from '../report-of.ts';

/** Cancels the job. A payment that nobody has begun is withdrawn before. */
export const POST = submit({
  first: 'cancel_payment',
  operation: 'cancel',
  input: (_, { job_key }) => ({ job_key }),
  next: reportOf,
});
