/** What a model wrote, as JSON; or why it is none, in words for the model. */
export type ParsedAnswer = { value: unknown } | { problem: string }

/** A result is written and read by calling oneself for each level. */
const MAX_DEPTH = 64

/**
 * Reads the JSON of an answer. Models without a format of their own put it in a fence, think aloud before it, or greet
 * the reader around it.
 */
export function parseAnswer(content: string): ParsedAnswer {
  const text = content.replace(/^\s*<think>.*?<\/think>/s, '').trim()
  if (text === '') return { problem: 'The answer was empty.' }
  for (const candidate of candidates(text)) {
    const value = jsonOf(candidate)
    if (value === undefined) continue
    return isDeeper(value, MAX_DEPTH) ? { problem: `The answer was deeper than ${MAX_DEPTH} levels.` } : { value }
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

/** What stands in the first fence. Its end is searched once: one pattern for both goes back over every empty line. */
function fenced(text: string): string | undefined {
  const opening = /```(?:json)?[^\S\n]*\n/i.exec(text)
  if (opening === null) return undefined
  const from = opening.index + opening[0].length
  const to = text.indexOf('```', from)
  return to === -1 ? undefined : text.slice(from, to)
}

/** Undefined for what is not JSON, which has no such value. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // the next candidate may be
    return undefined
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  return levels === 0 || Object.values(value).some((one) => isDeeper(one, levels - 1))
}

/** The object that a result is, where no schema says more: anything else is wrapped. */
export function asObject(value: unknown): Record<string, unknown> {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Record<string, unknown>) : { result: value }
}
