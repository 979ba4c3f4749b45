/** The environment cannot be used. `message` names each wrong variable on its own line. */
export class ConfigurationError extends Error {}
