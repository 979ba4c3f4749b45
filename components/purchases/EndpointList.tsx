import { Instant } from '@/components/ui/Instant.tsx';
import { endpointsMax, type WebhookEndpoint } from '@/server/purchases/webhook-contract.ts';

interface Props {
  endpoints: WebhookEndpoint[];
  /** Whether the reader's role covers adding, removing and sending again. */
  mayChange: boolean;
}

/** The addresses that are told of events, with how that goes. Works without scripts. */
export function EndpointList({ endpoints, mayChange }: Props) {
  return (
    <section aria-labelledby="endpoints" className="mt-8">
      <div className="flex items-baseline justify-between gap-4 border-b border-ink pb-2">
        <h2 id="endpoints" className="text-h3">
          Addresses
        </h2>
        <span className="text-dense text-ink-3 tabular-nums">
          {endpoints.length} of {endpointsMax}
        </span>
      </div>
      {endpoints.length === 0 ? (
        <p className="py-3 text-ink-2">No address yet. Agents read the list of events themselves.</p>
      ) : null}
      <ul>
        {endpoints.map((endpoint) => (
          <li key={endpoint.endpoint_key} className="border-b border-line py-3">
            <p className="wrap-anywhere">{endpoint.url}</p>
            <Standing endpoint={endpoint} />
            {mayChange ? <Acts endpoint={endpoint} /> : null}
          </li>
        ))}
      </ul>
      {mayChange ? <Add /> : null}
    </section>
  );
}

function Standing({ endpoint: { added_at, told_at, failing } }: { endpoint: WebhookEndpoint }) {
  return (
    <>
      {failing === null ? null : (
        <p className="text-dense">
          Failing since <Instant at={failing.since} />, {failing.tries} {failing.tries === 1 ? 'try' : 'tries'}:{' '}
          {failing.failure} Next try <Instant at={failing.next_try_at} />
        </p>
      )}
      <p className="text-dense text-ink-3">
        Added <Instant at={added_at} />
        {told_at === null ? ', has taken no event yet' : ', took its last event '}
        {told_at === null ? null : <Instant at={told_at} />}
      </p>
    </>
  );
}

function Acts({ endpoint: { endpoint_key, url } }: { endpoint: WebhookEndpoint }) {
  return (
    <form action="/account/webhooks/resend" method="post" className="mt-2 flex flex-wrap items-end gap-2">
      <input type="hidden" name="endpoint" value={endpoint_key} />
      <div className="min-w-0 flex-1 basis-56">
        <label className="label" htmlFor={`after-${endpoint_key}`}>
          Send again what came after
        </label>
        <input
          id={`after-${endpoint_key}`}
          name="after"
          maxLength={80}
          autoComplete="off"
          placeholder="A webhook-id; empty for all that is kept"
          className="field"
        />
      </div>
      <button type="submit" className="btn">
        Send again
      </button>
      <button
        type="submit"
        formAction="/account/webhooks/remove"
        formNoValidate
        className="btn btn-danger"
        aria-label={`Remove ${url}`}
      >
        Remove
      </button>
    </form>
  );
}

function Add() {
  return (
    <form action="/account/webhooks/add" method="post" className="mt-4 flex flex-wrap items-end gap-3">
      <div className="min-w-0 flex-1 basis-56">
        <label className="label" htmlFor="url">
          New address
        </label>
        <input
          id="url"
          name="url"
          type="url"
          required
          maxLength={2_000}
          autoComplete="off"
          placeholder="https://"
          className="field"
        />
      </div>
      <button type="submit" className="btn btn-primary">
        Add address
      </button>
      <p className="w-full text-dense text-ink-3">Adding needs a fresh sign-in. Its secret is shown once.</p>
    </form>
  );
}
