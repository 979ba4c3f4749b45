import { toText } from '../../kernel/money.ts';
import type { Words } from '../../mail/letter.ts';
import { type Bookkeeping, monthText } from '../bookkeeping-contract.ts';

/** What an account paid in a month, and where its receipts are. */
export function statementLetter(month: string, sums: Bookkeeping['sums'], baseUrl: string): Words {
  const { count, collected_microcents, charged_microcents, given_back_microcents } = sums;
  const name = monthText(month);
  return {
    subject: `Your statement for ${name}: ${toText(BigInt(collected_microcents))} collected`,
    action: { label: 'See the statement', url: `${baseUrl}/purchases/statement?month=${month}` },
    paragraphs: [
      `In ${name} your agents paid for ${count === 1 ? 'one check' : `${count} checks`}.`,
      [
        `Collected: ${toText(BigInt(collected_microcents))}`,
        `Charged, or held for a review: ${toText(BigInt(charged_microcents))}`,
        `Refunded or credited so far: ${toText(BigInt(given_back_microcents))}`,
      ].join('\n'),
      'The statement lists each receipt with its number. You can print it, or download it as a table (CSV) for your books.',
    ],
  };
}
