import { expect, it } from 'vitest';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

const ledger = 'invoice,date,gross\nINV-302,2026-04-11,1020.00\nINV-303,2026-04-19,480.00';

async function told(due: string): Promise<string> {
  const request = {
    work_product: {
      invoices: [
        { invoice: 'INV-302', due },
        { invoice: 'INV-303', due: '2026-05-19' },
      ],
    },
    evidence: [
      { source: 'Terms', text: 'Payment is due 30 days after the invoice date.' },
      { source: 'Ledger', text: ledger },
    ],
  };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-06-15T12:00:00Z') });
  const found = report.statements.find(({ path }) => path === '/invoices/0/due');
  return `${found?.status}: ${found?.why}`;
}

it('bears out a due date that the terms give for the date of its own record', async () => {
  expect(await told('2026-05-11')).toBe('supported: It follows from Ledger: 2026-04-11 and 30 days is 2026-05-11.');
});

it('bears out no due date of another record', async () => {
  expect(await told('2026-05-19')).toMatch(/^not_found/);
  expect(await told('2026-05-12')).toMatch(/^not_found/);
});
