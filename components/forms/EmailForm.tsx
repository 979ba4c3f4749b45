import { lasting } from '@/server/service/terms.ts';
/** Asks for a sign-in letter whose link leads to a page of ours. Works without scripts. */
export function EmailForm({ next }: { next: string }) {
  return (
    <form action="/sign-in/request" method="post" className="w-full">
      <input type="hidden" name="next" value={next} />
      <label className="label" htmlFor="email">
        Your e-mail address
      </label>
      <div className="field">
        <input id="email" name="email" type="email" autoComplete="email" required maxLength={254} />
      </div>
      <button type="submit" className="btn btn-primary btn-lg mt-4 w-full">
        Send me a sign-in link
      </button>
      <p className="mt-4 text-dense text-ink-3">
        There is no password. The link works once, for {lasting('signInLink')}, and does nothing until you press the
        button on its page. No mail? Look in spam, or try again in {lasting('signInLink')}.
      </p>
    </form>
  );
}
