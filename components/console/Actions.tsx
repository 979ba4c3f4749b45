import type { Action, ActionName } from '@/server/console/contract/purchases.ts';
import { actWords } from './act-words.ts';

/** The actions on a purchase. Impossible ones stay in place and give the reason. */
export function Actions({ actions, page }: { actions: readonly Action[]; page: string }) {
  return (
    <section className="panel p-5" aria-labelledby="actions">
      <h2 id="actions" className="text-h3">
        Actions
      </h2>
      <ul className="mt-3 divide-y divide-line border-t border-line">
        {actions.map(({ name, obstacle }) => (
          <li key={name} className="py-3">
            {obstacle === null ? (
              <a className={`btn w-full ${isFirst(name, actions) ? 'btn-primary' : ''}`} href={`${page}/act/${name}`}>
                {actWords[name].button}
              </a>
            ) : (
              <>
                <button type="button" className="btn w-full" disabled aria-describedby={`why-${name}`}>
                  {actWords[name].button}
                </button>
                <p id={`why-${name}`} className="mt-1.5 text-dense text-ink-3">
                  Not possible now: {obstacle}
                </p>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One primary button per page: for a payment in doubt. */
function isFirst(name: ActionName, actions: readonly Action[]): boolean {
  return name === 'ask_again' && actions.some((action) => action.name === name && action.obstacle === null);
}
