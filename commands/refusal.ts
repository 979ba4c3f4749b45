/** An unmet precondition. The message is the one sentence shown to a person, without a stack. */
export class Refusal extends Error {
  override name = 'Refusal';
}
