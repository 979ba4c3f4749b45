import { assessment } from '../../availability/assessment.ts';
import { availability, saleRefusal } from '../../availability/availability.ts';
import type { SwitchName } from '../../availability/contract.ts';
import { saleIsOff, salesOff } from '../../availability/switches.ts';
import { serviceRefusal } from '../../identity/grant.ts';
import { principalBuysAlone, principalHasRoom } from '../../identity/limits.ts';
import { containsToken } from '../../identity/token.ts';
import { after, utcDay } from '../../kernel/clock.ts';
import type { Queries } from '../../kernel/database.ts';
import { canonicalJson, digestOf } from '../../kernel/digest.ts';
import { newKey } from '../../kernel/id.ts';
import { toText, toWire } from '../../kernel/money.ts';
import { seal } from '../../kernel/seal.ts';
import { sql, statement } from '../../kernel/sql.ts';
import { type Buyer, type Member, ownedBy } from '../../operation/caller.ts';
import { originOf } from '../../operation/rate-limit.ts';
import type { Verb } from '../../operation/verb.ts';
import { type RailName, railSummaries } from '../../payments/contract.ts';
import type { Rails } from '../../payments/rail.ts';
import { Problem, refuse } from '../../problems/problem.ts';
import type { Context } from '../../runtime.ts';
import { price, seconds, service } from '../../service/terms.ts';
import { type CheckRequest, evidenceManifest, inputDigest, plannedChecks } from '../../work-check/contract.ts';
import { forecastOf } from '../../work-check/forecast.ts';
import type * as contract from '../contract.ts';
import { audit } from '../job/audit.ts';
import { authorityOf } from '../job/authority.ts';
import { actionView, priceView } from '../job/view.ts';
import { coveredMethods, coverOf } from '../job/ways-to-pay.ts';
import { mayAuthorize } from '../states.ts';
import { type AskedApproval, approvalAction, approvalView, askedAbout, passes } from './approval.ts';
import { contentRefusal, roomOf } from './content-room.ts';
import { schemaRefusal } from './expected-schema.ts';
import { nextStepOf } from './next-step.ts';
import { requireSources } from './required-sources.ts';

/** A quote as stored. */
export interface QuoteRow {
  quote_key: string;
  service_key: string;
  contract_version: string;
  terms_version: string;
  state: 'open' | 'authorized' | 'rejected';
  price_microcents: bigint;
  max_price_microcents: bigint;
  grant_digest: string;
  input_digest: string;
  evidence: contract.Quote['evidence'];
  planned_checks: contract.Quote['planned_checks'];
  forecast: contract.Quote['forecast'];
  created_at: Date;
  expires_at: Date;
  job_key: string | null;
  /** Whether the grant has room for it now. Read while it can be authorized. */
  within_limits: boolean;
  /** Whether the grant asks nobody about it. Read while it can be authorized. */
  buys_alone: boolean;
  approval: AskedApproval | null;
  /** The sales switches that are off, while it is open. */
  off: SwitchName[];
}

/** Freezes a price for one check request. Reserves and collects nothing. */
export const checkWork: Verb<typeof contract.checkWork> = async ({ ctx, caller, input, tx }) => {
  const { max_price_microcents, ...request } = input;
  refuse(serviceRefusal(caller.grant, service.serviceKey, ctx.now) ?? schemaRefusal(request.expected_schema));
  await requireSources(tx, ctx.runtime.configuration, caller, request.context?.refs ?? []);
  const inputText = JSON.stringify(request);
  if (containsToken(inputText)) {
    throw new Problem('credential_in_input', 'The input contains a credential of this service.');
  }
  const selling = await availability(ctx.runtime, ctx.now);
  refuse(saleRefusal(selling, ctx.runtime.rails));
  if (price > max_price_microcents) {
    throw new Problem('price_above_max', `A check costs ${toText(price)}.`, {
      errors: [
        {
          pointer: '/max_price_microcents',
          code: 'price_above_max',
          detail: `The price is ${toText(price)}.`,
          limit: toWire(price),
          actual: max_price_microcents,
        },
      ],
    });
  }
  const quoteKey = newKey('quote');
  const sealed = seal(inputText, ctx.runtime.configuration.keyring, { column: 'quotes.input', row: quoteKey });
  const bytes = Math.max(Buffer.byteLength(sealed), leastBytes);
  const room = await roomOf(tx, caller.principalKey, ctx);
  refuse(contentRefusal(room, bytes, ctx));
  const expiresAt = after(ctx.now, seconds.quoteLifetime);
  const frozen = {
    quote_key: quoteKey,
    service_key: service.serviceKey,
    contract_version: service.contractVersion,
    terms_version: service.termsVersion,
    created_at: ctx.now,
    expires_at: expiresAt,
    max_price_microcents: BigInt(max_price_microcents),
    price_microcents: price,
    grant_digest: caller.grant.grant_digest,
    input_digest: inputDigest(request),
    evidence: evidenceManifest(request),
    planned_checks: plannedChecks(request),
  };
  const forecast = forecastOf(request, assessment(ctx.runtime.configuration.assessor).assessor);
  tx.write(sql`
    insert into quotes (quote_key, principal_key, account_key, service_key, contract_version, terms_version,
      pay_seconds, execution_seconds, review_seconds, state, price_microcents, max_price_microcents, grant_digest, input_digest, input, evidence, planned_checks, forecast, digest,
      created_at, expires_at, buyer_is_producer)
    values (${quoteKey}, ${caller.principalKey}, ${caller.accountKey}, ${frozen.service_key},
      ${frozen.contract_version}, ${frozen.terms_version},
      ${seconds.payWindow}, ${seconds.executionDeadline}, ${seconds.reviewWindow}, 'open', ${price}, ${frozen.max_price_microcents},
      ${frozen.grant_digest}, ${frozen.input_digest}, ${sealed}, ${JSON.stringify(frozen.evidence)},
      ${JSON.stringify(frozen.planned_checks)}, ${JSON.stringify(forecast)}, ${quoteDigest(frozen)}, ${ctx.now}, ${expiresAt},
      ${isProducer(caller, request.producer)})`);
  tx.write(sql`
    insert into unpaid_content (quote_key, principal_key, origin, bytes)
    values (${quoteKey}, ${caller.principalKey}, ${originOf(ctx)}, ${bytes})`);
  audit(tx, {
    purchase: quoteKey,
    actor: caller.principalKey,
    action: 'quote',
    from: null,
    to: 'open',
    at: ctx.now,
  });
  const standing = { within_limits: room.is_left, buys_alone: room.buys_alone, approval: null };
  const row: QuoteRow = { ...frozen, forecast, state: 'open', job_key: null, ...standing, off: [] };
  return { body: quoteView(row, caller, ctx, railsOf(selling.purchasable_rails, ctx.runtime.rails, coverOf(caller))) };
};

export const purchase: Verb<typeof contract.purchase> = async ({ ctx, caller, input, db }) => {
  const row = await loadQuote(db, input.quote_key, caller, ctx.now);
  const { purchasable_rails } = await availability(ctx.runtime, ctx.now);
  return { body: quoteView(row, caller, ctx, railsOf(purchasable_rails, ctx.runtime.rails, coverOf(caller))) };
};

/** Whether the request names this caller as the producer of the work. */
function isProducer(caller: Buyer, producer: CheckRequest['producer']): boolean {
  const names = [producer?.agent_key, producer?.wallet].map((name) => name?.toLowerCase());
  return names.includes(caller.principalKey.toLowerCase());
}

/** Stored bytes of a quote besides its content. */
const leastBytes = 4_096;

/** The columns of a `QuoteRow`, for `select`. */
export function loadedQuotes(day: string): string {
  return `quotes.quote_key, quotes.service_key, quotes.contract_version, quotes.terms_version,
      quotes.state, quotes.price_microcents, quotes.max_price_microcents, quotes.grant_digest, quotes.input_digest,
      quotes.evidence, quotes.planned_checks, quotes.forecast, quotes.created_at, quotes.expires_at,
      jobs.job_key, quotes.state <> 'open'
        or ${principalHasRoom('quotes.principal_key', 'quotes.price_microcents', day)} as within_limits,
      quotes.state <> 'open'
        or ${principalBuysAlone('quotes.principal_key', 'quotes.price_microcents', day)} as buys_alone,
      (${askedAbout('quotes.quote_key')}) as approval,
    case when quotes.state = 'open' then ${salesOff} else '[]' end as off
    from quotes left join jobs using (quote_key)`;
}

const ownQuote = `
    select ${loadedQuotes('$4')}
    where quote_key = $1 and (quotes.principal_key = $2 or quotes.account_key = $3)`;

/** The quote, if it is one of the caller's. Throws `not_found`. */
export async function loadQuote(db: Queries, quoteKey: string, caller: Buyer | Member, now: Date): Promise<QuoteRow> {
  const { principalKey, accountKey } = ownedBy(caller);
  const row = await db.maybe<QuoteRow>(statement(ownQuote, [quoteKey, principalKey, accountKey, utcDay(now)]));
  if (!row) throw new Problem('not_found', 'There is no such quote for this caller.');
  return row;
}

/** Over everything the quote froze, in RFC 8785 form: the receipt names it. */
function quoteDigest(
  frozen: Omit<QuoteRow, 'state' | 'job_key' | 'within_limits' | 'buys_alone' | 'approval' | 'off' | 'forecast'>,
): string {
  return digestOf(
    canonicalJson({
      ...frozen,
      price_microcents: toWire(frozen.price_microcents),
      max_price_microcents: toWire(frozen.max_price_microcents),
    }),
  );
}

/** The methods that can pay for a quote now, of those that are covered. */
export function railsOf(
  purchasable: readonly RailName[],
  rails: Rails,
  cover: readonly string[] | null,
): contract.Quote['rails'] {
  return purchasable.flatMap((name) => {
    const rail = rails.get(name);
    const methods = rail ? coveredMethods(rail, cover) : [];
    return rail && methods.length > 0 ? [{ rail: name, methods, networks: [...rail.networks] }] : [];
  });
}

/** A quote that nobody has authorized expires, and reads as rejected while nothing is sold (specification 2.3). */
function stateOf(row: QuoteRow, now: Date, rails: Rails): contract.Quote['state'] {
  if (row.state !== 'open') return row.state;
  if (now >= row.expires_at) return 'expired';
  return saleIsOff(row.off, rails) ? 'rejected' : 'open';
}

/** A quote as this caller sees it at this instant. */
export function quoteView(
  row: QuoteRow,
  caller: Buyer | Member,
  request: Pick<Context, 'baseUrl' | 'now' | 'runtime'>,
  rails: contract.Quote['rails'],
): contract.Quote {
  const state = stateOf(row, request.now, request.runtime.rails);
  const authority = authorityOf(caller, request.runtime.rails, request.now);
  return {
    quote_key: row.quote_key,
    state,
    service_key: row.service_key,
    contract_version: row.contract_version,
    terms_version: row.terms_version,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    price: priceView(row.price_microcents),
    max_price_microcents: toWire(row.max_price_microcents),
    grant_digest: row.grant_digest,
    input_digest: row.input_digest,
    evidence: row.evidence,
    planned_checks: row.planned_checks,
    forecast: row.forecast,
    rails,
    refund_policy: railSummaries.remedies,
    approval: row.approval && approvalView(row.approval, request),
    next_step: nextStepOf(row, state, caller, request),
    next_actions: mayAuthorize({ ...row, state, approved: passes(row.approval, caller, request.now) }, authority)
      ? [
          actionView(
            'authorize',
            {
              actor: authority.actor,
              keys: { quote_key: row.quote_key },
              bodies: [{ terms_version: row.terms_version }],
            },
            { expires_at: row.expires_at },
            request.baseUrl,
          ),
        ]
      : state === 'open'
        ? approvalAction(row, request)
        : [],
    job_key: row.job_key,
  };
}
