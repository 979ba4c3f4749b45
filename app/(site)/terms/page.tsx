import type { Metadata } from 'next';
import { service } from '@/server/service/terms.ts';
import { Terms } from '../docs/Terms.tsx';
import { Plain } from '../Plain.tsx';

export const metadata: Metadata = { title: 'Terms' };

/** The terms in words. Confirming an agent and authorizing a quote accept their version. */
export default function TermsPage() {
  return (
    <Plain title="Terms" lead={`Version ${service.termsVersion}. Authorizing a quote accepts them.`}>
      <Terms />
    </Plain>
  );
}
