import { Key } from '../ui/Key.tsx';

/** The software an agent says it runs, as a fact in a list; nothing if it does not say. */
export function Software({ name }: { name: string | null }) {
  if (name === null) return null;
  return (
    <>
      <dt>Software</dt>
      <dd>
        <Key>{name}</Key>, not verified
      </dd>
    </>
  );
}
