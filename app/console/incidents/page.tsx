import { OpenIncident, TellMore } from '@/components/console/IncidentForms.tsx';
import { Incidents } from '@/components/purchases/Incidents.tsx';
import { perform } from '@/server/door/perform.ts';
import { may, neededFor } from '@/server/operation/operator-roles.ts';
import { show } from '../../show.tsx';
import { operatorContext, roleNow, titled } from '../operator.ts';
import { Told } from '../Told.tsx';

export const generateMetadata = titled('Incidents');

/** What everybody is told at /status, and the forms that tell more. */
export default show(async () => {
  const role = await roleNow();
  const { ctx } = await operatorContext();
  const { incidents } = (await perform('incidents', ctx, {})).body;
  const open = incidents.filter(({ resolved_at }) => resolved_at === null);
  return (
    <div className="max-w-page">
      <Told page="/console/incidents" done="Told to everybody, and recorded in the audit log." />
      <h1 className="text-h1">Incidents</h1>
      <p className="mt-2 text-dense text-ink-2">
        {may(role, 'open_incident')
          ? 'Each text is public at once and is not taken back: write nothing about a customer.'
          : `${neededFor('open_incident')}.`}
      </p>
      {may(role, 'open_incident') ? (
        <>
          {open.map((incident) => (
            <TellMore key={incident.incident_key} incident={incident} />
          ))}
          <OpenIncident />
        </>
      ) : null}
      <Incidents incidents={incidents} />
    </div>
  );
});
