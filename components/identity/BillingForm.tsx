import { RuledSection } from '@/components/ui/RuledSection.tsx';
import type { Billing } from '@/server/identity/account-contract.ts';

interface Props {
  billing: Billing | null;
  mayChange: boolean;
}

/** Who buys, as it stands on receipts for the books. Works without scripts. */
export function BillingForm({ billing, mayChange }: Props) {
  return (
    <RuledSection id="billing" title="Receipts are made out to">
      {mayChange ? (
        <Fields billing={billing} />
      ) : (
        <p className="py-3 whitespace-pre-line wrap-anywhere text-ink-2">
          {billing === null ? 'Nobody yet: an owner of the account can say it here.' : textOf(billing)}
        </p>
      )}
    </RuledSection>
  );
}

const textOf = ({ name, address, tax_id }: Billing): string =>
  [name, address, tax_id === null ? null : `Tax number ${tax_id}`].filter(Boolean).join('\n');

function Fields({ billing }: { billing: Billing | null }) {
  return (
    <form action="/account/billing" method="post" className="mt-3 grid gap-3 sm:grid-cols-2">
      <label className="label grid gap-1">
        Company or person
        <input
          name="name"
          required
          maxLength={200}
          autoComplete="organization"
          defaultValue={billing?.name}
          className="field"
        />
      </label>
      <label className="label grid gap-1">
        Tax number, if you have one
        <input name="tax_id" maxLength={50} autoComplete="off" defaultValue={billing?.tax_id ?? ''} className="field" />
      </label>
      <label className="label grid gap-1 sm:col-span-2">
        Postal address
        <textarea
          name="address"
          required
          maxLength={500}
          rows={3}
          autoComplete="street-address"
          defaultValue={billing?.address}
          className="field"
        />
      </label>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 sm:col-span-2">
        <button type="submit" className="btn">
          Save
        </button>
        <p className="text-dense text-ink-3">It stands on every receipt, earlier ones included.</p>
      </div>
    </form>
  );
}
