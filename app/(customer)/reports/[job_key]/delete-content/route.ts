import { answerForm } from '../answer-form.ts';

/** Deletes what was submitted for the job. */
export const POST = answerForm('delete_content', () => ({}));
