import type Stripe from 'stripe';
import { BRAND } from '../../http.ts';
import { escapeHtml } from '../../page.ts';
import type { SessionFacts } from '../store.ts';

/** What the payer typed, and the errors by field. */
export interface Entry {
  readonly values: Readonly<Record<string, string>>;
  readonly faults: Readonly<Partial<Record<string, string>>>;
  /** The bank's answer. */
  readonly alert?: string | undefined;
}

const CENTS = 100;

const STYLE = `
  :root { color-scheme: light dark; --line: light-dark(#8a8f98, #8b93a1); --soft: light-dark(#f4f5f7, #1d2026);
    --page: light-dark(#fff, #121418); --ink: light-dark(#1b1f24, #e9ecf1); --quiet: light-dark(#4d5561, #aeb6c2);
    --act: light-dark(#0b5cad, #8cc4ff); --on-act: light-dark(#fff, #0b1420); --bad: light-dark(#a4161a, #ffb4ab);
    --brand: light-dark(#8a4b00, #ffc46b); font: 16px/1.5 system-ui, sans-serif; }
  * { box-sizing: border-box; }
  body { margin: 0; background: var(--page); color: var(--ink); }
  main { max-width: 30rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
  .brand { border: 2px dashed var(--brand); color: var(--brand); padding: .5rem .75rem; margin: 0 0 1.5rem; }
  h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
  .amount { font-size: 2rem; font-weight: 600; margin: 0 0 1rem; font-variant-numeric: tabular-nums; }
  .items { list-style: none; margin: 0 0 1.5rem; padding: .75rem; background: var(--soft); border-radius: .5rem; }
  .items small { color: var(--quiet); display: block; }
  label { display: block; font-weight: 600; margin: 0 0 .25rem; }
  .entry { margin: 0 0 1rem; }
  .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(8rem, 100%), 1fr)); gap: 0 1rem; }
  input { min-width: 0; }
  input:not([type=checkbox]) { width: 100%; font: inherit; color: inherit; background: var(--page); padding: .6rem .75rem;
    border: 1px solid var(--line); border-radius: .375rem; min-height: 2.75rem; }
  input[aria-invalid=true] { border-color: var(--bad); border-width: 2px; }
  .fault { color: var(--bad); margin: .25rem 0 0; }
  .alert { border: 2px solid var(--bad); color: var(--bad); border-radius: .375rem; padding: .6rem .75rem; margin: 0 0 1rem; }
  .tick { display: flex; gap: .6rem; align-items: start; font-weight: 400; margin: 0 0 1rem; }
  .tick input { width: 1.25rem; height: 1.25rem; margin: .15rem 0 0; flex: none; }
  button { font: inherit; font-weight: 600; width: 100%; min-height: 2.75rem; padding: .6rem; border: 0; border-radius: .375rem;
    background: var(--act); color: var(--on-act); cursor: pointer; margin: 0 0 .75rem; }
  button.second { background: none; color: var(--act); border: 1px solid var(--act); }
  a { color: var(--act); }
  :focus-visible { outline: 3px solid var(--act); outline-offset: 2px; }
  details { margin-top: 1.5rem; color: var(--quiet); } code { overflow-wrap: anywhere; }
  td { padding: .15rem .75rem .15rem 0; vertical-align: top; }`;

/** The most useful test cards; `cards.ts` has all. */
const SHOWN_CARDS: readonly (readonly [number: string, does: string])[] = [
  ['4242 4242 4242 4242', 'pays'],
  ['4000 0027 6000 3184', 'asks you to authenticate'],
  ['4000 0000 0000 0002', 'is declined'],
  ['4000 0000 0000 9995', 'has insufficient funds'],
  ['4000 0000 0000 0259', 'pays, and is disputed'],
];

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · ${BRAND}</title><style>${STYLE}</style></head>
<body><main>
<p class="brand"><strong>${BRAND}</strong>: this page stands in for Stripe. No money moves.</p>
${body}
</main></body>
</html>
`;
}

function money(cents: number | null, currency: string | null): string {
  return `${((cents ?? 0) / CENTS).toFixed(2)} ${(currency ?? '').toUpperCase()}`;
}

function field(
  { values, faults }: Entry,
  { name, label, ...attributes }: { name: string; label: string } & Record<string, string>,
): string {
  const fault = faults[name];
  const more = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeHtml(value)}"`);
  const state = fault ? ` aria-invalid="true" aria-describedby="${name}-fault"` : '';
  return `<div class="entry"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" required value="${escapeHtml(values[name] ?? '')}"${more.join('')}${state}>
${fault ? `<p class="fault" id="${name}-fault">${escapeHtml(fault)}</p>` : ''}</div>`;
}

/** The payment page. */
export function paymentPage(session: Stripe.Checkout.Session, { items }: SessionFacts, entry: Entry): string {
  const total = money(session.amount_total, session.currency);
  const sold = items.map(({ name, description, unitAmount, quantity }) => {
    const note = description ? `<small>${escapeHtml(description)}</small>` : '';
    return `<li>${escapeHtml(name)}${note}<small>${quantity} × ${money(unitAmount, session.currency)}</small></li>`;
  });
  const number = { inputmode: 'numeric', spellcheck: 'false' };
  const offers = session.saved_payment_method_options?.payment_method_save === 'enabled';
  const checked = entry.values.save === 'on' ? ' checked' : '';
  const tick = `<label class="tick"><input type="checkbox" name="save"${checked}> <span>Save this card for later payments to this seller</span></label>`;
  const back = session.cancel_url ? `<p><a href="${escapeHtml(session.cancel_url)}">Cancel and go back</a></p>` : '';
  const cards = SHOWN_CARDS.map(([card, does]) => `<tr><td><code>${card}</code></td><td>${does}</td></tr>`).join('');
  return page(
    `Pay ${total}`,
    `<h1>Pay by card</h1><p class="amount">${total}</p><ul class="items">${sold.join('')}</ul>
${entry.alert ? `<p class="alert" role="alert">${escapeHtml(entry.alert)}</p>` : ''}
<form method="post" novalidate>
${field(entry, { name: 'email', label: 'E-mail', type: 'email', autocomplete: 'email' })}
${field(entry, { name: 'number', label: 'Card number', autocomplete: 'cc-number', ...number })}
<div class="pair">
${field(entry, { name: 'expiry', label: 'Expires (MM / YY)', autocomplete: 'cc-exp', ...number })}
${field(entry, { name: 'cvc', label: 'CVC', autocomplete: 'cc-csc', ...number })}
</div>
${field(entry, { name: 'name', label: 'Name on the card', autocomplete: 'cc-name' })}
${offers ? tick : ''}
<button>Pay ${total}</button>
</form>
${back}
<details><summary>Test cards</summary><table>${cards}</table><p>Any date ahead, any CVC.</p></details>`,
  );
}

/** The bank's question to the cardholder. */
export function authenticationPage(intent: Stripe.PaymentIntent): string {
  const total = money(intent.amount, intent.currency);
  return page(
    'Authenticate',
    `<h1>3-D Secure</h1><p>Your bank asks: do you authorize this payment?</p><p class="amount">${total}</p>
<form method="post">
<button name="outcome" value="complete">Complete authentication</button>
<button name="outcome" value="fail" class="second">Fail authentication</button>
</form>`,
  );
}

/** A page with only a message. */
export function closedPage(title: string, text: string, back?: string | null): string {
  const link = back ? `<p><a href="${escapeHtml(back)}">Go back to the seller</a></p>` : '';
  return page(title, `<h1>${escapeHtml(title)}</h1><p>${escapeHtml(text)}</p>${link}`);
}
