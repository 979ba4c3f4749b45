import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerAs, materialOf } from '../../../../sandbox/model/characters.ts';
import { type ModelServer, startModelServer } from '../../../../sandbox/model/server.ts';
import { checkWork } from '../../check.ts';
import type { CheckRequest } from '../../contract.ts';
import { languageModelAssessor } from './assessor.ts';

/** A model that calls every statement of the work borne out by the first two passages. */
function borneOut(prompt: string): string {
  const material = materialOf(prompt);
  const given = answerAs('good', material, new Map());
  const quotes = ['p1', 'p2'].map((passage) => ({ passage, words: '' }));
  const says = { status: 'supported', sure: true, quotes, derivations: [], claimed: '', known: '', reason: 'So read.' };
  const statements = given.statements.map((answer, at) =>
    isOfWork(material.statements[at]) ? { ...answer, ...says } : answer,
  );
  return JSON.stringify({ ...given, statements });
}

/** Not one of the statements, true and false, by which a model is tested. */
const isOfWork = (question: object = {}): boolean => 'part' in question || 'at' in question;

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer(0, borneOut);
});
afterAll(() => server.close());

async function statusesOf(work_product: CheckRequest['work_product'], text: string): Promise<string[]> {
  const model = {
    provider: 'compatible' as const,
    model: 'scripted',
    baseUrl: server.url,
    apiKey: 'sandbox',
    timeoutMs: 5_000,
    tokensMax: 400_000,
  };
  const request = { work_product, evidence: [{ source: 'Letter', text }] };
  const report = await checkWork(request, {
    assessor: languageModelAssessor([model]),
    now: new Date('2026-05-13T08:00:00Z'),
  });
  return report.statements.map(({ status }) => status);
}

describe('what a model read twice as borne out', () => {
  it.each<[string, CheckRequest['work_product'], string]>([
    [
      'nouns of German that stand nowhere',
      'Nach Abzug der Vorauszahlung ist vor Reisebeginn noch der Betrag von 240 Euro an die Schule zu überweisen, so wie es in der Einladung steht.',
      'Die Anzahlung wird angerechnet. Der Rest von 240 Euro muss vor dem ersten Reisetag bezahlt sein.',
    ],
    [
      'a known name in the genitive',
      'Bitte richten Sie Maras Wunsch, mit Finja zusammen zu wohnen, direkt an Herrn Ohlendorf, der die Zimmer verteilt, und nicht an die Schule oder an die anderen Eltern.',
      'Mara würde gern mit Finja zusammen wohnen. Die Zimmer verteilt Herr Ohlendorf, bitte alles direkt an ihn.',
    ],
    [
      'the first word of a phrase in a field',
      { topic: 'Raadsvoorstel verkeersplan Molenweg' },
      'Punt 5, verkeersplan Molenweg. De raad houdt het voorstel aan.',
    ],
    ['the code of a currency', { settlement: { currency: 'GBP' } }, 'The repair came to £1,860. It was paid.'],
    ['a field by its path', { average: { applies: false } }, 'Average is not in question. The sum insured is enough.'],
    [
      'a sentence that opens what the next one tells',
      'The cost is settled. Hire comes to £2,350.',
      'Hire £2,350, ordered on 15 September. The premium is fixed.',
    ],
    ['a month of a quoted day', { period: '2025-09' }, 'The period began on 12 September 2025. It is over.'],
  ])('is supported: %s', async (_, work, evidence) => {
    expect(new Set(await statusesOf(work, evidence))).toEqual(new Set(['supported']));
  });

  it.each<[string, CheckRequest['work_product'], string]>([
    [
      'a German name that no source knows',
      'Nach Abzug der Vorauszahlung ist vor Reisebeginn noch der Betrag von 240 Euro an Frau Krügerl zu überweisen, so wie es in der Einladung steht.',
      'Die Anzahlung wird angerechnet. Der Rest von 240 Euro muss an Frau Dörnhoff bezahlt werden.',
    ],
    [
      'a name of two words that no source knows',
      'Nach Abzug der Vorauszahlung ist vor Reisebeginn noch der Betrag von 240 Euro an Jens Krügerl zu überweisen, so wie es in der Einladung steht.',
      'Die Anzahlung wird angerechnet. Der Rest von 240 Euro muss an Frau Dörnhoff bezahlt werden.',
    ],
    ['another month', { period: '2025-10' }, 'The period began on 12 September 2025. It is over.'],
    ['another currency', { settlement: { currency: 'USD' } }, 'The repair came to £1,860. It was paid.'],
  ])('is not supported: %s', async (_, work, evidence) => {
    expect(await statusesOf(work, evidence)).not.toContain('supported');
  });
});
