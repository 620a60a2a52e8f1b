/**
 * Options of an LRUCache for this many entries that grows as it fills. The option `max` alone would allocate all of
 * them at once.
 */
export const growingTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
