/** The outcome of a call in one line: what a client can distinguish, without texts, ids, times and positions. */
export class InShort {
  readonly #positions = new Set<string>()

  /** @param observed in the format of `Normalized` */
  of(observed: unknown): string {
    const letters = new Map<string, string>()
    return this.#value(observed).replace(/position (\d+)/g, (_, number: string) => {
      if (!letters.has(number)) letters.set(number, String.fromCharCode(97 + letters.size))
      return `position ${letters.get(number)}`
    })
  }

  #value(observed: unknown): string {
    if (Array.isArray(observed)) return together(observed.map((entry) => this.#entry(entry)))
    if (!isObject(observed)) return String(observed)
    if ('ok' in observed) return `ok ${this.#success(observed.ok)}`.trim()
    if ('threw' in observed) return failure(observed.threw, Number(observed.countBeforeError ?? 0))
    if ('revs' in observed) return range(observed.revs as string[])
    if ('$errorClass' in observed) return failure(observed)
    if ('hex' in observed) return `bytes ${observed.hex}`.trim()
    if ('dataType' in observed) return this.#content(observed)
    if ('s' in observed && 'r' in observed) return `${observed.s}@${plain(observed.r)}`
    const fields = Object.entries(observed).filter(([name]) => !unsteady.has(name))
    return fields.map(([name, value]) => `${name} ${this.#field(value)}`).join(', ')
  }

  /** An event with its contents. */
  #content({ type, isJson, data, dataType, metadata, metadataType }: Record<string, unknown>): string {
    const about = metadata === '<undefined>' ? '' : ` about ${metadataType} ${this.#field(metadata)}`
    return `${type} ${isJson ? 'json' : 'binary'} ${dataType} ${this.#field(data)}${about}`
  }

  #field(value: unknown): string {
    return isObject(value) || Array.isArray(value) ? `(${this.#value(value)})` : plain(value)
  }

  /** An answer to an append. A position that an earlier answer had marks it as a repeat. */
  #success(answer: unknown): string {
    if (!isObject(answer) || !('nextExpectedRevision' in answer))
      return isObject(answer) ? this.#value(answer) : plain(answer)
    const revision = plain(answer.nextExpectedRevision)
    if (answer.success === false) return `false ${revision}`
    const position = isObject(answer.position) ? String(answer.position.commit) : ''
    const before = this.#positions.has(position)
    this.#positions.add(position)
    return before ? `${revision} as before` : revision
  }

  /** An element of a list: an event, a word, or what happened to which subscription. */
  #entry(entry: unknown): string {
    if (isObject(entry)) return this.#value(entry)
    if (!Array.isArray(entry)) return plain(entry)
    const [kind, item] = entry
    if (kind === 'confirmation') return kind
    if (kind === 'data' && isObject(item)) return this.#value(item)
    return entry
      .filter((word) => word !== null && word !== '<undefined>')
      .map((word) => this.#entry(word))
      .join(' ')
  }
}

const unsteady = new Set(['ms', 'id', 'created', 'position', 'commitPosition', 'metastreamRevision', 'c', 'p', 'cp'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** `5` of `5n`. */
const plain = (value: unknown): string => String(value).replace(/^(-?\d+)n$/, '$1')

/** Counts entries that repeat. */
function together(entries: string[]): string {
  const runs: [entry: string, times: number][] = []
  for (const entry of entries) {
    const last = runs.at(-1)
    if (last?.[0] === entry) last[1]++
    else runs.push([entry, 1])
  }
  return runs
    .map(([entry, times]) => (times > 2 ? `${times} × ${entry}` : Array(times).fill(entry).join(', ')))
    .join(', ')
}

/** `0 to 9` of ten revisions in order. */
function range(revisions: string[]): string {
  const [first, last] = [plain(revisions[0]), plain(revisions.at(-1))]
  return revisions.length === 0
    ? 'nothing'
    : revisions.length < 3
      ? revisions.map(plain).join(' ')
      : `${first} to ${last}`
}

function failure(error: unknown, before = 0): string {
  const { type, code, expectedVersion, actualVersion, message } = error as Record<string, unknown>
  const what = type === undefined ? String(message) : `${type}${typeof code === 'number' ? ` ${code}` : ''}`
  const versions = actualVersion === undefined ? '' : ` (${plain(expectedVersion)}, is ${plain(actualVersion)})`
  return `${before > 0 ? `${before}, then ` : ''}${what}${versions}`
}
