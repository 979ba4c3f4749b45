import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LanguageModel, type LanguageModelMiddleware, wrapLanguageModel } from 'ai';
import type { Answer, Questions } from '../server/work-check/assessors/language-model/prompt.ts';

/**
 * Recorded answers of models: one line a question, by the material that it was asked over, its text, and how often it had
 * been answered before. A check can so be run again where its questions did not change; what has no recording counts as
 * missing and is answered with `not_found`.
 */
type Line = { material: string; kind: keyof Answer; question: string; answer: Answer[keyof Answer][number] };

const BLANK = { quotes: [], claimed: '', known: '', reason: 'Not recorded.', sure: false };

/** Material and questions of a prompt; the fence around them is made of the check's seed. */
function askedIn(prompt: readonly { role: string; content: unknown }[]): { material: string; questions: Questions } {
  const parts = prompt.find(({ role }) => role === 'user')?.content as { text: string }[];
  const [fixed = '', asked = ''] = parts.map(({ text }) => text);
  const [, json = '{}'] = asked.split('\n');
  const material = createHash('sha256').update(fixed).digest('hex').slice(0, 24);
  return { material, questions: JSON.parse(json) };
}

const keyOf = (material: string, kind: string, question: string): string => `${material} ${kind} ${question}`;

/** Writes what a model answers to `folder`, a file for each material. */
export function recorded(model: LanguageModel, folder: string): LanguageModel {
  mkdirSync(folder, { recursive: true });
  return wrapped(model, {
    specificationVersion: 'v3',
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      const { material, questions } = askedIn(params.prompt);
      const text = result.content.flatMap((part) => (part.type === 'text' ? part.text : [])).join('');
      for (const line of linesOf(material, questions, text))
        appendFileSync(join(folder, `${material}.ndjson`), `${JSON.stringify(line)}\n`);
      return result;
    },
  });
}

function linesOf(material: string, questions: Questions, text: string): Line[] {
  let answer: Answer;
  try {
    answer = JSON.parse(text);
  } catch {
    return [];
  }
  return (['statements', 'criteria'] as const).flatMap((kind) =>
    (answer[kind] ?? []).flatMap((one) => {
      const question = questions[kind].find(({ id }) => id === one.id)?.text;
      return question === undefined ? [] : [{ material, kind, question, answer: one }];
    }),
  );
}

/** Answers from what was recorded in `folder`, in the order it was given; `missing` counts what was not. */
export function replayed(model: LanguageModel, folder: string, missing: { count: number }): LanguageModel {
  const lines = new Map<string, Line['answer'][]>();
  for (const file of existsSync(folder) ? readdirSync(folder) : [])
    for (const text of readFileSync(join(folder, file), 'utf8').split('\n').filter(Boolean)) {
      const { material, kind, question, answer } = JSON.parse(text) as Line;
      const key = keyOf(material, kind, question);
      lines.set(key, [...(lines.get(key) ?? []), answer]);
    }
  return wrapped(model, {
    specificationVersion: 'v3',
    wrapGenerate: async ({ params }) => {
      const { material, questions } = askedIn(params.prompt);
      const next = (kind: keyof Answer, { id, text }: { id: string; text: string }) => {
        const found = lines.get(keyOf(material, kind, text))?.shift();
        if (found === undefined) missing.count += 1;
        return found === undefined ? undefined : { ...found, id };
      };
      const answer = {
        statements: questions.statements.map(
          (one) => next('statements', one) ?? { ...BLANK, id: one.id, derivations: [], status: 'not_found' },
        ),
        criteria: questions.criteria.map(
          (one) =>
            next('criteria', one) ?? { ...BLANK, id: one.id, statements: [], words: '', status: 'not_assessable' },
        ),
      };
      return {
        content: [{ type: 'text', text: JSON.stringify(answer) }],
        finishReason: { unified: 'stop', raw: 'stop' },
        usage: {
          inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
          outputTokens: { total: undefined, text: undefined, reasoning: undefined },
        },
        warnings: [],
      };
    },
  });
}

function wrapped(model: LanguageModel, middleware: LanguageModelMiddleware): LanguageModel {
  if (typeof model === 'string' || model.specificationVersion !== 'v3')
    throw new TypeError('Only models of our own providers are recorded.');
  return wrapLanguageModel({ model, middleware });
}
