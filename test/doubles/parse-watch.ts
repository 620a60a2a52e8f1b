/** Calls `onParse` with every text that this thread parses while `act` runs, and with whether it is JSON. */
export async function whileParsing<T>(
  onParse: (text: string, isJson: boolean) => void,
  act: () => Promise<T>,
): Promise<T> {
  const { parse } = JSON
  JSON.parse = (text: string, ...more: []) => {
    let isJson = false
    try {
      const value = parse(text, ...more)
      isJson = true
      return value
    } finally {
      onParse(text, isJson)
    }
  }
  try {
    return await act()
  } finally {
    JSON.parse = parse
  }
}

/** Counts the turns of the event loop until it is disposed of. */
export class TurnCounter implements Disposable {
  turn = 0
  #counting = setImmediate(() => this.#count())

  #count(): void {
    this.turn++
    this.#counting = setImmediate(() => this.#count())
  }

  [Symbol.dispose](): void {
    clearImmediate(this.#counting)
  }
}
