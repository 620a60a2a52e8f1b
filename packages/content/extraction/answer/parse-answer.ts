import { assertSmall } from './assert-small.ts'

/** A model's answer as JSON, or why it is not JSON, in words for the model. */
export type ParsedAnswer = { value: unknown } | { problem: string }

/**
 * Reads the JSON of an answer. Models without a JSON format put it in a code fence, or write thoughts and greetings
 * around it.
 * @throws StepError `result_too_large`, before anything is parsed
 */
export function parseAnswer(content: string): ParsedAnswer {
  const text = content.replace(/^\s*<think>.*?<\/think>/s, '').trim()
  if (text === '') return { problem: 'The answer was empty.' }
  for (const candidate of candidates(text)) {
    assertSmall(candidate)
    const value = jsonOf(candidate)
    if (value !== undefined) return { value }
  }
  return { problem: 'The answer was not JSON.' }
}

function* candidates(text: string): Generator<string> {
  yield text
  const inFence = fenced(text)
  if (inFence) yield inFence
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  if (from !== -1 && to > from) yield text.slice(from, to + 1)
}

/** The content of the first code fence. Its end is searched separately: one pattern for both would backtrack. */
function fenced(text: string): string | undefined {
  const opening = /```(?:json)?[^\S\n]*\n/i.exec(text)
  if (opening === null) return undefined
  const from = opening.index + opening[0].length
  const to = text.indexOf('```', from)
  return to === -1 ? undefined : text.slice(from, to)
}

/** The parsed value. Undefined for invalid JSON; no JSON text means undefined. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the next candidate may be JSON
    return undefined
  }
}

/** The value as an object, which a result without a schema must be. Other values are wrapped. */
export function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : { result: value }
}
