import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../kernel/json-value.ts';
import { embeddedAssessor } from '../assessors/embedded.ts';
import { checkWork } from '../check.ts';

const agreement = {
  source: 'Agreement',
  text: 'Backups are encrypted. The cap does not apply to a breach of confidentiality. Audits may be announced if both sides agree.',
};

async function told(work: { [key: string]: JsonValue }): Promise<string> {
  const report = await checkWork(
    { work_product: work, evidence: [agreement] },
    { assessor: embeddedAssessor, now: new Date('2026-03-15T12:00:00Z') },
  );
  return `${report.statements[0]?.status}: ${report.statements[0]?.why}`;
}

describe('a yes or no of structured work', () => {
  it('is borne out by the sentence that says or denies it', async () => {
    expect(await told({ cap_applies_to_confidentiality_breach: false })).toMatch(/^supported: .*does not apply/);
    expect(await told({ backups_encrypted: true })).toMatch(/^supported: .*“Backups are encrypted\.”/);
  });

  it('is open, with the sentence, where that says otherwise', async () => {
    expect(await told({ cap_applies_to_confidentiality_breach: true })).toMatch(
      /^not_found: .*gives it as true, and Agreement says “The cap does not apply/,
    );
  });

  it('is not checked where a sentence leaves it open or none speaks of it', async () => {
    expect(await told({ audits_announced: true })).toMatch(/^not_checked/);
    expect(await told({ penalty_agreed: true })).toMatch(/^not_checked/);
  });
});
