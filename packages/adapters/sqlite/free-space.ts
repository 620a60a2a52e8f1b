/** What to know of a SQLite file to read its pages, from its first 100 bytes (https://sqlite.org/fileformat2.html). */
export type PageLayout = {
  pageSize: number
  /** A page ends with bytes that are not SQLite's. */
  usable: number
  /** Whether pages of the file say what is on each of the others. */
  hasPointerMaps: boolean
}

/** From this page on an overflow page may begin like a page of cells: it begins with the number of another page. */
const AMBIGUOUS_PAGES = 2 ** 25

/** @returns undefined where free space cannot be told from contents: in 128 GiB without pointer maps */
export function layoutOf(header: Buffer, fileSize: number): PageLayout | undefined {
  const given = header.readUInt16BE(16)
  const pageSize = given === 1 ? 65_536 : given
  const hasPointerMaps = header.readUInt32BE(52) !== 0
  if (!hasPointerMaps && fileSize / pageSize >= AMBIGUOUS_PAGES) return undefined
  return { pageSize, usable: pageSize - header.readUInt8(20), hasPointerMaps }
}

/** Bytes of the header of a page of cells, by its type: of a table or an index, inner or outermost. */
const headerBytes: Readonly<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }

/**
 * The bytes between the list of a page's cells and the cells: no cell has them, whatever is in them. Not for the first
 * page of a file, which begins otherwise.
 * @returns undefined where it is no page of cells
 */
export function freeSpaceOf(page: Buffer, { usable }: PageLayout): [from: number, to: number] | undefined {
  const header = headerBytes[page.readUInt8(0)]
  if (header === undefined) return undefined
  const cells = page.readUInt16BE(3)
  const [from, to] = [header + 2 * cells, page.readUInt16BE(5) || 65_536]
  if (from > to || to > usable) return undefined
  for (let cell = header; cell < from; cell += 2) {
    const place = page.readUInt16BE(cell)
    if (place < to || place >= usable) return undefined
  }
  // Gaps between cells are a list, in their order.
  for (let gap = page.readUInt16BE(1), least = to; gap !== 0; gap = page.readUInt16BE(gap)) {
    if (gap < least || gap + 4 > usable) return undefined
    least = gap + 4
  }
  return [from, to]
}

/**
 * A page of the list of pages that are free, and the ones that it names; page numbers from 1, as SQLite counts. The bytes
 * after them belong to nothing.
 */
export function freePagesOf(page: Buffer): { next: number; named: number[]; end: number } {
  const count = Math.min(page.readUInt32BE(4), page.length / 4 - 2)
  const named = Array.from({ length: count }, (_, index) => page.readUInt32BE(8 + 4 * index))
  return { next: page.readUInt32BE(0), named, end: 8 + 4 * count }
}
