import openapi from '#contracts/generated/openapi.json' with { type: 'json' }

/** One operation of the contract. */
export type Operation = {
  /** Upper case. */
  method: string
  path: string
  summary: string
  description?: string
  tags: string[]
  parameters?: unknown[]
  requestBody?: unknown
  responses: Record<string, unknown>
}

/** All operations, in the order of the contract. */
export const operations: readonly Operation[] = Object.entries(openapi.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, Omit<Operation, 'method' | 'path'>>).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    ...operation,
  })),
)
