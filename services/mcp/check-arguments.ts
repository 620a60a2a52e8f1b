import type { JsonSchemaValidator, jsonSchemaValidator } from '@modelcontextprotocol/server'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { VideoIntelligenceError } from '#packages/client/error.ts'
import { ServiceError } from '#packages/errors/service-error.ts'
import { validated } from '#packages/validation/validated.ts'
import { type ToolName, toolCards } from './tool-cards.ts'

/** For the SDK: passes arguments through unchecked, because the SDK's own messages do not say what is allowed. */
export const unchecked: jsonSchemaValidator = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (given) => ({ valid: true, data: given as T, errorMessage: undefined })
  },
}

const ajv = new Ajv2020({ allErrors: true, verbose: true })
const validators = Object.fromEntries(
  Object.entries(toolCards).map(([name, { input }]) => [name, ajv.compile(input)]),
) as Record<ToolName, ValidateFunction>

/** @throws VideoIntelligenceError invalid_request naming each wrong argument, and what it may be */
export function checkArguments(tool: ToolName, given: unknown): void {
  try {
    validated(validators[tool], given)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    throw new VideoIntelligenceError(error.code, error.message, { status: 0, details: error.details })
  }
}
