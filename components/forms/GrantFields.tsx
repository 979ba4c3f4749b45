import { CircleAlert, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { amountText } from '@/components/purchases/Price.tsx';
import type { GrantTerms } from '@/server/identity/contract.ts';
import { fromText } from '@/server/kernel/money.ts';
import { grantMethods, type RailName, railNames, railWords } from '@/server/payments/contract.ts';
import { price } from '@/server/service/terms.ts';

/** The values of the fields: what was typed, or the current grant. */
export interface GrantValues {
  per_check: string;
  per_day: string;
  in_total: string;
  /** Above this the person is asked; empty for never. */
  ask_above: string;
  /** The end, in UTC, as `2026-12-01T18:00`; empty for none. */
  ends: string;
  /** The ticked boxes. */
  may: readonly string[];
}

/** A configured way to pay. */
export type Rails = readonly RailName[];

const limits = [
  ['per_check', 'Per check'],
  ['per_day', 'Per day'],
  ['in_total', 'In total'],
] as const;
type LimitName = (typeof limits)[number][0];

const permissions = [
  ['review_authority', 'Accept or dispute reports', 'Accepting makes the charge final.'],
  ['governed_refs', 'Share stored sources with the service', 'Off: the service sees only what the agent submits.'],
] as const;

const asking = [
  'may_ask_above_limits',
  'Ask you when a limit is in the way',
  'You decide about each such purchase; a yes lets that one pass.',
] as const;

/** A grant as the fields show it. */
export function valuesOf(grant: GrantTerms): GrantValues {
  return {
    per_check: amountText(grant.per_job_limit_microcents),
    per_day: amountText(grant.daily_limit_microcents),
    in_total: grant.total_limit_microcents === null ? '' : amountText(grant.total_limit_microcents),
    ask_above: grant.approval_above_microcents === null ? '' : amountText(grant.approval_above_microcents),
    ends: grant.expires_at?.slice(0, 16) ?? '',
    may: [
      ...grant.payment_methods,
      ...(grant.may_ask_above_limits ? [asking[0]] : []),
      ...(grant.review_authority ? ['review_authority'] : []),
      ...(grant.governed_refs ? ['governed_refs'] : []),
    ],
  };
}

/** What is suggested for an agent's request: room for one check at a time, and otherwise what it asked for. */
export function suggestedValues(grant: GrantTerms): GrantValues {
  const perCheck = Math.min(grant.per_job_limit_microcents, Number(price));
  return valuesOf({ ...grant, per_job_limit_microcents: perCheck });
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
  return grantMethods.some(({ method, rail }) => rails.includes(rail) && may.includes(method));
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
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 md:grid-cols-3">
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
      {values.ends === '' ? (
        <p className="-mb-3 text-dense text-ink-2 md:col-span-3">
          No end is set: this holds until you change it or stop the agent.
        </p>
      ) : null}
      <FurtherLimits values={values} />
    </div>
  );
}

/** The end of the grant, and the price above which the person is asked first. */
function FurtherLimits({ values }: Pick<Props, 'values'>) {
  const { ask_above, ends } = values;
  const isWrong = ask_above.trim() !== '' && fromText(ask_above) === null;
  return (
    <details className="md:col-span-3" open={ask_above !== '' || ends !== ''}>
      <summary className="link w-fit cursor-pointer py-1 text-dense">Ask me first, or end it on a day</summary>
      <div className="mt-3 grid gap-5 md:grid-cols-2">
        <div>
          <label className="label" htmlFor="ask_above">
            Ask me above
          </label>
          <div className="field">
            <input
              id="ask_above"
              name="ask_above"
              inputMode="decimal"
              autoComplete="off"
              defaultValue={ask_above}
              maxLength={20}
              aria-describedby="ask_above-hint"
              aria-invalid={isWrong || undefined}
            />
            <span className="text-ui text-ink-3">USD</span>
          </div>
          <p id="ask_above-hint" className={isWrong ? 'error' : 'hint'}>
            {isWrong ? 'Enter an amount such as 10.00.' : 'Empty: never. 0 asks you about each check, by letter'}
          </p>
        </div>
        <div>
          <label className="label" htmlFor="ends">
            Ends, in UTC
          </label>
          <div className="field">
            <input id="ends" name="ends" type="datetime-local" defaultValue={ends} aria-describedby="ends-hint" />
          </div>
          <p id="ends-hint" className="hint">
            From then on it buys nothing. Empty for no end
          </p>
        </div>
      </div>
    </details>
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

interface Permissions {
  values: GrantValues;
  rails: Rails;
  /** Whether asking above the limits can be allowed here. */
  mayAsk?: boolean;
}

/** An agent's permissions as checkboxes. Unconfigured ways to pay are not offered and stay as granted. */
export function PermissionFields({ values, rails, mayAsk = false }: Permissions) {
  const offered = grantMethods.filter(({ rail }) => rails.includes(rail));
  const others = grantMethods.filter(({ method, rail }) => !rails.includes(rail) && values.may.includes(method));
  const boxes = [
    ...offered.map(({ method, label, effect }) => [method, label, effect] as const),
    ...permissions,
    ...(mayAsk ? [asking] : []),
  ];
  return (
    <div className="space-y-4">
      {others.map(({ method }) => (
        <input key={method} type="hidden" name="may" value={method} />
      ))}
      {boxes.map(([name, label, effect]) => (
        <label key={name} className="flex gap-3">
          <input type="checkbox" className="check" name="may" value={name} defaultChecked={values.may.includes(name)} />
          <span>
            {label}
            <span className="block text-dense text-ink-3">{effect}</span>
          </span>
        </label>
      ))}
      {railNames
        .filter((name) => !rails.includes(name) && railWords[name].absent !== null)
        .map((name) => (
          <p key={name} className="flex gap-3 text-dense text-ink-3">
            <CircleAlert className="icon mt-0.5" />
            {railWords[name].absent}
          </p>
        ))}
      {paysSomehow(values, rails) ? null : <Warning>Without a way to pay, the agent cannot buy anything.</Warning>}
    </div>
  );
}
