import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { amountText } from '@/components/purchases/Price.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';
import { fromText } from '@/server/kernel/money.ts';
import { price } from '@/server/service/terms.ts';

/** What stands in the fields: what a person typed, or the grant as it is. */
export interface GrantValues {
  per_check: string;
  per_day: string;
  in_total: string;
  /** The boxes that are ticked. */
  may: readonly string[];
}

/** A way to pay that whoever runs the service has set up. */
export type Rails = readonly ('card' | 'x402')[];

const limits = [
  ['per_check', 'Per check'],
  ['per_day', 'Per day'],
  ['in_total', 'In total'],
] as const;
type LimitName = (typeof limits)[number][0];

const payments = [
  ['card_saved', 'Pay with the saved card', 'Your bank may still ask you to approve.', 'card'],
  ['card_checkout', 'Send you a payment link', 'You pay each check yourself.', 'card'],
  ['x402', 'Pay by x402', 'From a wallet, with a stablecoin.', 'x402'],
] as const;

const permissions = [
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

/** What is wrong with the amount in a field; `too_low` can be saved, and lets nothing be bought. */
function faultOf(name: LimitName, typed: string): 'not_an_amount' | 'too_low' | null {
  if (name === 'in_total' && typed.trim() === '') return null;
  const amount = fromText(typed);
  if (amount === null) return 'not_an_amount';
  return amount < price ? 'too_low' : null;
}

/** Whether somebody with these values in the form can buy a check at all. */
export function canBuy(values: GrantValues, rails: Rails): boolean {
  return limits.every(([name]) => faultOf(name, values[name]) === null) && paysSomehow(values, rails);
}

function paysSomehow({ may }: GrantValues, rails: Rails): boolean {
  return payments.some(([name, , , rail]) => rails.includes(rail) && may.includes(name));
}

interface Props {
  values: GrantValues;
  /** What stands under each limit. */
  hints: Record<LimitName, string>;
}

/** The limits of an agent, as money fields. The first that is no amount has the focus. */
export function LimitFields({ values, hints }: Props) {
  const first = limits.find(([name]) => faultOf(name, values[name]) === 'not_an_amount')?.[0];
  return (
    <div className="grid gap-5 md:grid-cols-3">
      {limits.map(([name, label]) => {
        const fault = faultOf(name, values[name]);
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
                defaultValue={values[name]}
                maxLength={20}
                aria-describedby={`${name}-hint`}
                aria-invalid={fault === 'not_an_amount' || undefined}
                // biome-ignore lint/a11y/noAutofocus: after a refused form the reader is led to what to mend
                autoFocus={name === first}
              />
              <span className="text-ui text-ink-3">USD</span>
            </div>
            <p id={`${name}-hint`} className={fault === 'not_an_amount' ? 'error' : 'hint'}>
              {fault === 'not_an_amount' ? 'Type an amount such as 10.00.' : hints[name]}
            </p>
            {fault === 'too_low' ? (
              <Warning>Below the {amountText(price)} USD of a check: the agent can buy nothing.</Warning>
            ) : null}
          </div>
        );
      })}
    </div>
  );
}

function Warning({ children }: { children: ReactNode }) {
  return (
    <p className="tone-attention mt-1 flex gap-2 text-dense text-(--tone)">
      <TriangleAlert className="icon mt-0.5" />
      <span>{children}</span>
    </p>
  );
}

/** What an agent may do, as boxes. A way to pay that is not set up is not offered, and stays as it was granted. */
export function PermissionFields({ values, rails }: { values: GrantValues; rails: Rails }) {
  const offered = payments.filter(([, , , rail]) => rails.includes(rail));
  const others = payments.filter(([name, , , rail]) => !rails.includes(rail) && values.may.includes(name));
  return (
    <div className="space-y-4">
      {others.map(([name]) => (
        <input key={name} type="hidden" name="may" value={name} />
      ))}
      {[...offered, ...permissions].map(([name, label, effect]) => (
        <label key={name} className="flex gap-3">
          <input type="checkbox" className="check" name="may" value={name} defaultChecked={values.may.includes(name)} />
          <span>
            {label}
            <span className="block text-dense text-ink-3">{effect}</span>
          </span>
        </label>
      ))}
      {rails.includes('card') ? null : (
        <p className="flex gap-3 text-dense text-ink-3">
          <CircleAlert className="icon mt-0.5" />
          Cards are not set up here.
        </p>
      )}
      {paysSomehow(values, rails) ? null : <Warning>Without a way to pay the agent can buy nothing.</Warning>}
    </div>
  );
}
