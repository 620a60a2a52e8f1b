/** A schema that cannot be used. The message describes the problem at `path`. */
export class SchemaError extends Error {
  readonly code = 'schema_error'
  /** Names and indices from the root of the schema to the problem. Empty for the schema as a whole. */
  readonly path: readonly string[]

  constructor(path: readonly string[], message: string) {
    super(message)
    this.path = path
  }
}
