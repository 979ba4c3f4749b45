import { submit } from '../../../operator.ts';

export const POST = submit({
  operation: 'update_incident',
  input: (fields, { incident_key }) => ({ incident_key, text: fields.get('text') ?? '' }),
  next: () => '/console/incidents',
});
