/** Does work once. If it fails, the next call repeats it. The first try begins at once, and its failure is ignored. */
export function onceDone(work: () => Promise<unknown>): () => Promise<unknown> {
  let done: Promise<unknown> | undefined
  const whenDone = (): Promise<unknown> => {
    done ??= work().catch((error: unknown) => {
      done = undefined
      throw error
    })
    return done
  }
  whenDone().catch(() => undefined)
  return whenDone
}
