/** Options of an LRUCache that holds so many entries and grows as it fills: `max` would allocate all of them at once. */
export const growingTo = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
