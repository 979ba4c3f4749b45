import { describe, expect, it } from 'vitest';
import { testDatabase } from '../commands/test-database.ts';
import { literalsOf, serverTexts, type Text, textsOf } from '../e2e/support/source-texts.ts';

/** The words for states, kinds and events: one list in TypeScript, the same in the database, and no others in SQL. */
const database = await testDatabase();

const without = (words: string[], ...never: string[]) => words.filter((word) => !never.includes(word));

/** The words of a column. Those that TypeScript never reads are spelled here. */
const vocabulary: Readonly<Record<string, readonly string[]>> = {
  'principals.kind': literalsOf('Buyer.kind'),
  'credentials.kind': without(literalsOf('TokenKind'), 'claim', 'refresh'),
  // Computed from the clock, never written.
  'quotes.state': without(literalsOf('QuoteState'), 'expired'),
  'jobs.state': literalsOf('JobState'),
  'jobs.payment_state': literalsOf('PaymentState'),
  'jobs.charge_state': literalsOf('ChargeState'),
  'jobs.review_state': without(literalsOf('ReviewState'), 'overdue'),
  'jobs.waived_because': literalsOf('JobRow.waived_because'),
  'payments.state': literalsOf('Attempt.state'),
  'refunds.settled_as': literalsOf('Settlement.as'),
  'payments.method': ['x402', 'wallet_credit', ...literalsOf('cardMethods')],
  'card_charges.use': ['payment', 'late'],
  'card_disputes.outcome': ['won', 'lost'],
  'reconciliation_differences.kind': literalsOf('Difference.kind'),
  'refunds.state': literalsOf('Refund.state'),
  'refunds.reason': literalsOf('Refund.reason'),
  'chain_transfers.use': literalsOf('TransferRow.use'),
  'registrations.mode': literalsOf('RegistrationRow.mode'),
  'registrations.state': literalsOf('RegistrationRow.state'),
  'letters.kind': literalsOf('lettersAnHour'),
  'due_letters.kind': ['purchase', 'account', 'digest'],
  'members.role': literalsOf('MemberRole'),
  'invitations.role': without(literalsOf('MemberRole'), 'owner'),
  'approvals.state': literalsOf('ApprovalState'),
  'job_texts.kind': literalsOf('textKinds'),
  'reviews.decision': ['accept', 'dispute', 'waive'],
  'sources.media_type': literalsOf('mediaTypes'),
  'purchase_blocks.cause': literalsOf('BlockCause'),
  'switches.name': literalsOf('switchNames'),
  'switches.state': ['on', 'off'],
  'switch_changes.name': literalsOf('switchNames'),
  'switch_changes.state': ['on', 'off'],
  'operators.role': literalsOf('roles'),
  'operator_acts.role': [...literalsOf('roles'), 'command'],
  'hourly_figures.figure': literalsOf('HourlyFigure.figure'),
  'finding_labels.label': ['right', 'wrong'],
  'finding_labels.status': literalsOf('findingStatuses'),
  'sign_in_links.made_by': ['letter', 'operator'],
  'account_events.action': literalsOf('AccountAction'),
  'audit_rows.action': ['quote', 'authorize', ...literalsOf('TransitionName'), ...literalsOf('MoneyNote')],
};

const tables = [...new Set(Object.keys(vocabulary).map((column) => column.split('.')[0] ?? ''))];
const columns = [...new Set(Object.keys(vocabulary).map((column) => column.split('.')[1] ?? ''))];

/** Views of a table under another name. */
const shown: Readonly<Record<string, string>> = { x402_payments: 'payments' };

/** The words that an INSERT puts into a column by position, and may not. */
function strangersInserted({ file, text }: Text): string[] {
  return [...text.matchAll(/\binsert into (\w+)\s*\(([^)]*)\)\s*(?:values\s*\(|select\s)/g)].flatMap((match) => {
    const [head, table = '', names = ''] = match;
    const values = listFrom(text.slice(match.index + head.length));
    return names.split(',').flatMap((name, place) => {
      const known = vocabulary[`${table}.${name.trim()}`];
      const [, word] = /^'(\w+)'$/.exec(values[place]?.trim() ?? '') ?? [];
      return known && word && !known.includes(word) ? [`${file}: ${name.trim()} '${word}'`] : [];
    });
  });
}

/** The parts of a list until it closes or its source is named; commas within brackets do not count. */
function listFrom(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const [token] of text.matchAll(/\bfrom\b|[\s\S]/g)) {
    if (depth === 0 && (token === ')' || token === 'from')) break;
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (token === ',' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + token);
  }
  return parts;
}

/** The words that a text compares a column with or sets it to, and may not. */
function strangersIn({ file, text }: Text): string[] {
  const aliases = new Map<string, string>();
  const foreign = new Set<string>();
  for (const [, name = '', alias] of text.matchAll(
    /\b(?:from|join|into|update)\s+([\w.]+)(?:\s+(?:as\s+)?(?!(?:join|left|cross|where|on|using)\b)(\w+))?/g,
  )) {
    const table = shown[name] ?? name;
    if (tables.includes(table)) aliases.set(name, table).set(alias ?? name, table);
    // The queue's own tables have their own words.
    if (name.startsWith('pgboss.') && alias) foreign.add(alias);
  }
  const named = [...new Set(aliases.values())];
  const compared = new RegExp(
    `(?:([\\w$]+)\\.)?\\b(${columns.join('|')})\\s*(?:=|<>|is (?:not )?distinct from|(?:not )?in)\\s*\\(?((?:'\\w+'(?:,\\s*)?)+)`,
    'g',
  );
  const others = strangersInserted({ file, text });
  return [...text.matchAll(compared)]
    .flatMap(([, prefix = '', column = '', list = '']) => {
      if (foreign.has(prefix)) return [];
      const table = aliases.get(prefix) ?? (tables.includes(prefix) ? prefix : undefined);
      const asked = table ? [table] : named.length > 0 && prefix !== '$' ? named : tables;
      const known = asked.flatMap((each) => vocabulary[`${each}.${column}`] ?? []);
      if (known.length === 0) return [];
      const words = [...list.matchAll(/'(\w+)'/g)].map(([, word = '']) => word);
      return words.filter((word) => !known.includes(word)).map((word) => `${file}: ${column} '${word}'`);
    })
    .concat(others);
}

describe('the words of the database', () => {
  it('are those of TypeScript, wherever a constraint lists them', async () => {
    const { rows } = await database.pool.query<{ column: string; rule: string }>(`
      select conrelid::regclass || '.' || attname as column, pg_get_constraintdef(pg_constraint.oid) as rule
      from pg_constraint join pg_attribute on attrelid = conrelid and attnum = conkey[1]
        join pg_class on pg_class.oid = conrelid and not relispartition
      where contype = 'c' and cardinality(conkey) = 1 and connamespace = 'public'::regnamespace`);
    const listed = rows.flatMap(({ column, rule }) => {
      const [, list] = /^CHECK \(\(\w+ = ANY \(ARRAY\[((?:'[^']+'::text(?:, )?)+)\]\)\)\)$/.exec(rule) ?? [];
      return list ? [[column, [...list.matchAll(/'([^']+)'/g)].map(([, word]) => word).toSorted()] as const] : [];
    });
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(listed.map(([column]) => [column, vocabulary[column]?.toSorted() ?? []])),
    );
    expect(listed.length).toBeGreaterThan(15);
  });

  it('are the only ones in the statements of the server', () => {
    expect(serverTexts.flatMap(strangersIn)).toEqual([]);
  });

  it.each([
    ["sql`select 1 from jobs where state = 'payed'`", "state 'payed'"],
    ["sql`update payments p set state = 'collected' where p.state in ('unknown', 'sent')`", "state 'sent'"],
    ["sql`select 1 from letters l join jobs j using (a) where l.kind <> 'sign_up'`", "kind 'sign_up'"],
    [
      "sql`insert into account_events (actor, action) select coalesce(a, 'x'), 'agent_lost' from lost`",
      "action 'agent_lost'",
    ],
    ["const part = `jobs.review_state = 'overdue'`", "review_state 'overdue'"],
  ])('are noticed to be missing in %s', (planted, found) => {
    expect(textsOf('planted.ts', planted).flatMap(strangersIn)).toEqual([`planted.ts: ${found}`]);
  });
});
