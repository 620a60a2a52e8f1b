/** Options of an LRUCache with this many entries that grows as it fills: `max` would allocate all of them at once. */
export const growingTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
