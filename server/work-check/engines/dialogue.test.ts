import { describe, expect, it } from 'vitest';
import { evidenceOf } from '../material-trial.ts';
import { turnsOf } from './dialogue.ts';

const meeting = [
  'Ana: The pharmacies need the recall notice. Tomasz, could you inform the pharmacies?',
  'Tomasz: Yes, by Friday.',
  "Ines: I'll book the laboratory for the second sample.",
  'Ana: Good. The batch stays locked until the laboratory answers us.',
  'Ines: I can call the minister as well.',
  'Ana: No, that is not needed.',
].join('\n');

describe('the turns of a conversation', () => {
  it.each([
    ['names', meeting, 6],
    ['times before names', '10:01 Ana: Hello all.\n10:02 Ben: Hello.\n10:03 Ana: Who starts?\n10:04 Ben: I start.', 4],
    ['too few lines', 'Ana: Hello all.\nBen: Hello.', 0],
    ['one speaker', 'Ana: One.\nAna: Two.\nAna: Three.\nAna: Four.', 0],
    ['fields of a form', 'Name: Lund\nDate: 4 May\nPlace: Leeds\nPrice: 40', 0],
  ])('with %s', (_, text, count) => {
    expect(turnsOf(evidenceOf(text))).toHaveLength(count);
  });
});
