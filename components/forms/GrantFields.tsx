import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { amountText } from '@/components/purchases/Price.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';
import { fromText } from '@/server/kernel/money.ts';
import { price } from '@/server/service/terms.ts';

/** The values of the fields: what was typed, or the current grant. */
export interface GrantValues {
  per_check: string;
  per_day: string;
  in_total: string;
  /** The ticked boxes. */
  may: readonly string[];
}

/** A configured way to pay. */
export type Rails = readonly ('card' | 'x402')[];

const limits = [
  ['per_check', 'Per check'],
  ['per_day', 'Per day'],
  ['in_total', 'In total'],
] as const;
type LimitName = (typeof limits)[number][0];

const payments = [
  ['card_saved', 'Pay with the saved card', 'Your bank may still ask you to approve a payment.', 'card'],
  ['card_checkout', 'Send you a payment link', 'You pay each check yourself.', 'card'],
  ['x402', 'Pay by x402', 'From a wallet, with a stablecoin.', 'x402'],
] as const;

const permissions = [
  ['review_authority', 'Accept or dispute reports', 'Accepting makes the charge final.'],
  ['governed_refs', 'Share stored sources with the service', 'Off: the service sees only what the agent submits.'],
] as const;

/** A grant as the fields show it. */
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

/** An amount's error. `too_low` can be saved, but then the agent cannot buy. */
function faultOf(name: LimitName, typed: string): 'not_an_amount' | 'too_low' | null {
  if (name === 'in_total' && typed.trim() === '') return null;
  const amount = fromText(typed);
  if (amount === null) return 'not_an_amount';
  return amount < price ? 'too_low' : null;
}

/** Whether a check can be bought at all with these values. */
export function canBuy(values: GrantValues, rails: Rails): boolean {
  return limits.every(([name]) => faultOf(name, values[name]) === null) && paysSomehow(values, rails);
}

function paysSomehow({ may }: GrantValues, rails: Rails): boolean {
  return payments.some(([name, , , rail]) => rails.includes(rail) && may.includes(name));
}

interface Props {
  values: GrantValues;
  /** The hint under each limit. */
  hints: Record<LimitName, string>;
}

/** An agent's limits as money fields. The first invalid one has the focus. */
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
                // biome-ignore lint/a11y/noAutofocus: after a refusal, focus the field to fix
                autoFocus={name === first}
              />
              <span className="text-ui text-ink-3">USD</span>
            </div>
            <p id={`${name}-hint`} className={fault === 'not_an_amount' ? 'error' : 'hint'}>
              {fault === 'not_an_amount' ? 'Enter an amount such as 10.00.' : hints[name]}
            </p>
            {fault === 'too_low' ? (
              <Warning>A check costs {amountText(price)} USD: with this limit the agent cannot buy anything.</Warning>
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

/** An agent's permissions as checkboxes. Unconfigured ways to pay are not offered and stay as granted. */
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
      {paysSomehow(values, rails) ? null : <Warning>Without a way to pay, the agent cannot buy anything.</Warning>}
    </div>
  );
}
