/** A value that its first use makes, for what takes milliseconds and what a start need not wait for. */
export function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}
