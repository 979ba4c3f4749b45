import { memberContext } from '../(customer)/member.ts';

/** The way in, for whoever is not in already. */
export async function SignIn() {
  const isSignedIn = await memberContext().then(
    ({ email, wallet }) => (email ?? wallet) !== null,
    () => false,
  );
  return (
    <a href={isSignedIn ? '/purchases' : '/sign-in'} className="btn btn-plain max-md:-mr-3.5">
      {isSignedIn ? 'Your purchases' : 'Sign in'}
    </a>
  );
}
