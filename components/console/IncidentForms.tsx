import { type Incident, incidentImpacts, incidentParts } from '@/server/availability/incident-contract.ts';
import { impactWords, partWords } from '@/server/availability/incident-words.ts';
import { titleMax, updateMax } from '@/server/console/contract/incidents.ts';

/** Opens an incident: a title, what it touches, and a first text. Works without scripts. */
export function OpenIncident() {
  return (
    <form action="/console/incidents/open" method="post" className="panel mt-6 space-y-4 p-5">
      <h2 className="text-h3">Open an incident</h2>
      <div>
        <label className="label" htmlFor="title">
          Title
        </label>
        <div className="field">
          <input id="title" name="title" required maxLength={titleMax} autoComplete="off" />
        </div>
      </div>
      <fieldset>
        <legend className="label">What it touches, one part at least</legend>
        <div className="mt-1 grid gap-3 sm:grid-cols-2">
          {incidentParts.map((part) => (
            <div key={part}>
              <label className="text-dense text-ink-2" htmlFor={part}>
                {partWords[part]}
              </label>
              <select id={part} name={part} defaultValue="" className="field w-full py-1.5 text-ui">
                <option value="">works</option>
                {incidentImpacts.map((impact) => (
                  <option key={impact} value={impact}>
                    {impactWords[impact]}
                  </option>
                ))}
              </select>
            </div>
          ))}
        </div>
      </fieldset>
      <Text id="text" label="What is known" />
      <button type="submit" className="btn btn-primary">
        Tell everybody
      </button>
    </form>
  );
}

/** Adds a text to an open incident, or resolves it with one. */
export function TellMore({ incident: { incident_key, title } }: { incident: Incident }) {
  const at = `/console/incidents/${incident_key}`;
  return (
    <form method="post" className="panel mt-6 space-y-4 p-5">
      <h2 className="text-h3 wrap-anywhere">{title}</h2>
      <Text id={`text-${incident_key}`} label="How it goes on, or ended" />
      <div className="flex flex-wrap gap-3">
        <button type="submit" className="btn" formAction={`${at}/update`}>
          Add this<span className="sr-only"> to {title}</span>
        </button>
        <button type="submit" className="btn btn-primary" formAction={`${at}/resolve`}>
          Resolve with this<span className="sr-only">: {title}</span>
        </button>
      </div>
    </form>
  );
}

function Text({ id, label }: { id: string; label: string }) {
  return (
    <div>
      <label className="label" htmlFor={id}>
        {label}
      </label>
      <div className="field">
        <textarea id={id} name="text" required maxLength={updateMax} rows={3} className="w-full" />
      </div>
    </div>
  );
}
