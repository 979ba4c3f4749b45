import { submit } from '../../../submit.ts';
import { reportOf } from '../report-of.ts';
import { typedQuery } from '../typed.ts';

/** Accepts or disputes the report that the form was shown with. Empty fields count as absent. */
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
  next(fields, refused, params) {
    // Show fixable problems beside the form; after any other there is nothing to dispute.
    const isMendable = refused === 'validation_failed' && fields.get('decision') === 'dispute';
    if (refused === null)
      return {
        page: `/reports/${params.job_key}#review`,
        notice: fields.get('decision') === 'accept' ? 'report_accepted' : 'report_disputed',
      };
    if (!isMendable) return reportOf(fields, refused, params);
    return { page: `/reports/${params.job_key}/dispute?${typedQuery(fields)}`, notice: refused };
  },
});
