import { describe, expect, it } from 'vitest';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

async function finding(criterion: string): Promise<{ status: string; reason: string }> {
  const request = {
    work_product: 'East is the weak region: its rate halved to 10%. Questions go to sales@lindqvist.example.',
    evidence: [{ source: 'Source A', text: 'East: 190 leads, 19 deals. Contact: sales@lindqvist.example.' }],
    criteria: [criterion],
  };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
  return report.findings[0] ?? { status: '', reason: '' };
}

describe('a criterion asks for personal data', () => {
  it.each(['No customer can be identified', 'Nobody’s contact details appear', 'No personal data', 'PII is removed'])(
    '%j',
    async (criterion) => {
      expect((await finding(criterion)).reason).toContain('e-mail address');
    },
  );
});

it('leaves open what a criterion may allow', async () => {
  expect(await finding('No personal data beyond what I asked for')).toMatchObject({
    status: 'not_assessable',
    reason: expect.stringContaining('e-mail address'),
  });
});

it('finds those who speak in the evidence where no names are wanted', async () => {
  const chat = 'Ravi: latency alarm.\nLena: rolling back.\nRavi: it is down again.\nLena: done.';
  const request = {
    work_product: 'Lena rolled back, and the latency fell.',
    evidence: [{ source: 'Chat', text: chat }],
    criteria: ['Does not name individuals'],
  };
  const report = await checkWork(request, { assessor: embeddedAssessor, now: new Date('2026-01-15T12:00:00Z') });
  expect(report.findings[0]).toMatchObject({ status: 'contradicted' });
  expect(report.findings[0]?.reason).toContain('somebody who speaks in the evidence (Le…)');
});

describe('a criterion asks for something else than personal data', () => {
  it.each([
    'The weak region is identified',
    'Identifies the region that fell',
    'Contact details for questions are given',
    'Gaps are identified and not hidden',
    'The private sector is covered',
    'null where no e-mail addresses are known',
  ])('%j', async (criterion) => {
    const { reason } = await finding(criterion);
    expect(reason).not.toContain('e-mail address');
    expect(reason).not.toContain('personal');
  });
});
