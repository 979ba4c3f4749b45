/**
 * No and yes, of the same size, in one row where both fit. A no is sent whatever stands in the fields.
 *
 * @param no the value and the word of the no
 */
export function TwoAnswers({ no: [value, word] }: { no: readonly [value: string, word: string] }) {
  return (
    <div className="answers">
      <button type="submit" name="decision" value={value} className="btn btn-lg" formNoValidate>
        {word}
      </button>
      <button type="submit" name="decision" value="approve" className="btn btn-primary btn-lg">
        Approve
      </button>
    </div>
  );
}
