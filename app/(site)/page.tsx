import { Availability } from '@/components/purchases/Availability.tsx';
import { operations } from '@/server/operations.ts';
import { defaultGrant } from '@/server/service/terms.ts';
import { Connect } from './Connect.tsx';
import { Hero } from './Hero.tsx';
import { OnePrice } from './OnePrice.tsx';
import { clientFields, readOffer } from './offer.ts';
import { Scope } from './Scope.tsx';
import { Steps, waysToPay } from './Steps.tsx';

/** The service page: what is sold, its price, whether it can be bought now, and how. */
export default async function ServicePage() {
  const { contract, assessment, sample, baseUrl, isTest } = await readOffer();
  const { availability, price, example_request } = contract;
  return (
    <>
      <Hero microcents={price.amount_microcents} sample={sample} />
      <Availability availability={availability} isTest={isTest} />
      <Scope assessment={assessment} />
      <Steps waysToPay={waysToPay(availability.purchasable_rails)} />
      <OnePrice microcents={price.amount_microcents} />
      <Connect
        baseUrl={baseUrl}
        endpoints={{
          challenge: `${baseUrl}${operations.wallet_challenge.path}`,
          verify: `${baseUrl}${operations.wallet_verify.path}`,
          checkWork: `${baseUrl}${operations.check_work.path}`,
        }}
        registrationsOpen={availability.registrations.state === 'open'}
        limits={defaultGrant}
        exampleRequest={JSON.stringify({ ...example_request, ...clientFields(price) }, null, 2)}
      />
    </>
  );
}
