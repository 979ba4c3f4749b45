import { submit } from '../../../submit.ts';
import { reportOf } from '../report-of.ts';

/** Deletes what was submitted for the job. */
export const POST = submit({ operation: 'delete_content', input: (_, { job_key }) => ({ job_key }), next: reportOf });
