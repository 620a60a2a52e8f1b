import { fstatSync, readSync } from 'node:fs'
import { freePagesOf, freeSpaceOf, layoutOf, type PageLayout } from './free-space.ts'
import { type PageKind, PointerMaps } from './pointer-maps.ts'

/** As long as the largest page. */
export const zeros = Buffer.alloc(65_536)

/** An open file of SQLite. */
export type PagedFile = { descriptor: number; layout: PageLayout }

/** Undefined where free space cannot be told in it. */
export function pagedFile(descriptor: number): PagedFile | undefined {
  const header = Buffer.alloc(100)
  readSync(descriptor, header, 0, 100, 0)
  const layout = layoutOf(header, fstatSync(descriptor).size)
  return layout && { descriptor, layout }
}

export const pagesOf = ({ descriptor, layout }: PagedFile): number =>
  Math.floor(fstatSync(descriptor).size / layout.pageSize)

/** Zeros where the page lies beyond the end of the file. */
export function readPage({ descriptor, layout: { pageSize } }: PagedFile, number: number): Buffer {
  const page = Buffer.alloc(pageSize)
  readSync(descriptor, page, 0, pageSize, (number - 1) * pageSize)
  return page
}

/**
 * Which bytes of a file nobody reads before they are written anew: free space on pages of cells, and free pages. Where
 * the file has pointer maps, they have to agree with what is on the page. Constructed while nobody can write to the file.
 */
export class UnusedBytes {
  readonly #layout: PageLayout
  readonly #maps: PointerMaps | undefined
  /** Where the unused bytes of each free page begin. */
  readonly #free: ReadonlyMap<number, number>

  constructor(file: PagedFile) {
    this.#layout = file.layout
    this.#maps = file.layout.hasPointerMaps ? new PointerMaps(file.layout, (page) => readPage(file, page)) : undefined
    this.#free = freePages(file)
  }

  /** @returns undefined where the page has none for certain. Page numbers from 1, as SQLite counts */
  on(number: number, page: Buffer): [from: number, to: number] | undefined {
    // It begins with the header of the file, and has only names of tables.
    if (number === 1) return undefined
    const kind = this.#kindOf(number)
    const freeFrom = this.#free.get(number)
    if (kind === 'free') return freeFrom === undefined ? undefined : [freeFrom, this.#layout.usable]
    return kind === 'cells' && freeFrom === undefined ? freeSpaceOf(page, this.#layout) : undefined
  }

  /** Whether to look at the page again while nobody writes: it has remains, or was just being written. */
  mayHaveRemains(number: number, page: Buffer): boolean {
    const unused = this.on(number, page)
    if (unused === undefined) return this.#maps !== undefined && number > 1 && this.#maps.kindOf(number) !== 'other'
    const [from, to] = unused
    return page.compare(zeros, 0, to - from, from, to) !== 0
  }

  /** Without pointer maps, whether a page has cells can be seen only from the page itself. */
  #kindOf(number: number): PageKind {
    if (this.#maps !== undefined) return this.#maps.kindOf(number)
    return this.#free.has(number) ? 'free' : 'cells'
  }
}

function freePages(file: PagedFile): Map<number, number> {
  const header = readPage(file, 1)
  const pages = pagesOf(file)
  const free = new Map<number, number>()
  const most = header.readUInt32BE(36)
  const isPage = (number: number): boolean => number > 1 && number <= pages
  for (let trunk = header.readUInt32BE(32); isPage(trunk) && free.size < most; ) {
    const { next, named, end } = freePagesOf(readPage(file, trunk))
    free.set(trunk, end)
    for (const each of named) if (isPage(each)) free.set(each, 0)
    trunk = next
  }
  return free
}
