import { expect } from 'chai'

/** A difference between an answer of the sandbox and the recordings. */
type Difference = { path: string; problem: 'not recorded' | 'another type'; seen: string; recorded: string[] }

/** A difference that is accepted. `path` may end in `.*` for everything below. */
export type Exception = { path: string; reason: string }

type Options = { exceptions?: readonly Exception[]; keyed?: readonly string[] }

/** Expects that an answer, as it is sent, has no differences. @param of the answer, for the message */
export function expectHonest(
  answer: unknown,
  recordings: readonly unknown[],
  { of, ...options }: Options & { of?: string | undefined } = {},
): void {
  const found = differences(JSON.parse(JSON.stringify(answer)), recordings, options)
  expect(
    found.map(({ path, problem, seen, recorded }) => `${path}: ${problem} (${seen}; ${recorded})`),
    of,
  ).to.deep.equal([])
}

/**
 * The key paths of a sandbox's answer that no recording has, or that recordings have only with other types. Elements of
 * arrays are compared as one (`formats.*.url`). Null fits any type, because a recording shows only one video. `keyed`
 * names objects with ids as keys (`mediaStats.*`); these keys are not compared.
 * @param recordings of the same kind of answer. A path that one of them has is no difference
 */
export function differences(
  answer: unknown,
  recordings: readonly unknown[],
  { exceptions = [], keyed = [] }: Options = {},
): Difference[] {
  const recorded = new Map<string, Set<string>>()
  for (const recording of recordings) for (const [path, type] of pathsOf(recording, keyed)) note(recorded, path, type)
  const answered = new Map<string, Set<string>>()
  for (const [path, type] of pathsOf(answer, keyed)) note(answered, path, type)

  const excused = (path: string) => exceptions.some(({ path: excuse }) => path === excuse || isBelow(path, excuse))
  return [...answered].flatMap(([path, seen]): Difference[] => {
    const known = recorded.get(path)
    if (excused(path)) return []
    if (!known) return [{ path, problem: 'not recorded', seen: [...seen].join('|'), recorded: [] }]
    const odd = [...seen].filter((type) => type !== 'null' && !known.has(type) && !isOnly(known, 'null'))
    return odd.length > 0 ? [{ path, problem: 'another type', seen: odd.join('|'), recorded: [...known] }] : []
  })
}

/** The value at a path without wildcards, to pick a part of a recording; undefined if there is none. */
export const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)

const isBelow = (path: string, excuse: string): boolean => excuse.endsWith('.*') && path.startsWith(excuse.slice(0, -1))
const isOnly = (types: Set<string>, type: string): boolean => types.size === 1 && types.has(type)

function note(map: Map<string, Set<string>>, path: string, type: string): void {
  map.set(path, (map.get(path) ?? new Set()).add(type))
}

function* pathsOf(value: unknown, keyed: readonly string[], path = ''): Generator<[path: string, type: string]> {
  if (path !== '') yield [path, typeOf(value)]
  if (typeof value !== 'object' || value === null) return
  const anyKey = Array.isArray(value) || keyed.includes(path)
  for (const [key, inner] of Object.entries(value)) {
    const name = anyKey ? '*' : key
    yield* pathsOf(inner, keyed, path === '' ? name : `${path}.${name}`)
  }
}

const typeOf = (value: unknown): string => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value)
