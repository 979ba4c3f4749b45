/** The two answers to a report, same size, same row. Works without scripts. */
export function ReviewButtons({ jobKey, digest, mayDispute }: { jobKey: string; digest: string; mayDispute: boolean }) {
  return (
    <form action={`/reports/${jobKey}/review`} method="post" className="answers md:flex">
      <input type="hidden" name="decision" value="accept" />
      <input type="hidden" name="report_digest" value={digest} />
      {mayDispute ? (
        <a className="btn" href={`/reports/${jobKey}/dispute`}>
          Dispute
        </a>
      ) : null}
      <button type="submit" className="btn btn-primary">
        Accept report
      </button>
    </form>
  );
}
