// The one access key of the stand-in for a bucket; loopback only.
export const SANDBOX_ACCESS_KEY_ID = 'localSandboxOnly';
export const SANDBOX_SECRET_ACCESS_KEY = 'secret_localSandboxOnly';
