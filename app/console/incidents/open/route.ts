import { incidentParts } from '@/server/availability/incident-contract.ts';
import { submit } from '../../operator.ts';

export const POST = submit({
  operation: 'open_incident',
  input: (fields) => ({
    title: fields.get('title') ?? '',
    text: fields.get('text') ?? '',
    impact: Object.fromEntries(
      incidentParts.flatMap((part) => {
        const impact = fields.get(part) ?? '';
        return impact === '' ? [] : [[part, impact]];
      }),
    ),
  }),
  next: () => '/console/incidents',
});
