/** The sign-in for buyers with a wallet. */
export function WalletInstead({ next }: { next: string }) {
  return (
    <p>
      Bought with a wallet?{' '}
      <a href={`/sign-in/wallet?${new URLSearchParams({ next })}`} className="link">
        Sign in with it
      </a>
    </p>
  );
}
