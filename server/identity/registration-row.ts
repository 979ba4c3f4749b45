import type { GrantTerms } from './contract.ts';

/** A registration as stored. */
export interface RegistrationRow {
  registration_key: string;
  mode: 'new_customer' | 'link_existing';
  state: 'pending_confirmation' | 'confirmed' | 'released' | 'declined';
  email: string;
  agent_key: string;
  agent_name: string;
  agent_software: string | null;
  requested_grant: GrantTerms;
  terms_version: string;
  origin: string;
  code_tries: number;
  code_mailed_at: Date | null;
  created_at: Date;
  expires_at: Date;
  claim_until: Date | null;
  /** The server key of its hash, link and codes. */
  key_id: string;
  account_key: string | null;
}
