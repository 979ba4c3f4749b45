import { submit } from '../../../submit.ts';

export const POST = submit({
  operation: 'decide_approval',
  input: (fields, { approval_key }) => ({ approval_key, decision: fields.get('decision') ?? '' }),
  next: (_, refused, { approval_key }) =>
    refused === null ? `/approvals/${approval_key}` : { page: `/approvals/${approval_key}`, notice: refused },
});
