import type { Shape } from '../../reading/shape.ts'

/** A text of YouTube, whole or in parts. Null if there is none. */
export function textOf(shape: Shape, ...keys: string[]): string | null {
  const parts = shape.optional('list', ...keys, 'runs')
  if (parts) return parts.map((part) => part.required('string', 'text')).join('')
  return shape.optional('string', ...keys, 'simpleText')
}
