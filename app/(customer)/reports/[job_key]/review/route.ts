import { answerForm } from '../answer-form.ts';

/** Accepts or disputes the report that the form was shown with. A field left empty says nothing. */
export const POST = answerForm('review', (form) =>
  Object.fromEntries(
    // A browser counts a line break as one character and sends two.
    [...form]
      .map(([name, value]) => [name, value.replaceAll('\r\n', '\n')])
      .filter(([, value]) => value?.trim() !== ''),
  ),
);
