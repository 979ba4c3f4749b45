import { memberAddresses } from '../../identity/account.ts';
import { principalNamed } from '../../identity/agents.ts';
import { toText } from '../../kernel/money.ts';
import { sql } from '../../kernel/sql.ts';
import { quoted, type Words } from '../../mail/letter.ts';
import type { DueLetter, LetterWriters } from '../../mail/send-letter.ts';
import type { Runtime } from '../../runtime.ts';

/** An agent's first charge to a kept card. */
export type CardLetter = { kind: 'card_used'; payment_key: string };

/** The letters about charged cards, by message. */
export const cardLetters: LetterWriters<CardLetter> = { card_used: cardUsedLetters };

/** Goes to every member of the account. */
async function cardUsedLetters({ db, configuration }: Runtime, { payment_key }: CardLetter): Promise<DueLetter[]> {
  const use = await db.one<Use & { principal_key: string; account_key: string }>(sql`
    select jobs.principal_key, jobs.account_key, brand, last4, amount_microcents
    from card_payments join payments using (payment_key) join jobs using (job_key) join saved_cards using (card_key)
    where payment_key = ${payment_key}`);
  const { name } = await principalNamed(db, use.principal_key);
  const addresses = await memberAddresses(db, use.account_key);
  return addresses.map((address) => ({
    kind: 'notice',
    address,
    about: payment_key,
    origin: null,
    words: () => cardUsedLetter(use, name ?? use.principal_key, `${configuration.baseUrl}/agents`),
  }));
}

interface Use {
  brand: string;
  last4: string;
  amount_microcents: bigint;
}

function cardUsedLetter({ brand, last4, amount_microcents }: Use, agent: string, url: string): Words {
  return {
    subject: 'An agent paid with a card of your Work Check account',
    action: { label: 'See the agents of the account', url },
    paragraphs: [
      `An agent that calls itself ${quoted(agent)} paid with your ${brand.charAt(0).toUpperCase()}${brand.slice(1)} card ending in ${last4} for the first time: ` +
        `${toText(amount_microcents)}.`,
      'We tell you once for each agent and card that it is new; the letter of each payment names its card. You can lower the agent’s limits, pause or revoke it, or remove the card.',
    ],
  };
}
