export const schemaLimits = {
  /** Bytes of its JSON. */
  bytes: 32 * 1024,
  /** Nested objects and lists of the JSON. */
  jsonDepth: 256,
  /** Nested schemas, references resolved, and levels of values. */
  depth: 32,
  /** Schemas in it, itself included. */
  nodes: 500,
  patterns: 50,
  /** Compiled instructions of all patterns together. */
  programSize: 5000,
  /** Estimated time to parse the character classes of all patterns, microseconds. */
  classCost: 100_000,
  /** Schemas after replacing every reference by its target, once in each circle. */
  expandedNodes: 5000,
} as const
