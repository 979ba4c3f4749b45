import { submit } from '../../../submit.ts';
import { reportOf } from '../report-of.ts';

/** Accepts or disputes the report that the form was shown with. A field left empty says nothing. */
export const POST = submit({
  operation: 'review',
  input: (fields, { job_key }) => ({
    ...Object.fromEntries(
      // A browser counts a line break as one character and sends two.
      [...fields]
        .map(([name, value]) => [name, value.replaceAll('\r\n', '\n')])
        .filter(([, value]) => value?.trim() !== ''),
    ),
    job_key,
  }),
  next: reportOf,
});
