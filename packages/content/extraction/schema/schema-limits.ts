export const schemaLimits = {
  /** Bytes of its JSON. */
  bytes: 32 * 1024,
  /** The most nested objects and lists of the JSON. */
  jsonDepth: 256,
  /** The most nested schemas, with references resolved, and the most levels of values. */
  depth: 32,
  /** Schemas in it, itself included. */
  nodes: 500,
  patterns: 50,
  /** The most compiled instructions of all patterns together. */
  programSize: 5000,
  /** The most time to parse the character classes of all patterns, estimated, microseconds. */
  classCost: 100_000,
  /** The most schemas after every reference is replaced by its target, once in each circle. */
  expandedNodes: 5000,
} as const
