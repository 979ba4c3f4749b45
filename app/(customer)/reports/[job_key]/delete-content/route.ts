import { submit } from '../../../submit.ts';
import { reportOf } from '../report-of.ts';

/** Deletes the job's submitted content. */
export const POST = submit({ operation: 'delete_content', input: (_, { job_key }) => ({ job_key }), next: reportOf });
