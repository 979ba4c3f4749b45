/** A precondition that does not hold. The message is the one sentence that a person needs; no stack is shown. */
export class Refusal extends Error {
  override name = 'Refusal';
}
