import type { ReactNode } from 'react';

interface Props {
  /** The question: what will happen. */
  title: string;
  /** Named after the act and its amount. */
  button: string;
  action: string;
  back: string;
  danger?: boolean;
  hidden?: Readonly<Record<string, string>>;
  /** Asked for before the reason. */
  field?: { name: string; label: string; hint: string; maxLength: number; isOptional?: boolean };
  children: ReactNode;
}

/** Asks an operator to confirm an action and give the reason. Works without scripts. */
export function ConfirmAct({ title, button, action, back, danger = false, hidden = {}, field, children }: Props) {
  return (
    <div className="max-w-decision">
      <h1 className="text-h1">{title}</h1>
      <div className="mt-3 space-y-3 text-ui text-ink-2">{children}</div>
      <form action={action} method="post" className="mt-6">
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        {field ? (
          <div className="mb-4">
            <label className="label" htmlFor={field.name}>
              {field.label}
            </label>
            <div className="field">
              <input
                id={field.name}
                name={field.name}
                required={!field.isOptional}
                maxLength={field.maxLength}
                autoComplete="off"
                aria-describedby={`${field.name}-hint`}
              />
            </div>
            <p id={`${field.name}-hint`} className="hint">
              {field.hint}
            </p>
          </div>
        ) : null}
        <label className="label" htmlFor="reason">
          Reason
        </label>
        <div className="field">
          <input id="reason" name="reason" required maxLength={500} autoComplete="off" aria-describedby="reason-hint" />
        </div>
        <p id="reason-hint" className="hint">
          Recorded in the audit log with your name.
        </p>
        <div className="mt-6 flex flex-wrap gap-3">
          <a className="btn" href={back}>
            Back
          </a>
          <button type="submit" className={`btn ${danger ? 'btn-danger' : 'btn-primary'}`}>
            {button}
          </button>
        </div>
      </form>
    </div>
  );
}
