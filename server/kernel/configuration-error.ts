/** The environment cannot be used. `message` names every variable at fault, one a line. */
export class ConfigurationError extends Error {}
