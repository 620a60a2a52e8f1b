import type { PageLayout } from './free-space.ts'

/** What is on a page: a page of a table or an index, a free one, or what is never overwritten. */
export type PageKind = 'cells' | 'free' | 'other'

/** The types that pointer maps give: the root of a tree, a free page, and a page within a tree. Others are overflow pages. */
const kinds: Readonly<Record<number, PageKind>> = { 1: 'cells', 2: 'free', 5: 'cells' }

/** Bytes for one page: its type, and the number of the page that leads to it. */
const ENTRY_BYTES = 5

/** On the page with this byte lie the locks of SQLite, and nothing else. */
const LOCK_BYTE = 2 ** 30

export const lockPageOf = ({ pageSize }: PageLayout): number => LOCK_BYTE / pageSize + 1

/** The page of the pointer map that says what is on a page, which may be that page itself. Page numbers from 1. */
export function mapPageOf(page: number, layout: PageLayout): number {
  const group = Math.floor(layout.usable / ENTRY_BYTES) + 1
  const map = Math.floor((page - 2) / group) * group + 2
  return map === lockPageOf(layout) ? map + 1 : map
}

/** Tells what is on each page of a file with pointer maps (fileformat2.html, 1.8). */
export class PointerMaps {
  readonly #layout: PageLayout
  readonly #read: (page: number) => Buffer
  /** The map that was asked last: pages are asked for in their order. */
  #last: { number: number; map: Buffer } | undefined

  constructor(layout: PageLayout, read: (page: number) => Buffer) {
    this.#layout = layout
    this.#read = read
  }

  kindOf(page: number): PageKind {
    const number = mapPageOf(page, this.#layout)
    if (page === 1 || page === number || page === lockPageOf(this.#layout)) return 'other'
    if (this.#last?.number !== number) this.#last = { number, map: this.#read(number) }
    return kinds[this.#last.map.readUInt8(ENTRY_BYTES * (page - number - 1))] ?? 'other'
  }
}
