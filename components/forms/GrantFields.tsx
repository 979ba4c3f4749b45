import { amountText } from '@/components/purchases/Price.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';
import { fromText } from '@/server/kernel/money.ts';

/** What stands in the fields: what a person typed, or the grant as it is. */
export interface GrantValues {
  per_check: string;
  per_day: string;
  in_total: string;
  /** The boxes that are ticked. */
  may: readonly string[];
}

const limits = [
  ['per_check', 'Per check'],
  ['per_day', 'Per day'],
  ['in_total', 'In total'],
] as const;

const permissions = [
  ['card_saved', 'Pay with the saved card', 'Your bank may still ask you to approve.'],
  ['card_checkout', 'Send you a payment link', 'You pay each check yourself.'],
  ['x402', 'Pay by x402', 'From a wallet, with a stablecoin.'],
  ['review_authority', 'Accept or dispute reports', 'Accepting makes the charge final.'],
  ['governed_refs', 'Share stored sources with the service', 'Off: the service sees only what the agent submits.'],
] as const;

/** The values of a grant as its fields show them. */
export function valuesOf(grant: GrantTerms): GrantValues {
  return {
    per_check: amountText(grant.per_job_limit_microcents),
    per_day: amountText(grant.daily_limit_microcents),
    in_total: grant.total_limit_microcents === null ? '' : amountText(grant.total_limit_microcents),
    may: [
      ...grant.payment_methods,
      ...(grant.review_authority ? ['review_authority'] : []),
      ...(grant.governed_refs ? ['governed_refs'] : []),
    ],
  };
}

interface Props {
  values: GrantValues;
  /** What stands under each limit. */
  hints: Record<'per_check' | 'per_day' | 'in_total', string>;
}

/** The limits of an agent, as money fields. */
export function LimitFields({ values, hints }: Props) {
  return (
    <div className="grid gap-5 md:grid-cols-3">
      {limits.map(([name, label]) => {
        const typed = values[name];
        const invalid = fromText(typed) === null && !(name === 'in_total' && typed.trim() === '');
        return (
          <div key={name}>
            <label className="label" htmlFor={name}>
              {label}
            </label>
            <div className="field">
              <input
                id={name}
                name={name}
                inputMode="decimal"
                autoComplete="off"
                defaultValue={typed}
                maxLength={20}
                aria-describedby={`${name}-hint`}
                aria-invalid={invalid || undefined}
              />
              <span className="text-ui text-ink-3">USD</span>
            </div>
            <p id={`${name}-hint`} className={invalid ? 'error' : 'hint'}>
              {invalid ? 'Type an amount such as 10.00.' : hints[name]}
            </p>
          </div>
        );
      })}
    </div>
  );
}

/** What an agent may do, as boxes. */
export function PermissionFields({ values }: { values: GrantValues }) {
  return (
    <div className="space-y-4">
      {permissions.map(([name, label, effect]) => (
        <label key={name} className="flex gap-3">
          <input type="checkbox" className="check" name="may" value={name} defaultChecked={values.may.includes(name)} />
          <span>
            {label}
            <span className="block text-dense text-ink-3">{effect}</span>
          </span>
        </label>
      ))}
    </div>
  );
}
